"""Players renamed, merged, left out and erased, by the pages that do it."""

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
from tests.web.people import Person, assert_all_pages_open, buttons, form_with, known, state


def player(name):
    return Player.objects.get(name=name)


def change(person, own, **sent):
    return person.send(reverse("change-player", args=[own.pk]), sent)


def finished(person, *names, game="any-game", points=None, **options):
    """A table of one round, counted and so over; the first name has most points, if nothing else is said."""
    table = person.open(game, names=names, rounds="1", **options)
    for seat in range(len(names)):
        total = points[seat] if points else 10 * (len(names) - seat)
        assert person.enter(table, **{f"count__{seat}__points": total}).status_code == 302
    table.refresh_from_db()
    assert table.is_over
    return table


def test_every_new_player_has_a_look_of_its_own(alice):
    for number in range(20):
        alice.open("any-game", names=(f"P{number}", f"Q{number}"))
    looks = list(Player.objects.values_list("colour", "sign"))
    assert len(set(looks)) == len(looks) == 43


def test_a_player_is_renamed_everywhere(alice, table):
    assert change(alice, player("Bo"), action="rename", name="  Bob ").status_code == 302
    assert "Bob" in alice.get(reverse("table", args=[table.public_id])).content.decode()
    assert not Player.objects.filter(name="Bo").exists()


@pytest.mark.parametrize("name", ["Ann", "", "   ", "x" * 41, "\u202e"])
def test_a_name_that_cannot_be_is_refused_and_stays_in_the_box(alice, table, name):
    before = state()
    response = change(alice, player("Bo"), action="rename", name=name)
    assert response.status_code == 422
    assert state() == before


def test_colour_and_sign_are_chosen_by_a_tap(alice, table):
    page = alice.page("change-player", player("Bo").pk)
    form, button = buttons(page, "look", "action")[0]
    alice.submit(page, form, button, colour="5", sign="boat")
    assert (player("Bo").colour, player("Bo").sign) == (5, "boat")
    for wrong in ({"colour": "99"}, {"sign": "<b>"}, {"colour": "x", "sign": ""}):
        change(alice, player("Bo"), action="look", **wrong)
    assert (player("Bo").colour, player("Bo").sign) == (5, "boat")


def test_who_is_left_out_is_not_offered_and_keeps_the_scores(alice):
    finished(alice, "Ann", "Bo")
    change(alice, player("Bo"), action="leave")
    page = alice.page("new-table", "take-that")
    assert "Bo" not in {element.text for element in page.all("label")}
    assert Seat.objects.filter(player=player("Bo")).count() == 2
    alice.open("take-that", names=("Ann", "Bo"))  # typed again: back again
    assert player("Bo").left_at is None
    change(alice, player("Bo"), action="leave")
    change(alice, player("Bo"), action="return")
    assert player("Bo").left_at is None


# Merging


def test_two_who_are_one_become_one_after_a_question(alice):
    finished(alice, "Ann", "Bo")
    finished(alice, "Annie", "Bo")
    alice.page("player", player("Ann").pk)
    kept, gone = player("Ann"), player("Annie")
    page = alice.page("change-player", kept.pk)
    form, button = buttons(page, "merge", "action")[0]
    response = alice.submit(page, form, button, other=str(gone.pk))
    assert response.status_code == 200 and Player.objects.filter(pk=gone.pk).exists()
    assert change(alice, kept, action="merge", other=gone.pk, sure="yes").status_code == 302
    assert not Player.objects.filter(pk=gone.pk).exists()
    assert SeatResult.objects.filter(player=kept, is_won=True).count() == 2
    assert not Rating.objects.exists()


def test_who_sat_at_one_table_together_are_two(alice, table):
    before = state()
    with pytest.raises(Malformed, match="They sat at the same table"):
        merge.merge_players(player("Ann"), player("Bo"), by=None)
    response = change(alice, player("Ann"), action="merge", other=player("Bo").pk, sure="yes")
    assert response.status_code == 422
    assert state() == before


def test_a_merge_without_a_second_tap_or_with_somebody_elses_player_changes_nothing(alice, stranger):
    finished(alice, "Annie", "Dora")
    before = state()
    change(alice, player("Ann"), action="merge", other=player("Annie").pk)
    change(alice, player("Ann"), action="merge", other=player("Xena").pk, sure="yes")
    change(alice, player("Ann"), action="merge", other=player("Ann").pk, sure="yes")
    assert state() == before


@pytest.mark.parametrize("name", ["ann", "ANN", "Ánn", "αννα", "ΑΝΝΑ"])
def test_a_name_that_differs_only_in_capitals_and_accents_is_taken(alice, table, name):
    alice.open(names=("Άννα", "Bo"))
    before = state()
    assert change(alice, player("Bo"), action="rename", name=name).status_code == 422
    assert state() == before


def test_a_player_may_write_the_same_name_otherwise(alice, stranger):
    alice.open(names=("αννα", "Bo"))
    stranger.open(names=("Άννα", "Xena"))
    own = player("αννα")
    for name in ("ΑΝΝΑ", "Άννα", "Άννα"):
        assert change(alice, own, action="rename", name=name).status_code == 302
        own.refresh_from_db()
        assert own.name == name


# Erasing

NAME = "Ευρυδίκη"


def bytes_of_database():
    """All that the database keeps in files, as it lies there."""
    path = Path(connection.settings_dict["NAME"])
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


