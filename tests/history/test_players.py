"""Tests of player pages: renaming, looks, merging and erasing."""

from pathlib import Path
from unicodedata import normalize

import pytest
from django.conf import settings
from django.db import connection
from django.urls import reverse

from companion.core.errors import Malformed
from companion.history.models import Rating, SeatResult
from companion.history.players import erase, merge
from companion.history.statistics import aggregation
from companion.people.models import Device, Player
from companion.tables.models import Place, Seat, Table
from tests.web.people import Person, assert_all_pages_open, dump_database, find_buttons, find_form, load_fresh_log


def get_player(name):
    return Player.objects.get(name=name)


def change_player(person, player, **fields):
    return person.send(reverse("change-player", args=[player.pk]), fields)


def play_table(person, *names, game="any-game", points=None, **options):
    """Play a table of one round to its end; by default the first player has the most points."""
    table = person.open(game, names=names, rounds="1", **options)
    for seat in range(len(names)):
        total = points[seat] if points else 10 * (len(names) - seat)
        assert person.enter(table, **{f"count__{seat}__points": total}).status_code == 302
    table.refresh_from_db()
    assert table.is_over
    return table


def test_new_players_have_distinct_looks(alice):
    for number in range(20):
        alice.open("any-game", names=(f"P{number}", f"Q{number}"))
    looks = list(Player.objects.values_list("colour", "sign"))
    assert len(set(looks)) == len(looks) == 43


def test_renaming_a_player_changes_their_tables(alice, table):
    assert change_player(alice, get_player("Bo"), action="rename", name="  Bob ").status_code == 302
    assert "Bob" in alice.get(reverse("table", args=[table.public_id])).content.decode()
    assert not Player.objects.filter(name="Bo").exists()


@pytest.mark.parametrize("name", ["Ann", "", "   ", "x" * 41, "\u202e"])
def test_invalid_names_are_rejected(alice, table, name):
    before = dump_database()
    response = change_player(alice, get_player("Bo"), action="rename", name=name)
    assert response.status_code == 422
    assert dump_database() == before


def test_colour_and_sign_can_be_changed(alice, table):
    page = alice.page("change-player", get_player("Bo").pk)
    form, button = find_buttons(page, "look", "action")[0]
    alice.submit(page, form, button, colour="5", sign="boat")
    assert (get_player("Bo").colour, get_player("Bo").sign) == (5, "boat")
    for wrong in ({"colour": "99"}, {"sign": "<b>"}, {"colour": "x", "sign": ""}):
        change_player(alice, get_player("Bo"), action="look", **wrong)
    assert (get_player("Bo").colour, get_player("Bo").sign) == (5, "boat")


def test_left_out_player_is_not_offered_and_keeps_scores(alice):
    play_table(alice, "Ann", "Bo")
    change_player(alice, get_player("Bo"), action="leave")
    page = alice.page("new-table", "take-that")
    assert "Bo" not in {element.text for element in page.all("label")}
    assert Seat.objects.filter(player=get_player("Bo")).count() == 2
    alice.open("take-that", names=("Ann", "Bo"))  # typing the name brings the player back
    assert get_player("Bo").left_at is None
    change_player(alice, get_player("Bo"), action="leave")
    change_player(alice, get_player("Bo"), action="return")
    assert get_player("Bo").left_at is None


# Merging


def test_merging_two_players_asks_for_confirmation(alice):
    play_table(alice, "Ann", "Bo")
    play_table(alice, "Annie", "Bo")
    alice.page("player", get_player("Ann").pk)
    player, duplicate = get_player("Ann"), get_player("Annie")
    page = alice.page("change-player", player.pk)
    form, button = find_buttons(page, "merge", "action")[0]
    response = alice.submit(page, form, button, other=str(duplicate.pk))
    assert response.status_code == 200 and Player.objects.filter(pk=duplicate.pk).exists()
    assert change_player(alice, player, action="merge", other=duplicate.pk, sure="yes").status_code == 302
    assert not Player.objects.filter(pk=duplicate.pk).exists()
    assert SeatResult.objects.filter(player=player, is_won=True).count() == 2
    assert not Rating.objects.exists()


def test_players_who_sat_at_one_table_cannot_be_merged(alice, table):
    before = dump_database()
    with pytest.raises(Malformed, match="They sat at the same table"):
        merge.merge_players(get_player("Ann"), get_player("Bo"), by=None)
    response = change_player(alice, get_player("Ann"), action="merge", other=get_player("Bo").pk, sure="yes")
    assert response.status_code == 422
    assert dump_database() == before


