from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.people.models import Circle, Device, Player
from companion.tables.models import Entry, Table
from tests.web.html import list_controls, list_fields, parse_html
from tests.web.people import Person, dump_database, find_button, list_kinds, load_fresh_log

NEW_TABLE_URL = reverse("new-table", args=["take-that"])


def list_seated_names(html: str) -> list[str]:
    """Return the names of the seated players in the order of the form."""
    return [line.one("bdi").text for line in parse_html(html).one("ol", **{"class": "line-up"}).all("li")]


def post_form(person: Person, action: str, *pairs: tuple[str, str]):
    return person.send(NEW_TABLE_URL, [("way", "pad"), *pairs, ("action", action)])


def test_the_first_table_makes_a_circle_a_device_and_players(nobody):
    table = nobody.open_by_form(names=("Ann", "Bo"))
    assert Circle.objects.count() == Device.objects.count() == 1
    assert [seat.player.name for seat in table.seats.all()] == ["Ann", "Bo"]
    assert nobody.page("table", table.public_id)


def test_a_second_table_of_the_same_browser_stays_in_its_circle(nobody):
    first_table, second_table = nobody.open_by_form(names=("Ann", "Bo")), nobody.open(names=("Bo", "Cleo"))
    assert first_table.circle == second_table.circle
    assert Device.objects.count() == 1
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ann", "Bo", "Cleo"]


def test_remembered_names_are_offered_and_need_one_tap(alice, table):
    page = alice.page("new-table", "take-that")
    offered = {box.parent.text: box.attrs["value"] for box in page.all("input", name="seat")}
    assert sorted(offered) == ["Ann", "Bo", "Cleo"]
    assert post_form(alice, "open", ("seat", offered["Cleo"]), ("seat", offered["Ann"])).status_code == 302
    assert [seat.player.name for seat in Table.objects.latest("pk").seats.all()] == ["Cleo", "Ann"]
    assert Player.objects.count() == 3


def test_a_name_typed_again_is_the_player_who_has_it(alice):
    assert post_form(alice, "open", ("seat", "n:Ann"), ("seat", "n:Dora")).status_code == 302
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ann", "Bo", "Cleo", "Dora"]


def test_recent_players_are_offered_first(alice):
    alice.open(names=("Zoe", "Cleo"))
    page = alice.page("new-table", "take-that")
    assert {box.parent.text for box in page.all("input", name="seat")[:2]} == {"Zoe", "Cleo"}


def test_adding_a_name_seats_it_and_empties_the_field(nobody):
    response = post_form(nobody, "add", ("seat", "n:Ann"), ("new", " Bo "))
    assert response.status_code == 200
    assert list_seated_names(response.content.decode()) == ["Ann", "Bo"]
    assert parse_html(response.content.decode()).one("input", id="new-name").attrs["value"] == ""
    assert not Player.objects.exists() and not Circle.objects.exists()


def test_a_name_still_being_typed_sits_down_when_the_table_is_opened(nobody):
    assert post_form(nobody, "open", ("seat", "n:Ann"), ("new", "Bo")).status_code == 302
    assert [seat.player.name for seat in Table.objects.get().seats.all()] == ["Ann", "Bo"]


@pytest.mark.parametrize(
    ("action", "order"),
    [
        ("up:1", ["Bo", "Ann", "Cleo"]),
        ("down:1", ["Ann", "Cleo", "Bo"]),
        ("up:0", ["Ann", "Bo", "Cleo"]),
        ("down:2", ["Ann", "Bo", "Cleo"]),
        ("up:99", ["Ann", "Bo", "Cleo"]),
        ("down:-1", ["Ann", "Bo", "Cleo"]),
    ],
)
def test_buttons_move_a_player_up_and_down(nobody, action, order):
    pairs = [("seat", f"n:{name}") for name in ("Ann", "Bo", "Cleo")]
    response = post_form(nobody, action, *pairs, *[("order", value) for _name, value in pairs])
    assert list_seated_names(response.content.decode()) == order


