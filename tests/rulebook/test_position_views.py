"""Position checker."""

from urllib.parse import quote

import pytest
from django.urls import reverse

from companion.core.schema import field_names
from companion.games import get_games
from tests.scale import choose_count
from tests.web.hostile import VALUES
from tests.web.html import parse_html

GAMES = [game for game in get_games().values() if game.help.questions]
CASES = [(game, kind) for game in GAMES for kind in game.help.questions]
LANGUAGES = ("en", "el")
TAKE_THAT = "/en/rules/take-that/could-i/"


def slug(value):
    return getattr(value, "slug", value)


def load_page(client, url, **query):
    """Return the status and the parsed page."""
    response = client.get(url, query)
    return response.status_code, parse_html(response.content.decode())


def get_verdicts(page):
    return [(mark.attrs["class"], mark.text) for box in page.one(id="answer").all("div") for mark in box.all("p")[:1]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "kind"), CASES, ids=slug)
def test_every_question_starts_with_an_empty_board(client, game, kind, language):
    status, page = load_page(client, f"/{language}/rules/{game.slug}/could-i/", ask=kind)
    assert status == 200
    assert not get_verdicts(page)
    assert page.one("form", id="ask").all("button")


def test_a_tap_redirects_to_the_changed_position(client):
    response = client.get(TAKE_THAT, {"row": "34", "into": "row", "tapped": "41"})
    assert response.status_code == 302
    assert response["Location"] == f"{TAKE_THAT}?ask=card&row=34,41&into=row"


@pytest.mark.parametrize(
    ("query", "location"),
    [
        ({"row": "34,41", "into": "row", "tapped": "34"}, "?ask=card&row=41&into=row"),
        ({"row": "34,41", "drop": "row"}, "?ask=card&row=34"),
        ({"row": "34", "card": "50", "into": "card", "tapped": "44"}, "?ask=card&row=34&card=44&into=card"),
        ({"card": "44", "drop": "card"}, "?ask=card"),
        ({"row": "34", "into": "hat", "tapped": "44"}, "?ask=card&row=34&into=hat"),
    ],
)
def test_tapping_again_or_dropping_removes_an_item(client, query, location):
    query = {**query, **({"card": "51"} if query.get("card") == "50" else {})}
    assert client.get(TAKE_THAT, query)["Location"] == f"{TAKE_THAT}{location}"


def test_an_impossible_tap_keeps_the_position(client):
    status, page = load_page(client, TAKE_THAT, row="34,41", into="card", tapped="41")
    assert status == 422
    assert "There is only one 41." in page.one(id="answer").text
    assert page.one("input", name="row").attrs["value"] == "34,41"


def test_an_option_that_contradicts_the_cards_is_refused(client):
    url = "/en/rules/muzicando/could-i/"
    query = {"ask": "card", "kind": "s", "cards": "red-do,red-sharp"}
    _status, page = load_page(client, url, **query)
    cards = page.one("input", name="cards").attrs["value"]
    status, page = load_page(client, url, **query, signs_between="yes")
    assert status == 422
    assert page.one("input", name="cards").attrs["value"] == cards


def test_the_answer_states_facts_and_rule(client):
    _status, page = load_page(client, TAKE_THAT, row="34,41", card="55")
    marks = get_verdicts(page)
    assert [mark for mark, _text in marks] == ["no", "no", "yes"]
    assert marks[0][1] == "Lay 55 at the right end? No."
    first = page.one(id="answer").all("div")[0]
    assert "55 is 14 away from 41, and a card may be at most 10 away." in first.text
    assert first.one("a").attrs["href"] == "/en/rules/take-that/#extend-within-ten"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shared_link_keeps_answer_and_language(client, language):
    url = f"/{language}/rules/take-that/could-i/"
    _status, page = load_page(client, url, row="34,41", card="55", into="card")
    link = page.one("input", id="link").attrs["value"]
    assert link == f"http://testserver{url}?ask=card&row=34,41&card=55"
    response = client.get(link, headers={"accept-language": "el" if language == "en" else "en"})
    assert get_verdicts(parse_html(response.content.decode())) == get_verdicts(page)


@pytest.mark.parametrize("value", [*VALUES[:: choose_count(27, 9)], "1," * 5_000, "\ud800", "-1", "²"])
@pytest.mark.parametrize(("game", "kind"), CASES, ids=slug)
@pytest.mark.hostile
def test_any_query_string_can_be_rendered(client, game, kind, value):
    word = quote(str(value), errors="surrogatepass")
    for name in (*field_names(game.help.questions[kind]), "into", "tapped", "drop", "ask"):
        response = client.get(f"/el/rules/{game.slug}/could-i/?ask={kind}&{name}={word}")
        assert response.status_code in (200, 302, 422), (name, value)


def test_games_without_a_referee_have_no_position_checker(client):
    game = next(game for game in get_games().values() if not game.help.questions)
    url = reverse("could-i", args=[game.slug])
    assert client.get(url).status_code == 404
    assert url not in client.get(reverse("rules", args=[game.slug])).content.decode()


@pytest.mark.parametrize("game", GAMES, ids=slug)
def test_rules_and_position_checker_link_to_each_other(client, game):
    page = parse_html(client.get(f"/en/rules/{game.slug}/").content.decode())
    assert f"/en/rules/{game.slug}/could-i/" in [link.attrs["href"] for link in page.all("a")]
    _status, page = load_page(client, f"/en/rules/{game.slug}/could-i/")
    assert page.one("header").all("a")[0].attrs["href"] == f"/en/rules/{game.slug}/"