def test_merging_needs_confirmation_and_two_players_of_the_circle(alice, stranger):
    play_table(alice, "Annie", "Dora")
    before = dump_database()
    change_player(alice, get_player("Ann"), action="merge", other=get_player("Annie").pk)
    change_player(alice, get_player("Ann"), action="merge", other=get_player("Xena").pk, sure="yes")
    change_player(alice, get_player("Ann"), action="merge", other=get_player("Ann").pk, sure="yes")
    assert dump_database() == before


@pytest.mark.parametrize("name", ["ann", "ANN", "Ánn", "αννα", "ΑΝΝΑ"])
def test_names_are_unique_regardless_of_case_and_accents(alice, table, name):
    alice.open(names=("Άννα", "Bo"))
    before = dump_database()
    assert change_player(alice, get_player("Bo"), action="rename", name=name).status_code == 422
    assert dump_database() == before


def test_case_and_accents_of_a_name_can_be_changed(alice, stranger):
    alice.open(names=("αννα", "Bo"))
    stranger.open(names=("Άννα", "Xena"))
    player = get_player("αννα")
    for name in ("ΑΝΝΑ", "Άννα", "Άννα"):
        assert change_player(alice, player, action="rename", name=name).status_code == 302
        player.refresh_from_db()
        assert player.name == name


# Erasing

NAME = "Ευρυδίκη"


def read_database_files():
    """Return the bytes of all files of the database."""
    path = Path(connection.settings_dict["NAME"])
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


@pytest.mark.skipif("sqlite" not in settings.DATABASES["default"]["ENGINE"], reason="reads SQLite’s file")
@pytest.mark.django_db(transaction=True)
def test_erased_name_is_gone_from_the_database_files():
    person = Person()
    table = person.open("any-game", names=(NAME, "Bo"), name=f"{NAME} rummy", rounds="1")
    escaped = NAME.encode("unicode_escape")
    person.send(reverse("details", args=[table.public_id]), {
        "note": f"{NAME} came late. " * 9, "new_place": NAME, "day": "2026-11-01", "time": "20:00",
    })  # fmt: skip
    before = read_database_files()
    assert NAME.encode() in before and escaped in before
    assert change_player(person, get_player(NAME), action="erase", sure="yes").status_code == 302
    after = read_database_files()
    assert NAME.encode() not in after and escaped not in after


def test_erased_name_is_gone_from_every_page_and_scores_stay(alice):
    table = play_table(alice, NAME, "Bo", name=f"{NAME} rummy")
    url = reverse("details", args=[table.public_id])
    sent = {"note": f"{NAME} won; {NAME.upper()}!", "new_place": f"Στης {NAME}", "day": "2026-11-01", "time": "20:00"}
    assert alice.send(url, sent).status_code == 302
    Device.objects.update(label=f"{NAME}’s phone")
    alice.page("player", get_player(NAME).pk)
    totals = load_fresh_log(table).match.standing.totals
    page = alice.page("change-player", get_player(NAME).pk)
    form, button = find_buttons(page, "erase", "action")[0]
    assert alice.submit(page, form, button).status_code == 200
    assert get_player(NAME)
    change_player(alice, get_player(NAME), action="erase", sure="yes")
    assert load_fresh_log(table).match.standing.totals == totals
    assert SeatResult.objects.filter(table=table).count() == 2
    assert_all_pages_open(alice, table)
    for url in (reverse("table", args=[table.public_id]), reverse("history"), reverse("players"), reverse("circle"),
                reverse("statistics"), reverse("game-statistics", args=["any-game"]), reverse("home"),
                reverse("new-table", args=["any-game"]), reverse("details", args=[table.public_id])):  # fmt: skip
        html = alice.get(url).content.decode()
        assert NAME.casefold() not in html.casefold(), url
    assert "a player" in alice.get(reverse("table", args=[table.public_id])).content.decode()