def test_the_order_that_the_form_shows_is_the_order_at_the_table(nobody):
    pairs = [("seat", f"n:{name}") for name in ("Ann", "Bo", "Cleo")]
    html = post_form(nobody, "up:2", *pairs).content.decode()
    page = parse_html(html)
    form = page.one("form", id="setup")
    nobody.send(NEW_TABLE_URL, list_fields(page, form, find_button(page, form, value="open")))
    assert [seat.player.name for seat in Table.objects.get().seats.all()] == ["Ann", "Cleo", "Bo"]


def test_taking_a_tick_away_lets_that_player_leave(nobody):
    response = post_form(nobody, "", ("seat", "n:Ann"), ("person", "n:Bo"), ("order", "n:Ann"), ("order", "n:Bo"))
    assert list_seated_names(response.content.decode()) == ["Ann"]
    boxes = parse_html(response.content.decode()).all("input", name="seat")
    assert [(b.attrs["value"], "checked" in b.attrs) for b in boxes] == [("n:Bo", False), ("n:Ann", True)]


def test_the_same_name_twice_is_one_player(nobody):
    response = post_form(nobody, "add", ("seat", "n:Ann"), ("seat", "n:Ann"), ("seat", "n: Ann "), ("new", "Ann"))
    assert list_seated_names(response.content.decode()) == ["Ann"]
    assert post_form(nobody, "open", ("seat", "n:Ann"), ("seat", "n:Ann")).status_code == 422


def test_a_name_that_was_typed_before_it_was_remembered_is_the_same_player(alice):
    ann = Player.objects.get(name="Ann")
    response = post_form(alice, "open", ("seat", f"p{ann.pk}"), ("seat", "n:Ann"), ("seat", "n:Dora"))
    assert response.status_code == 302
    assert [seat.player.name for seat in Table.objects.latest("pk").seats.all()] == ["Ann", "Dora"]


@pytest.mark.parametrize("names", [(), ("Ann",), ("Ann", "Bo", "Cleo", "Dora", "Emil"), tuple(map(str, range(200)))])
def test_too_few_or_too_many_players_are_refused_and_stay_in_the_form(nobody, names):
    response = post_form(nobody, "open", *[("seat", f"n:{name}") for name in names])
    assert response.status_code == 422
    assert list_seated_names(response.content.decode()) == list(names)[:60]
    assert not Table.objects.exists() and not Circle.objects.exists()
    assert not response.cookies.get("device")


@pytest.mark.parametrize("rounds", ["0", "-1", "100", "two", "٣", "1e3", "9" * 5000, "1_0", "½", " "])
def test_an_option_out_of_range_is_refused_or_means_the_usual(nobody, rounds):
    response = post_form(nobody, "open", ("seat", "n:Ann"), ("seat", "n:Bo"), ("option.rounds", rounds))
    if rounds.strip():
        assert response.status_code == 422
        assert not Table.objects.exists()
        assert list_seated_names(response.content.decode()) == ["Ann", "Bo"]
        assert parse_html(response.content.decode()).one("input", id="option-rounds").attrs["value"] == rounds[:1_000]
    else:
        assert load_fresh_log(Table.objects.get()).match.options.rounds == 2


def test_an_option_given_twice_is_refused(nobody):
    pairs = [("seat", "n:Ann"), ("seat", "n:Bo"), ("option.rounds", "3"), ("option.rounds", "4")]
    assert post_form(nobody, "open", *pairs).status_code == 422
    assert not Table.objects.exists()


@pytest.mark.parametrize("action", ["add", "open"])
def test_a_refused_name_loses_nothing_that_the_form_held(nobody, action):
    pairs = [("seat", "n:Ann"), ("seat", "n:Bo"), ("person", "n:Cleo"), ("option.rounds", "7"), ("new", "x" * 41)]
    response = nobody.send(NEW_TABLE_URL, [("way", "referee"), *pairs, ("action", action)])
    page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert list_seated_names(response.content.decode()) == ["Ann", "Bo"]
    assert {box.attrs["value"] for box in page.all("input", name="person")} == {"n:Ann", "n:Bo", "n:Cleo"}
    assert page.one("input", id="new-name").attrs["value"] == "x" * 41
    assert page.one("input", id="option-rounds").attrs["value"] == "7"
    assert "checked" in page.one("input", name="way", value="referee").attrs


