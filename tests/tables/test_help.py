"""Help during play: the legal plays and the rules that allow them."""

import pytest
from django.urls import reverse

from companion.core.languages import LANGUAGES
from companion.core.legal_moves import group_legal_plays
from companion.games import get_games
from companion.rulebook.loader import load_rulebook
from tests.rulebook.books import WITH_RULEBOOK
from tests.web.html import parse_html
from tests.web.people import choose_people, load_fresh_log

pytestmark = pytest.mark.pages


@pytest.fixture
def refereed_table(alice):
    return alice.open(names=("Ann", "Bo", "Cleo"), way="referee")


def open_help(person, table, *, htmx=False, **query):
    headers = {"HX-Request": "true"} if htmx else {}
    response = person.get(reverse("help", args=[table.public_id]), query, headers=headers)
    assert response.status_code == 200
    return parse_html(response.content.decode())


def list_headings(page):
    return [heading.text for heading in page.one("dl", **{"class": "ways-list"}).all("dt")]


def test_help_at_the_start_explains_dealing_and_opening(alice, refereed_table):
    page = open_help(alice, refereed_table)
    assert "9 cards each" in page.one("dl", **{"class": "steps"}).text
    assert list_headings(page) == ["Start the row"]
    assert [box.one("summary").text for box in page.all("details")] == ["Starting a row", "Drawing", "Setting up"]


def test_help_during_play_lists_legal_plays_by_rule(alice, refereed_table):
    for kind, seat, card in (("extend", 1, 34), ("extend", 2, 41)):
        alice.enter(refereed_table, kind=kind, seat=seat, card=card)
    page = open_help(alice, refereed_table)
    assert not page.all("dl", **{"class": "steps"})
    state = load_fresh_log(refereed_table).match.get_round(1).state
    assert list_headings(page) == [str(group.heading) for group in group_legal_plays(get_games()["take-that"], state)]
    links = [link.attrs["href"] for link in page.one("dl").all("a")]
    assert links == [f"/en/rules/take-that/#{rule}" for rule in ("extend-within-ten", "reverse-pair", "take-row")]
    assert "31–33" in page.one("dl").text


def test_the_paragraphs_themselves_are_there_to_unfold(alice, refereed_table):
    alice.enter(refereed_table, kind="extend", seat=1, card=34)
    page = open_help(alice, refereed_table)
    section = load_rulebook(get_games()["take-that"], "en").section("toads-stay")
    box = next(box for box in page.all("details") if box.one("summary").text == section.title)
    assert "nobody can ever reverse it" in box.text


def test_help_is_filtered_by_the_choice_on_the_board(alice):
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    alice.enter(table, kind="place", seat=0, card=47, row="up-1")
    everything, chosen = open_help(alice, table), open_help(alice, table, row="up-1")
    assert 0 < len(list_headings(chosen)) < len(list_headings(everything))
    refused = open_help(alice, table, row="up-1", card="36")
    assert "36 is neither above 47 nor ten below it" in refused.text
    assert refused.all("details")[0].one("summary").text == "Ascending rows"


@pytest.mark.parametrize("query", [{"card": "x"}, {"row": "nowhere"}, {"kind": "dance"}, {"round": "99"}, {"way": "x"}])
def test_invalid_choices_are_ignored_by_help(alice, refereed_table, query):
    assert open_help(alice, refereed_table, **query).one("div", **{"class": "slip info help"}).text


def test_on_the_pad_it_shows_how_to_count(alice, table):
    page = open_help(alice, table, way="pad")
    assert [box.one("summary").text for box in page.all("details")][:2] == ["Points", "Score pad"]
    assert not page.all("dl", **{"class": "ways-list"})


def test_with_htmx_only_the_slip_is_sent_and_nothing_is_recorded(alice, refereed_table):
    page = open_help(alice, refereed_table, htmx=True)
    assert not page.all("html", "main")
    assert load_fresh_log(refereed_table).version == 0


def test_table_page_and_refusals_link_to_help_and_back(alice, refereed_table):
    url = reverse("help", args=[refereed_table.public_id])
    page = alice.page("table", refereed_table.public_id)
    assert page.one("a", **{"class": "ask"}).attrs["href"] == f"{url}?way=referee&round=1"
    refusal = parse_html(alice.enter(refereed_table, kind="extend", seat=0, card=34).content.decode())
    assert f"{url}?way=referee&round=1" in [link.attrs["href"] for link in refusal.one("div", id="notice").all("a")]
    links = [link.attrs["href"] for link in open_help(alice, refereed_table).all("a")]
    assert f"{reverse('table', args=[refereed_table.public_id])}?way=referee&round=1" in links


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=lambda game: game.slug)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_help_in_both_languages(alice, game, language):
    table = alice.open(game.slug, names=choose_people(game.slug, 3), way="referee" if game.plays else "pad")
    alice.cookies["django_language"] = language
    page = open_help(alice, table)
    titles = {section.title for section in load_rulebook(game, language).sections}
    *headings, setting_up = [box.one("summary").text for box in page.all("details")]
    assert headings and set(headings) <= titles
    assert setting_up == {"en": "Setting up", "el": "Στήσιμο"}[language]
