from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from companion.people.models import Circle
from companion.tables.models import Table
from tests.web.html import list_controls, list_fields, parse_html
from tests.web.people import load_fresh_log

pytestmark = pytest.mark.pages

TAKE_THAT, THE_GAME = (reverse("calculator", args=[slug]) for slug in ("take-that", "the-game"))
COUNTS = [
    ((12, 17, 0), (10, 4, 1), (14, 3, 0)),
    ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
    ((72, 7, 7), (0, 0, 0), (0, 0, 0)),
    ((2, 30, 5), (36, 4, 2), (4, 3, 0)),
]


def build_fields(counts):
    names = ("face_up", "face_down", "toads")
    return {
        f"count.{seat}.{name}": number
        for seat, seat_counts in enumerate(counts)
        for name, number in zip(names, seat_counts, strict=True)
    }


def get_result_cells(page):
    return [cell.text for cell in page.one("tfoot").all("td")]


@pytest.mark.parametrize("counts", COUNTS)
def test_the_calculator_scores_like_the_pad(alice, nobody, counts):
    table = alice.open(names=("Ann", "Bo", "Cleo"))
    sent = build_fields(counts)
    assert alice.enter(table, insist=["deal", "score"], **sent).status_code == 302
    points = [str(n).replace("-", "−") for n in load_fresh_log(table).match.get_round(1).sheet.points]
    page = parse_html(nobody.get(TAKE_THAT, {"seats": 3, **sent}).content.decode())
    assert get_result_cells(page) == points
    assert [page.one("output", id=f"sum-{seat}").text for seat in range(3)] == [f"= {n}" for n in points]


@pytest.mark.parametrize("sent", [{"count.all.left": 9}, {"count.all.hands": [2, 3], "count.all.pile": 4}])
def test_the_calculator_of_a_team_scores_like_the_pad(alice, nobody, sent):
    table = alice.open("the-game", names=("Ann", "Bo"))
    assert alice.enter(table, insist=["draw"], **sent).status_code == 302
    page = parse_html(nobody.get(THE_GAME, {"seats": 2, **sent}).content.decode())
    assert get_result_cells(page) == [str(n) for n in load_fresh_log(table).match.get_round(1).sheet.points] == ["9"]


@pytest.mark.parametrize(
    ("sent", "rule"),
    [
        (build_fields([(11, 1, 0)]), "reverse-pair"),
        (build_fields([(2, 1, 2)]), "score"),
        (build_fields([(2, 8, 4), (2, 8, 4)]), "deck"),
        (build_fields([(0, 0, 0)] * 3), "deal"),
    ],
)
def test_the_calculator_shows_the_same_objections_as_the_pad(alice, nobody, sent, rule):
    table = alice.open(names=("Ann", "Bo", "Cleo"))
    refusal = parse_html(alice.enter(table, **sent).content.decode())
    page = parse_html(nobody.get(TAKE_THAT, {"seats": 3, **sent}).content.decode())
    for shown_page in (refusal, page):
        assert f"#{rule}" in "".join(a.attrs["href"] for a in shown_page.all("a", **{"class": "rule"}))


@pytest.mark.parametrize(
    ("url", "sent", "line"),
    [
        (TAKE_THAT, build_fields([(12, 17, 0), (10, 4, 1)]), "43 of 79 cards counted"),
        (THE_GAME, {"count.all.left": 9}, "89 of 98 cards laid"),
    ],
)
def test_it_says_how_much_of_the_deck_is_accounted_for(nobody, url, sent, line):
    page = parse_html(nobody.get(url, {"seats": 3, **sent}).content.decode())
    assert line in [p.text for p in page.one(id="preview").all("p")]
    assert line not in parse_html(nobody.get(url, {"seats": 3}).content.decode()).text


def test_nothing_is_recorded_and_nobody_becomes_a_device(nobody):
    response = nobody.get(TAKE_THAT, build_fields(COUNTS[0]))
    assert response.status_code == 200 and "device" not in response.cookies
    assert not Table.objects.exists() and not Circle.objects.exists()