def test_options_and_way_of_the_last_table_are_kept_in_the_form(alice):
    alice.open(names=("Ann", "Bo"), rounds="5", professional="yes", way="referee", dealer="1")
    page = alice.page("new-table", "take-that")
    form_fields = dict(list_fields(page, page.one("form", id="setup")))
    assert (form_fields["option.rounds"], form_fields["option.professional"], form_fields["way"]) == (
        "5",
        "yes",
        "referee",
    )
    assert "option.dealer" not in form_fields


def test_the_options_of_one_game_are_not_those_of_another(alice):
    alice.open("the-game", names=("Ann",), expert="three")
    page = alice.page("new-table", "take-that")
    assert "option.expert" not in dict(list_fields(page, page.one("form", id="setup")))


def test_an_option_without_a_tick_is_no_even_if_it_was_yes_last_time(alice):
    alice.open(names=("Ann", "Bo"), professional="yes")
    assert post_form(alice, "open", ("seat", "n:Ann"), ("seat", "n:Bo")).status_code == 302
    assert load_fresh_log(Table.objects.latest("pk")).match.options.professional is False


def test_an_option_in_the_address_is_filled_in(nobody):
    page = nobody.page("new-table", "take-that", **{"option.rounds": "9"})
    assert page.one("input", id="option-rounds").attrs["value"] == "9"


def test_a_rematch_seats_the_same_people_and_deals_on(alice, table):
    for seat in range(3):
        alice.count(table, seat, 0, 0, 0, insist="deal")
    alice.send(reverse("rematch", args=[table.public_id]), [])
    rematch = Table.objects.latest("pk")
    assert rematch.rematch_of == table
    assert [seat.player for seat in rematch.seats.all()] == [seat.player for seat in table.seats.all()]
    assert load_fresh_log(rematch).match.options.dealer == 1
    alice.send(reverse("rematch", args=[rematch.public_id]), [])
    assert load_fresh_log(Table.objects.latest("pk")).match.options.dealer == 2


def test_a_rematch_after_two_rounds_deals_on_by_two_and_keeps_the_options(alice):
    table = alice.open(names=("Ann", "Bo", "Cleo"), professional="yes")
    for number in (1, 2):
        for seat in range(3):
            assert alice.count(table, seat, 0, 0, 0, round=number, insist="deal").status_code == 302
    alice.send(reverse("rematch", args=[table.public_id]), [])
    options = load_fresh_log(Table.objects.latest("pk")).match.options
    assert (options.dealer, options.professional) == (2, True)


def test_a_player_of_another_circle_cannot_be_seated(alice, stranger):
    foreign_player = Player.objects.get(name="Xena")
    before = dump_database()
    response = post_form(alice, "open", ("seat", f"p{foreign_player.pk}"), ("seat", "n:Ann"))
    assert response.status_code == 422
    assert dump_database() == before
    assert "Xena" not in response.content.decode()


def test_an_unknown_game_is_not_found(nobody):
    assert nobody.get(reverse("new-table", args=["chess"])).status_code == 404
    assert nobody.send(reverse("new-table", args=["chess"]), [("action", "open")]).status_code == 404


# Counts from the calculator


def open_from_calculator(person: Person, *pairs: tuple[str, str]):
    """Open the form with counts from the calculator, and submit it with two players."""
    page = parse_html(person.get(NEW_TABLE_URL, dict(pairs)).content.decode())
    form = page.one("form", id="setup")
    form_fields = [
        pair for pair in list_fields(page, form, find_button(page, form, value="open")) if pair[0] != "option.rounds"
    ]
    return person.send(NEW_TABLE_URL, [("seat", "n:Ann"), ("seat", "n:Bo"), *form_fields])


