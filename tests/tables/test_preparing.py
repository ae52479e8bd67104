"""Setup page: cards to deal, starting player, rounds, and random draws."""

import pytest
from django.urls import reverse

from companion.games import get_games
from tests.web.html import parse_html

pytestmark = pytest.mark.pages


def get_setup_page(person, slug, **query):
    response = person.get(reverse("prepare", args=[slug]), query)
    return response.status_code, parse_html(response.content.decode())


def list_values(page):
    return [entry.text for entry in page.one("dl", **{"class": "steps"}).all("b")]


@pytest.mark.parametrize(
    ("slug", "query", "said"),
    [
        ("take-that", {"seats": 4}, "8 cards each"),
        ("take-that", {"seats": 2}, "61 cards"),
        ("the-game", {"seats": 1}, "90 cards"),
        ("the-game", {"seats": 5}, "68 cards"),
        ("beavers-and-mice", {"seats": 2}, "4"),
        ("muzicando", {"seats": 6}, "14 cards"),
    ],
)
def test_the_setup_depends_on_the_number_of_players(nobody, slug, query, said):
    status, page = get_setup_page(nobody, slug, **query)
    assert status == 200
    assert said in list_values(page)


def test_options_change_the_setup(nobody):
    default, _page = get_setup_page(nobody, "take-that", seats=2)[1], None
    professional = get_setup_page(nobody, "take-that", seats=2, **{"option.professional": "yes"})[1]
    assert len(list_values(professional)) == len(list_values(default)) + 1


@pytest.mark.parametrize("query", [{"seats": "99"}, {"seats": "x"}, {"option.rounds": "0"}, {"option.hats": "1"}])
def test_invalid_settings_are_named_and_replaced_by_defaults(nobody, query):
    status, page = get_setup_page(nobody, "take-that", **query)
    assert status == 400
    assert page.one(role="alert").text
    assert list_values(page)


def test_the_first_dealer_is_drawn_at_random(nobody):
    dealers = {
        get_setup_page(nobody, "take-that", seats=3, draw="one")[1].one("ol", **{"class": "drawn"}).text
        for _ in range(60)
    }
    assert dealers == {"Player 1", "Player 2", "Player 3"}


def test_in_muzicando_everybody_draws_a_note_for_a_seat(nobody):
    page = get_setup_page(nobody, "muzicando", seats=5, draw="seats")[1]
    lots = [item.text.partition(": ")[2] for item in page.one("ol", **{"class": "drawn"}).all("li")]
    assert sorted(lots) == sorted(["Do", "Re", "Mi", "Fa", "Sol"])


@pytest.mark.parametrize("slug", get_games())
@pytest.mark.parametrize("language", ["en", "el"])
def test_every_game_has_a_setup_for_every_number_of_players(nobody, slug, language):
    for seats in get_games()[slug].about.seats:
        response = nobody.get(reverse("prepare", args=[slug]), {"seats": seats}, headers={"accept-language": language})
        assert response.status_code == 200
        page = parse_html(response.content.decode())
        assert list_values(page)
        links = [link.attrs["href"] for link in page.one("dl").all("a")]
        assert all(link.startswith(f"/{language}/rules/{slug}/#") for link in links)


def test_htmx_requests_get_only_the_setup(nobody):
    response = nobody.get(reverse("prepare", args=["take-that"]), {"seats": 3}, headers={"HX-Request": "true"})
    assert not parse_html(response.content.decode()).all("html", "form")
