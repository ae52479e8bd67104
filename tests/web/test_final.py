"""Counts and scores on the final page."""

import pytest

from companion.core.entry import Entry, EntryKind
from companion.games import get_games
from companion.web.i18n import translate
from tests.games.random_play import build_cases, build_entry, random_setting, random_tally
from tests.web.html import Element, parse_html
from tests.web.people import PEOPLE, Person, store_log
from tests.web.test_every_game import open_table


def get_cards(page: Element) -> dict[str, str]:
    """Return the text of each card of a page by its heading."""
    headings = ((card, card.all("h2", "caption")) for card in page.all("section", "table"))
    return {names[0].text: card.text for card, names in headings if names}


def test_final_page_shows_counts_beside_their_scores(alice: Person):
    table = alice.open(rounds="1")
    for seat in range(3):
        assert alice.count(table, seat, 9, 12, 2, insist=list(get_games()["take-that"].rules)).status_code == 302
    cards = get_cards(alice.page("table", table.public_id))
    assert "9 face up, 12 face down, toads among them: 2" in cards["Count"]
    assert "−10" in cards["Points"] and "12" not in cards["Points"]


@pytest.mark.parametrize("slug", get_games())
def test_final_page_shows_the_counts_of_every_game(nobody: Person, slug: str):
    checked = 0
    for case in build_cases(slug):
        if checked == 3:
            break
        log, tally = case.log(), random_tally(case, case.random("final"))
        for kind in case.game.options.settings:
            log = log.append(build_entry(log, random_setting(case.game, case.options, case.random(kind), kind)))
        for count in tally:
            log = log.append(build_entry(log, count))
        if log.match.has_open_score:  # without it there are no points
            continue
        checked += 1
        log = log.append(Entry(len(log.entries) + 1, EntryKind.CLOSE, {}))
        table = open_table(nobody, case)
        store_log(table, log)
        page = nobody.page("table", table.public_id)
        for count in tally:
            if case.game.pad.picture is None:
                assert (
                    parse_html(translate(case.game.help.describe(case.options, count), PEOPLE)).text
                    in get_cards(page)["Count"]
                )
            else:
                assert PEOPLE[count.seat] in get_cards(page)["Count"]
    assert checked