def test_counts_from_the_calculator_are_recorded(nobody):
    boxes = [("count.0.face_up", "12"), ("count.0.face_down", "17"), ("count.0.toads", "0"), ("count.1.face_up", "")]
    assert open_from_calculator(nobody, ("seats", "2"), *boxes).status_code == 302
    table = Table.objects.get()
    assert list_kinds(table) == ["count"]
    assert load_fresh_log(table).match.get_round(1).manual_counts[0].face_up == 12


ODD_COUNT = (("count.0.face_up", "11"), ("count.0.face_down", "1"), ("count.0.toads", "0"))
TOO_MANY_CARDS = (("count.1.face_up", "2"), ("count.1.face_down", "3"), ("count.1.toads", "1"), ("count.1.hand", "40"))


def test_invalid_counts_are_refused_with_the_reason(nobody):
    response = open_from_calculator(nobody, *ODD_COUNT)
    assert response.status_code == 422
    slip = parse_html(response.content.decode()).one(role="alert")
    assert "Ann" in slip.text and "11" in slip.text
    assert [a.attrs["href"].partition("#")[2] for a in slip.all("a", **{"class": "rule"})] == ["reverse-pair"]
    assert not Table.objects.exists() and not Circle.objects.exists() and not Entry.objects.exists()
    assert list_seated_names(response.content.decode()) == ["Ann", "Bo"]


def test_a_house_rule_lets_counts_from_the_calculator_be_kept(nobody):
    page = parse_html(open_from_calculator(nobody, *ODD_COUNT, *TOO_MANY_CARDS).content.decode())
    form = page.one("form", id="setup")
    form_fields = list_fields(page, form, find_button(page, form, value="insist"))
    assert [value for name, value in form_fields if name == "insist"] == ["reverse-pair", "deal"]
    assert nobody.send(NEW_TABLE_URL, form_fields).status_code == 302
    overruled = Entry.objects.values_list("overruled", flat=True)
    assert list(overruled) == [["reverse-pair"], ["deal"]]


def test_opening_as_usual_overrules_nothing(nobody):
    page = parse_html(open_from_calculator(nobody, *ODD_COUNT).content.decode())
    form = page.one("form", id="setup")
    assert nobody.send(NEW_TABLE_URL, list_fields(page, form, find_button(page, form, value="open"))).status_code == 422


def test_impossible_counts_link_back_to_the_calculator(nobody):
    page = parse_html(
        open_from_calculator(
            nobody, ("count.0.face_up", "12"), ("count.0.face_down", "1"), ("count.0.toads", "2")
        ).content.decode()
    )
    assert not [c for c in list_controls(page, page.one("form", id="setup")) if c.attrs.get("value") == "insist"]
    link = next(a for a in page.one(role="alert").all("a") if "?" in a.attrs["href"])
    calculator = parse_html(nobody.get(link.attrs["href"]).content.decode())
    assert calculator.one("input", name="count.0.toads").attrs["value"] == "2"
    assert calculator.one("input", name="seats", checked="").attrs["value"] == "2"


@pytest.mark.parametrize("word", ["-1", "x", "9" * 5000, "٣"])
def test_counts_that_are_not_numbers_are_refused(nobody, word):
    response = open_from_calculator(
        nobody, ("count.0.face_up", word), ("count.0.face_down", "1"), ("count.0.toads", "0")
    )
    assert response.status_code == 422
    assert not Table.objects.exists() and not Circle.objects.exists()


# The same form twice


def get_opening_form(person: Person) -> list[tuple[str, str]]:
    page = person.page("new-table", "take-that")
    form = page.one("form", id="setup")
    return [*list_fields(page, form, find_button(page, form, value="open")), ("seat", "n:Ann"), ("seat", "n:Bo")]


def test_a_form_that_is_sent_twice_opens_one_table(alice):
    before, opening_form = Table.objects.count(), get_opening_form(alice)
    first_response, second_response = alice.send(NEW_TABLE_URL, opening_form), alice.send(NEW_TABLE_URL, opening_form)
    assert first_response["Location"] == second_response["Location"]
    assert Table.objects.count() == before + 1


