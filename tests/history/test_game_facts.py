"""How facts of many matches are told: each kind as its game says, against adding up by hand."""

import pytest

from companion.games import get_games
from companion.history.models import Fact
from companion.history.statistics.game_facts import format_facts_by_game
from companion.people.models import Circle
from companion.tables.models import Table


@pytest.fixture
def tell(db):
    """Tells facts of the whole table: (name, value) of one match after the other."""
    circle = Circle.objects.create()

    def told(slug, *matches):
        for facts in matches:
            table = Table.objects.create(circle=circle, game=slug, game_version=1)
            for name, value in facts.items():
                Fact.objects.create(table=table, circle=circle, game=slug, name=name, value=value)
        groups = format_facts_by_game(Fact.objects.filter(circle=circle))[slug]
        lines = [(group, line) for group in groups for line in group.lines]
        return {str(line.label): (f"{line.number} {line.unit or ''}".strip(), group.matches) for group, line in lines}

    return told


def test_sums_means_shares_and_the_largest_are_told_as_the_game_says(tell):
    found = tell(
        "the-game",
        {"games": 1, "beaten": 0, "cards-left": 9, "tricks": 2, "largest-gap": 28},
        {"games": 1, "beaten": 1, "cards-left": 0, "largest-gap": 7},
        {"games": 1, "beaten": 0, "cards-left": 5},
    )
    labels = {kind.name: str(kind.label) for kind in get_games()["the-game"].fact_kinds}
    assert found == {
        labels["beaten"]: ("1 of 3", 3),
        labels["cards-left"]: ("4.7 a match", 3),
        labels["tricks"]: ("2 a match", 2),
        labels["largest-gap"]: ("28", 2),
    }


def test_what_others_are_a_share_of_is_not_told_by_itself_but_alone_it_is(tell):
    assert list(tell("the-game", {"games": 1}).values()) == [("1", 1)]
    assert list(tell("the-game", {"games": 1, "beaten": 1}).values()) == [("1 of 2", 1)]


@pytest.mark.parametrize(("values", "said"), [((-1, -2), "−1.5"), ((-1, 0), "−0.5"), ((0, 0), "0"), ((1, 1, 2), "1.3")])
def test_a_mean_has_one_place_and_its_sign(tell, values, said):
    found = tell("the-game", *({"cards-left": value} for value in values))
    assert list(found.values()) == [(f"{said} a match", len(values))]