def test_erasing_a_name_keeps_longer_words(alice, table):
    alice.send(reverse("note", args=[table.public_id]), {"note": "Bo and Bobby: Bo’s boat, O’Bo_1"})
    change_player(alice, get_player("Bo"), action="erase", sure="yes")
    table.refresh_from_db()
    assert table.note == "… and Bobby: …’s boat, O’Bo_1"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Κώστας", "ΚΩΣΤΑΣ, κωστας και ΚΏΣΤΑΣ: κώστασ!", "…, … και …: …!"),
        ("Κώστας", normalize("NFD", "Ο Κώστας ήρθε; Κώστας"), normalize("NFD", "Ο … ήρθε; …")),
        ("ΚΩΣΤΑΣ", "Κώστας", "…"),
        ("Κώστας", "Κώσταςς, τουΚώστας, Κώστας_1, 1Κώστας", "Κώσταςς, τουΚώστας, Κώστας_1, 1Κώστας"),
        ("Jose", "Café: José́ and José, naïve Josef", "Café: … and …, naïve Josef"),
        ("Strauß", "STRAUSS & strauss & Strauß & Strau & ßtrauß", "… & … & … & Strau & ßtrauß"),
        ("Strauss", "ß Strauß, Straß ß", "ß …, Straß ß"),
        ("Bo", "É Bo ßBo Boß ﬁBo: BÓ", "É … ßBo Boß ﬁBo: …"),
        ("Bo", "éBo Bób Bo", "éBo Bób …"),
        ("a a", "xa a a; á A", "xa …; …"),
        ("र", "रा रु र", "रा रु …"),
        ("가", "각 가 " + normalize("NFD", "각 가"), "각 … " + normalize("NFD", "각 …")),
        ("❤", "❤️!", "…️!"),
        ("İpek", "ipek İPEK İpek", "… … …"),
        (".*", "all .* is", "all … is"),
    ],
)
def test_redactor_replaces_whole_words_regardless_of_case_and_accents(name, text, expected):
    assert erase.build_redactor(name)(text) == expected


def test_erasing_redacts_notes_and_places_regardless_of_accents(alice):
    table = alice.open(names=("Κώστας", "Bo"))
    sent = {"note": "ΚΩΣΤΑΣ ή κωστας", "new_place": "Σπίτι: κωστας", "day": "2026-11-01", "time": "20:00"}
    alice.send(reverse("details", args=[table.public_id]), sent)
    change_player(alice, get_player("Κώστας"), action="erase", sure="yes")
    table.refresh_from_db()
    assert (table.note, table.searchable_note.text, table.place.name) == ("… ή …", "… η …", "Σπίτι: …")


def test_redactor_replaces_a_name_of_combining_marks():
    assert erase.build_redactor("\u0301\u0302")("a\u0301\u0302 b") == "a… b"


def test_categories_named_after_erased_players_stay_distinct(alice):
    table = alice.open("any-game", names=("Ann", "Bo"), categories="Ann,Bo,coins")
    for seat in (0, 1):
        alice.enter(table, **{f"count__{seat}__points": [3, 4, 5]})
    for name in ("Ann", "Bo"):
        change_player(alice, get_player(name), action="erase", sure="yes")
    assert load_fresh_log(table).match.standing.totals == (12, 12)
    assert len(set(load_fresh_log(table).match.options.categories)) == 3


def test_redacted_place_merges_into_one_of_the_same_name(alice, table):
    second = alice.open()
    for edited, place in ((table, "…"), (second, "Bo")):
        sent = {"new_place": place, "day": "2026-11-01", "time": "20:00"}
        assert alice.send(reverse("details", args=[edited.public_id]), sent).status_code == 302
    change_player(alice, get_player("Bo"), action="erase", sure="yes")
    assert Place.objects.count() == 1
    assert Table.objects.filter(place__name="…").count() == 2


def test_players_of_other_circles_are_not_found(alice, table, stranger):
    for name in ("player", "change-player"):
        theirs = stranger.get(reverse(name, args=[get_player("Ann").pk]))
        none = stranger.get(reverse(name, args=[10**9]))
        assert theirs.status_code == none.status_code == 404
    before = dump_database()
    for action in ("rename", "look", "leave", "return", "merge", "erase"):
        sent = {"action": action, "name": "Eve", "sure": "yes", "other": get_player("Xena").pk}
        assert change_player(stranger, get_player("Ann"), **sent).status_code == 404
    assert dump_database() == before


def test_page_of_a_player_without_finished_matches_says_so(alice, table):
    aggregation.catch_up(table.circle)
    page = alice.page("player", get_player("Ann").pk)
    assert page.one("p", **{"class": "empty"}).text
    assert find_form(alice.page("change-player", get_player("Ann").pk), name="Ann")