def test_a_first_form_sent_twice_creates_one_circle(nobody):
    opening_form = get_opening_form(nobody)
    twin = Person()
    twin.cookies.load({name: morsel.value for name, morsel in nobody.cookies.items()})
    first_response, second_response = nobody.send(NEW_TABLE_URL, opening_form), twin.send(NEW_TABLE_URL, opening_form)
    assert first_response["Location"] == second_response["Location"]
    assert Circle.objects.count() == Table.objects.count() == 1
    assert Device.objects.count() == 2
    for person in (nobody, twin):
        assert person.get(first_response["Location"]).status_code == 200


def test_a_form_left_open_for_long_opens_a_table_of_its_own(alice):
    before, opening_form = Table.objects.count(), get_opening_form(alice)
    alice.send(NEW_TABLE_URL, opening_form)
    Table.objects.update(opened_at=timezone.now() - timedelta(hours=1))
    assert alice.send(NEW_TABLE_URL, opening_form).status_code == 302
    assert Table.objects.count() == before + 2


def test_the_form_of_another_circle_opens_nothing_of_theirs(alice, stranger):
    opening_form = [pair for pair in get_opening_form(alice) if pair[0] != "person"]
    alice_response = alice.send(NEW_TABLE_URL, opening_form)
    response = stranger.send(NEW_TABLE_URL, opening_form)
    assert response.status_code == 302 and response["Location"] != alice_response["Location"]
    assert stranger.get(alice_response["Location"]).status_code == 404


def test_a_rematch_that_is_tapped_twice_is_one(alice):
    table = alice.open("the-game", names=("Ann", "Bo"))
    alice.enter(table, count__all__left=9)
    page = alice.page("table", table.public_id)
    form = next(form for form in page.all("form") if form.attrs["action"].endswith("/rematch/"))
    before = Table.objects.count()
    assert alice.submit(page, form)["Location"] == alice.submit(page, form)["Location"]
    assert Table.objects.count() == before + 1


def test_counts_from_the_calculator_go_to_a_pad(alice):
    alice.open(way="referee")
    page = parse_html(alice.get(NEW_TABLE_URL, {"seats": "2", "count.0.face_up": "12"}).content.decode())
    assert dict(list_fields(page, page.one("form", id="setup")))["way"] == "pad"


# Random seats and defaults


def test_seats_drawn_by_lot_keep_everybody_and_come_in_every_order(nobody):
    pairs = [("seat", f"n:{name}") for name in ("Ann", "Bo", "Cleo")]
    orders = {tuple(list_seated_names(post_form(nobody, "draw", *pairs).content.decode())) for _attempt in range(60)}
    assert len(orders) == 6 and {frozenset(order) for order in orders} == {frozenset({"Ann", "Bo", "Cleo"})}
    assert not Table.objects.exists()


def test_nobody_ticked_is_asked_for_names(nobody):
    page = parse_html(post_form(nobody, "open").content.decode())
    assert page.one(id="people").one(role="alert").text == "Who’s playing? Tap names, or type new ones."


def test_a_wrong_option_is_named_beside_the_options(nobody):
    page = parse_html(
        post_form(nobody, "open", ("seat", "n:Ann"), ("seat", "n:Bo"), ("option.rounds", "0")).content.decode()
    )
    assert page.one(id="people").all(role="alert") == []
    assert page.one(id="how").one(role="alert").text == "Rounds: 0 is not between 1 and 99."


@pytest.mark.parametrize(("names", "usual"), [(("Ann", "Bo"), "4"), (("Ann", "Bo", "Cleo"), "3"), ((), None)])
def test_the_default_number_of_rounds_is_the_placeholder(nobody, names, usual):
    url = reverse("new-table", args=["beavers-and-mice"])
    pairs = [("action", "add"), *(("seat", f"n:{name}") for name in names)]
    page = parse_html(nobody.send(url, pairs).content.decode())
    assert page.one("input", name="option.rounds").attrs.get("placeholder") == usual