@pytest.mark.skipif("sqlite" not in settings.DATABASES["default"]["ENGINE"], reason="the bytes of SQLite’s file")
@pytest.mark.django_db(transaction=True)
def test_an_erased_name_is_gone_from_the_bytes_of_the_database():
    person = Person()
    table = person.open("any-game", names=(NAME, "Bo"), name=f"{NAME} rummy", rounds="1")
    escaped = NAME.encode("unicode_escape")
    person.send(reverse("details", args=[table.public_id]), {
        "note": f"{NAME} came late. " * 9, "new_place": NAME, "day": "2026-11-01", "time": "20:00",
    })  # fmt: skip
    there = bytes_of_database()
    assert NAME.encode() in there and escaped in there
    assert change(person, player(NAME), action="erase", sure="yes").status_code == 302
    left = bytes_of_database()
    assert NAME.encode() not in left and escaped not in left


def test_an_erased_name_is_gone_from_every_page_and_the_scores_stay(alice):
    table = finished(alice, NAME, "Bo", name=f"{NAME} rummy")
    url = reverse("details", args=[table.public_id])
    sent = {"note": f"{NAME} won; {NAME.upper()}!", "new_place": f"Στης {NAME}", "day": "2026-11-01", "time": "20:00"}
    assert alice.send(url, sent).status_code == 302
    Device.objects.update(label=f"{NAME}’s phone")
    alice.page("player", player(NAME).pk)
    totals = known(table).match.standing.totals
    page = alice.page("change-player", player(NAME).pk)
    form, button = buttons(page, "erase", "action")[0]
    assert alice.submit(page, form, button).status_code == 200
    assert player(NAME)
    change(alice, player(NAME), action="erase", sure="yes")
    assert known(table).match.standing.totals == totals
    assert SeatResult.objects.filter(table=table).count() == 2
    assert_all_pages_open(alice, table)
    for url in (reverse("table", args=[table.public_id]), reverse("history"), reverse("players"), reverse("circle"),
                reverse("statistics"), reverse("game-statistics", args=["any-game"]), reverse("home"),
                reverse("new-table", args=["any-game"]), reverse("details", args=[table.public_id])):  # fmt: skip
        html = alice.get(url).content.decode()
        assert NAME.casefold() not in html.casefold(), url
    assert "a player" in alice.get(reverse("table", args=[table.public_id])).content.decode()


def test_a_name_within_a_longer_word_stays(alice, table):
    alice.send(reverse("note", args=[table.public_id]), {"note": "Bo and Bobby: Bo’s boat, O’Bo_1"})
    change(alice, player("Bo"), action="erase", sure="yes")
    table.refresh_from_db()
    assert table.note == "… and Bobby: …’s boat, O’Bo_1"


@pytest.mark.parametrize(
    ("name", "text", "left"),
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
def test_a_name_is_erased_however_it_is_written_and_all_else_stays_as_it_is(name, text, left):
    assert erase.build_redactor(name)(text) == left


def test_an_erased_name_is_gone_from_notes_and_places_whatever_its_accents(alice):
    table = alice.open(names=("Κώστας", "Bo"))
    sent = {"note": "ΚΩΣΤΑΣ ή κωστας", "new_place": "Σπίτι: κωστας", "day": "2026-11-01", "time": "20:00"}
    alice.send(reverse("details", args=[table.public_id]), sent)
    change(alice, player("Κώστας"), action="erase", sure="yes")
    table.refresh_from_db()
    assert (table.note, table.searchable_note.text, table.place.name) == ("… ή …", "… η …", "Σπίτι: …")


def test_a_name_of_nothing_but_marks_is_erased_as_it_stands():
    assert erase.build_redactor("\u0301\u0302")("a\u0301\u0302 b") == "a… b"


def test_a_sheet_whose_boxes_were_called_after_two_who_are_erased_still_adds_up(alice):
    table = alice.open("any-game", names=("Ann", "Bo"), categories="Ann,Bo,coins")
    for seat in (0, 1):
        alice.enter(table, **{f"count__{seat}__points": [3, 4, 5]})
    for name in ("Ann", "Bo"):
        change(alice, player(name), action="erase", sure="yes")
    assert known(table).match.standing.totals == (12, 12)
    assert len(set(known(table).match.options.categories)) == 3


def test_a_place_called_after_the_erased_one_becomes_the_place_of_that_name(alice, table):
    second = alice.open()
    for own, place in ((table, "…"), (second, "Bo")):
        sent = {"new_place": place, "day": "2026-11-01", "time": "20:00"}
        assert alice.send(reverse("details", args=[own.public_id]), sent).status_code == 302
    change(alice, player("Bo"), action="erase", sure="yes")
    assert Place.objects.count() == 1
    assert Table.objects.filter(place__name="…").count() == 2


def test_players_of_another_circle_do_not_exist(alice, table, stranger):
    for name in ("player", "change-player"):
        theirs = stranger.get(reverse(name, args=[player("Ann").pk]))
        none = stranger.get(reverse(name, args=[10**9]))
        assert theirs.status_code == none.status_code == 404
    before = state()
    for action in ("rename", "look", "leave", "return", "merge", "erase"):
        sent = {"action": action, "name": "Eve", "sure": "yes", "other": player("Xena").pk}
        assert change(stranger, player("Ann"), **sent).status_code == 404
    assert state() == before


def test_the_page_of_somebody_who_has_not_finished_a_match_says_so(alice, table):
    aggregation.catch_up(table.circle)
    page = alice.page("player", player("Ann").pk)
    assert page.one("p", **{"class": "empty"}).text
    assert form_with(alice.page("change-player", player("Ann").pk), name="Ann")
