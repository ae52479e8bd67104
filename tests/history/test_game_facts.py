"""Tests of aggregated game facts."""

import re

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from companion.core.text import Text
from companion.games import get_games
from companion.history.models import Fact
from companion.history.statistics.game_facts import FactGroup, FactLine, format_facts_by_game
from companion.people.models import Circle
from companion.tables.models import Table


@pytest.fixture
def aggregate_facts(db):
    """A function that stores the facts of each match and returns them aggregated."""
    circle = Circle.objects.create()

    def store_and_format(slug, *matches):
        for facts in matches:
            table = Table.objects.create(circle=circle, game=slug, game_version=1)
            for name, value in facts.items():
                Fact.objects.create(table=table, circle=circle, game=slug, name=name, value=value)
        groups = format_facts_by_game(Fact.objects.filter(circle=circle))[slug]
        lines = [(group, line) for group in groups for line in group.lines]
        return {str(line.label): (line.number, str(line.unit or ""), group.matches) for group, line in lines}

    return store_and_format


def test_facts_are_aggregated_as_the_game_declares(aggregate_facts):
    facts = aggregate_facts(
        "the-game",
        {"games": 1, "beaten": 0, "cards-left": 9, "tricks": 2, "largest-gap": 28},
        {"games": 1, "beaten": 1, "cards-left": 0, "largest-gap": 7},
        {"games": 1, "beaten": 0, "cards-left": 5},
    )
    labels = {kind.name: str(kind.label) for kind in get_games()["the-game"].stats.fact_kinds}
    assert facts == {
        labels["beaten"]: (1, "of 3", 3),
        labels["cards-left"]: (4.7, "a match", 3),
        labels["tricks"]: (2, "a match", 2),
        labels["largest-gap"]: (28, "", 2),
    }


def test_denominator_is_shown_only_without_its_share(aggregate_facts):
    assert list(aggregate_facts("the-game", {"games": 1}).values()) == [(1, "", 1)]
    assert list(aggregate_facts("the-game", {"games": 1, "beaten": 1}).values()) == [(1, "of 2", 1)]


@pytest.mark.parametrize(("values", "mean"), [((-1, -2), -1.5), ((-1, 0), -0.5), ((0, 0), 0), ((1, 1, 2), 1.3)])
def test_mean_has_one_decimal_place(aggregate_facts, values, mean):
    facts = aggregate_facts("the-game", *({"cards-left": value} for value in values))
    assert list(facts.values()) == [(mean, "a match", len(values))]


@pytest.mark.parametrize(("language", "numbers"), [("en", ["−1.5", "2"]), ("el", ["−1,5", "2"])])
def test_numbers_are_written_as_in_the_language(language, numbers):
    label = Text("Cards")
    group = FactGroup(None, (FactLine(label, -1.5), FactLine(label, 2.0)), 1, is_from_plays=False)
    with translation.override(language):
        html = render_to_string("history/_fact_groups.html", {"groups": [group]})
    assert re.findall(r'<span class="num">([^<]*)</span>', html) == numbers