def test_the_address_keeps_everything_that_was_typed(nobody):
    sent = {
        "seats": "4",
        "option.rounds": "5",
        "option.professional": "yes",
        "count.0.face_up": "12",
        "count.3.toads": "1",
        "count.1.hand": "2",
    }
    page = parse_html(nobody.get(TAKE_THAT, sent).content.decode())
    form = page.one("form", id="board")
    refilled = {name: value for name, value in list_fields(page, form) if value}
    assert refilled == sent


def test_boxes_that_are_no_numbers_are_named_and_stay(nobody):
    page = parse_html(
        nobody.get(TAKE_THAT, {"count.0.face_up": "x", "count.0.face_down": "1", "count.0.toads": "0"}).content.decode()
    )
    assert page.one("input", id="count.0.face_up.0").attrs["value"] == "x"
    assert "x" in page.one(id="preview").text
    assert not page.all("tfoot")


def test_htmx_requests_get_only_the_sums(nobody):
    response = nobody.get(TAKE_THAT, {"seats": 3, **build_fields(COUNTS[0])}, headers={"HX-Request": "true"})
    page = parse_html(response.content.decode())
    assert not page.all("html", "form", "input")
    assert page.one("output", id="sum-0").text == "= −5"


def test_options_that_are_still_being_tapped_are_named_and_the_page_stays(nobody):
    part = nobody.get(TAKE_THAT, {"seats": 3, "option.rounds": "0"}, headers={"hx-request": "true"})
    assert part.status_code == 200
    assert "0 is not between 1 and 99." in parse_html(part.content.decode()).text


def test_removing_a_player_removes_their_count(nobody):
    page = parse_html(nobody.get(TAKE_THAT, {"seats": 2, **build_fields(COUNTS[0])}).content.decode())
    assert not page.all("input", id="count.2.face_up.0")
    assert get_result_cells(page) == ["−5", "2"]


@pytest.mark.parametrize(
    ("query", "seats"),
    [
        ({"seats": 9}, 3),
        ({"seats": "x"}, 3),
        ({"option.rounds": 0}, 3),
        ({"option.hats": 1}, 3),
        ({"seats": 2, "option.dealer": 7}, 2),
    ],
)
def test_invalid_settings_are_named_and_replaced_by_defaults(nobody, query, seats):
    response = nobody.get(TAKE_THAT, query)
    page = parse_html(response.content.decode())
    assert response.status_code == 400
    assert page.one(role="alert").text
    chosen = [box.attrs["value"] for box in page.all("input", name="seats") if "checked" in box.attrs]
    assert chosen == [str(seats)]


def test_keep_this_makes_a_table_with_the_counts_in_it(nobody):
    page = parse_html(
        nobody.get(TAKE_THAT, {"seats": 3, "option.rounds": 4, **build_fields(COUNTS[0])}).content.decode()
    )
    form = page.one("form", id="board")
    keep = next(c for c in list_controls(page, form) if "formaction" in c.attrs)
    setup = parse_html(nobody.get(keep.attrs["formaction"], get_form_query(page, form)).content.decode())
    form = setup.one("form", id="setup")
    pairs = [pair for pair in list_fields(setup, form) if pair[0] != "seat"]
    response = nobody.send(
        keep.attrs["formaction"], [*pairs, *(("seat", f"n:{n}") for n in ("Ann", "Bo", "Cleo")), ("action", "open")]
    )
    table = Table.objects.get()
    assert response["Location"] == reverse("table", args=[table.public_id])
    assert load_fresh_log(table).match.standing.totals == (-5, 2, 11)
    assert load_fresh_log(table).match.options.rounds == 4


def get_form_query(page, form):
    query = {}
    for name, value in list_fields(page, form):
        query.setdefault(name, []).append(value)
    return query


