"""The plain board plays every game that has a referee."""

import pytest
from django.template.loader import get_template
from django.urls import reverse

from companion.core.schema import encode
from companion.games import get_games
from companion.tables.presenters import board_page
from tests.games.random_play import build_entry, random_play, sample_cases
from tests.web.html import list_fields, parse_html
from tests.web.people import load_fresh_log, store_log
from tests.web.test_every_game import open_table

PLAYS = 12


@pytest.fixture(autouse=True)
def plain_boards(monkeypatch):
    """Draw every game as if its folder had no templates."""
    monkeypatch.setattr(
        board_page, "select_game_template", lambda slug, name, plain="": get_template(f"tables/{plain or name}.html")
    )


@pytest.mark.parametrize("slug", [slug for slug, game in get_games().items() if game.referee])
def test_plays_are_recorded_by_the_forms_of_the_plain_board(nobody, slug):
    case = sample_cases(slug, 1)[0]
    chance = case.random("plain")
    table = open_table(nobody, case)
    url = reverse("table", args=[table.public_id])
    for number in range(1, PLAYS + 1):
        state = load_fresh_log(table).match.get_round(1).state
        if state.is_over:
            break
        play = random_play(case.game, state, chance)
        kind, words = case.game.get_kind(play), encode(play)
        page = parse_html(nobody.get(f"{url}?way=referee").content.decode())
        (form,) = (f for f in page.all("form") if ("kind", kind) in list_fields(page, f) and f.all("fieldset"))
        hidden = {name: value for name, value in list_fields(page, form) if name not in words}
        names = {control.attrs.get("name") for control in form.all("input", "select")}
        assert words.keys() <= names, (kind, words, names)
        response = nobody.send(form.attrs["action"], [*hidden.items(), *words.items()])
        assert response.status_code == 302, response.content.decode()
        assert load_fresh_log(table).match.get_round(1).plays[number - 1].entry == play


@pytest.mark.parametrize("slug", [slug for slug, game in get_games().items() if game.referee])
def test_a_correction_begins_with_the_recorded_play(nobody, slug):
    case = sample_cases(slug, 1)[0]
    table, log = open_table(nobody, case), case.log()
    play = random_play(case.game, log.match.get_round(1).state, case.random("plain"))
    store_log(table, log.append(build_entry(log, play)))
    page = parse_html(nobody.get(reverse("correct", args=[table.public_id, 1])).content.decode())
    kind = case.game.get_kind(play)
    (form,) = (f for f in page.all("form") if ("kind", kind) in list_fields(page, f) and f.all("fieldset"))
    sent = dict(list_fields(page, form))
    assert {name: sent.get(name) for name in encode(play)} == encode(play)