def test_counts_of_players_who_do_not_sit_down_are_left_out(nobody):
    url = reverse("new-table", args=["take-that"])
    counts = [(name, str(n)) for name, n in build_fields(COUNTS[0]).items() if name.startswith("count.2")]
    response = nobody.send(url, [("way", "pad"), ("seat", "n:Ann"), ("seat", "n:Bo"), *counts, ("action", "open")])
    assert response.status_code == 302
    assert load_fresh_log(Table.objects.get()).version == 0


def test_counts_are_preserved_by_every_button_of_the_form(nobody):
    url = reverse("new-table", args=["take-that"])
    page = parse_html(nobody.get(url, build_fields(COUNTS[0])).content.decode())
    for name in ("Ann", "Bo"):
        form = page.one("form", id="setup")
        form_fields = [pair for pair in list_fields(page, form) if pair[0] != "new"]
        page = parse_html(nobody.send(url, [*form_fields, ("new", name), ("action", "add")]).content.decode())
    form_fields = dict(list_fields(page, page.one("form", id="setup")))
    assert {name: str(n) for name, n in build_fields(COUNTS[0]).items()}.items() <= form_fields.items()


def test_a_link_to_a_calculation_can_be_given_to_others(alice, nobody):
    link = alice.get(TAKE_THAT, {"seats": 3, **build_fields(COUNTS[0])}).request
    path = urlsplit(link["PATH_INFO"]).path
    query = parse_qsl(link["QUERY_STRING"])
    assert get_result_cells(parse_html(nobody.get(path, query).content.decode())) == ["−5", "2", "11"]


def test_incomplete_options_keep_the_number_of_players(nobody):
    """Patterns are tapped cell by cell, and the sums in the response must match the page."""
    url = reverse("calculator", args=["sideboards"])
    page, part = (
        parse_html(nobody.get(url, data, headers=headers).content.decode())
        for data, headers in (
            ({"seats": 1}, {}),
            ({"seats": 1, "option.colour_pattern": "31"}, {"HX-Request": "true"}),
        )
    )
    assert "a pattern has two to four cells, not 1." in part.text
    ids, page_ids = ({element.attrs["id"] for element in tree if element.attrs.get("id")} for tree in (part, page))
    assert {"sum-0", "seen-0"} <= ids <= page_ids


def test_the_calculator_of_an_unknown_game_is_not_found(nobody):
    assert nobody.get(reverse("calculator", args=["chess"])).status_code == 404


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (build_fields([("", "", "")] * 3), "Nothing has been entered yet."),
        (build_fields([(12, 17, 0)]), "Not counted yet: Player 2, Player 3"),
        (build_fields([(12, 17, 0), (10, "", ""), (14, 3, 0)]), "Player 2: Still missing: face down"),
    ],
)
def test_an_incomplete_result_says_what_is_missing(nobody, sent, said):
    page = parse_html(nobody.get(TAKE_THAT, {"seats": 3, **sent}).content.decode())
    assert page.one(role="alert").text == said
    changed = parse_html(nobody.get(TAKE_THAT, {"seats": 3, **sent, "change": "yes"}).content.decode())
    assert changed.all(role="alert") == []  # only the number of players was changed


def test_the_result_is_updated_while_typing(nobody):
    part = nobody.get(TAKE_THAT, {"seats": 3, **build_fields(COUNTS[0])}, headers={"HX-Request": "true"})
    tree = parse_html(part.content.decode())
    assert tree.one(id="result").attrs["hx-swap-oob"] == "true"
    assert get_result_cells(tree) == ["−5", "2", "11"]


def test_a_count_that_cannot_be_scored_has_no_sum_of_before(nobody):
    page = parse_html(nobody.get(TAKE_THAT, {"seats": 3, **build_fields([(80, 0, 0), (10, 4, 1)])}).content.decode())
    assert [page.one("output", id=f"sum-{seat}").text for seat in range(3)] == ["= ?", "= ?", "not counted yet"]
