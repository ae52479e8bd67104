import random
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from companion.history.queries import PAGE_SIZE
from companion.people.models import Player
from companion.tables.models import Place, Table
from companion.tables.presenters import score_sheet
from tests.web.html import Element, read
from tests.web.people import device_of, form_with, known, state, stuck


def listed(page: Element) -> list[str]:
    """The ids of the tables on a page of the history, in order."""
    links = [line.all("a")[0].attrs["href"] for line in page.one("ol", **{"class": "past"}).all("li")]
    return [link.strip("/").split("/")[-1] for link in links]


def all_listed(person, **query) -> list[list[str]]:
    """The pages of the history, one after the other, by their own links."""
    page = person.page("history", **query)
    found = [listed(page)]
    while links := page.all("nav", **{"class": "pages"}):
        url = reverse("history") + links[0].one("a").attrs["href"]
        page = read(person.get(url).content.decode())
        found.append(listed(page))
    return found


def make(person, count):
    """Tables of both games with changing players; their ids, the oldest first."""
    names = ["Ann", "Bo", "Cleo", "Dora"]
    return [
        person.open(("take-that", "the-game")[n % 2], names=(names[n % 4], names[(n + 1) % 4])).public_id
        for n in range(count)
    ]


def test_tables_are_listed_newest_first(alice, table):
    ids = [table.public_id, *make(alice, 3)]
    assert listed(alice.page("history")) == ids[::-1]


def test_a_circle_without_tables_has_an_empty_history(nobody):
    page = nobody.page("history")
    assert page.one("p", **{"class": "empty"}).text
    assert not page.all("ol", **{"class": "past"})


@pytest.mark.parametrize("count", [PAGE_SIZE - 1, PAGE_SIZE, 2 * PAGE_SIZE + 3])
def test_pages_follow_each_other_without_gaps_or_repeats(alice, table, count):
    ids = [table.public_id, *make(alice, count - 1)]
    pages = all_listed(alice)
    assert [own for page in pages for own in page] == ids[::-1]
    assert [len(page) for page in pages[:-1]] == [PAGE_SIZE] * (len(pages) - 1)
    assert pages[-1]


def test_a_table_opened_while_somebody_turns_the_pages_repeats_none(alice, table):
    ids = [table.public_id, *make(alice, PAGE_SIZE + 4)]
    first = alice.page("history")
    make(alice, 3)
    url = reverse("history") + first.one("nav", **{"class": "pages"}).one("a").attrs["href"]
    second = read(alice.get(url).content.decode())
    assert listed(first) + listed(second) == ids[::-1]


def test_the_list_can_be_narrowed_to_a_game_and_to_a_player(alice, table):
    make(alice, 24)
    for slug in ("take-that", "the-game"):
        wanted = list(Table.objects.filter(game=slug).order_by("-pk").values_list("public_id", flat=True))
        assert [own for page in all_listed(alice, game=slug) for own in page] == wanted
    for player in Player.objects.all():
        wanted = list(Table.objects.filter(seats__player=player).order_by("-pk").values_list("public_id", flat=True))
        assert [own for page in all_listed(alice, player=player.pk) for own in page] == wanted
    ann = Player.objects.get(name="Ann")
    both = Table.objects.filter(seats__player=ann, game="the-game").order_by("-pk").values_list("public_id", flat=True)
    assert [own for page in all_listed(alice, player=ann.pk, game="the-game") for own in page] == list(both)


def detailed(person, table, **changed):
    """Keeps details of a table, by its form."""
    page = person.page("details", table.public_id)
    form = form_with(page, new_place="")
    return person.submit(page, form, **changed)


def test_tables_are_ordered_by_when_they_were_played_and_pages_agree(alice, table):
    """Many that began in the same moment, and some of long ago."""
    ids = make(alice, 2 * PAGE_SIZE + 3)
    Table.objects.filter(public_id__in=ids[5:30]).update(began_at=datetime(2020, 5, 4, tzinfo=UTC))
    Table.objects.filter(public_id__in=ids[:3]).update(began_at=datetime(1999, 1, 1, tzinfo=UTC))
    wanted = list(Table.objects.order_by("-began_at", "-pk").values_list("public_id", flat=True))
    assert [own for page in all_listed(alice) for own in page] == wanted


def test_the_list_can_be_narrowed_to_a_place_and_to_a_time(alice, table):
    other = alice.open()
    assert detailed(alice, table, new_place="Στης Άννας", day="2024-02-29", time="21:30").status_code == 302
    place = Place.objects.get()
    assert listed(alice.page("history", place=place.pk)) == [table.public_id]
    for period, wanted in (("2024", table), ("2024-02", table), ("recent", other), (f"{other.began_at:%Y-%m}", other)):
        assert listed(alice.page("history", period=period)) == [wanted.public_id], period
    for period in ("2023", "2024-01", "2024-03"):
        assert alice.page("history", period=period).one("p", **{"class": "empty"}).text == "No tables found."


@pytest.mark.parametrize("name", ["στης μαρίας", "Στης Μαριας", "ΣΤΗΣ ΜΑΡΙΑΣ", "Στης Μαρίας"])
def test_a_place_written_with_other_capitals_and_accents_is_the_same_place(alice, table, stranger, name):
    detailed(stranger, stranger.open(), new_place=name)
    for own, place in ((table, "Στης Μαρίας"), (alice.open(), name)):
        detailed(alice, own, new_place=place)
    assert set(table.circle.places.values_list("name", flat=True)) == {"Στης Μαρίας"}
    assert Table.objects.filter(circle=table.circle, place__name="Στης Μαρίας").count() == 2


def test_of_two_places_written_alike_each_can_still_be_chosen(alice, table):
    for name in ("Home", "home"):
        own = Place.objects.create(circle=table.circle, name=name)
        Table.objects.filter(pk=alice.open().pk).update(place=own)
    for name, kept in (("Home", "Home"), ("home", "home"), ("HOME", "home"), ("Home", "Home"), ("HOME", "Home")):
        detailed(alice, table, new_place=name)
        table.refresh_from_db()
        assert table.place.name == kept


def test_a_place_that_no_table_is_at_any_more_is_dropped(alice, table, stranger):
    second = alice.open()
    detailed(stranger, stranger.open(), new_place="Hmoe")
    names = table.circle.places.order_by("name").values_list("name", flat=True)
    for own, place, left in (
        (table, "Hmoe", ["Hmoe"]),
        (second, "Hmoe", ["Hmoe"]),
        (table, "Home", ["Hmoe", "Home"]),
        (second, "Home", ["Home"]),
        (second, "home", ["Home"]),
    ):
        detailed(alice, own, new_place=place)
        assert list(names.all()) == left
    alice.submit(page := alice.page("details", table.public_id), form_with(page, new_place=""), place="")
    assert list(names.all()) == ["Home"]
    Table.objects.filter(pk=second.pk).update(binned_at=timezone.now())
    detailed(alice, table, new_place="Garden")
    detailed(alice, table, new_place="Roof")
    assert list(names.all()) == ["Home", "Roof"]
    assert stranger.page("history") and Place.objects.filter(name="Hmoe").count() == 1


def test_unfinished_tables_are_told_apart(alice, table):
    closed = alice.open()
    alice.enter(closed, kind="close")
    assert listed(alice.page("history", unfinished="yes")) == [table.public_id]
    lines = alice.page("history").one("ol", **{"class": "past"}).all("li")
    assert ["not finished" in line.text for line in lines] == [False, True]


@pytest.mark.parametrize("query", ["ΆΝΝΑ", "αννα", "άννα bo", "στης μαριας", "ΒΡΟΧΗΣ", "  βροχης  Bo ", "100%_"])
def test_names_places_and_notes_are_found_without_accents_and_capitals(alice, table, query):
    own = alice.open("the-game", names=("Άννα", "Bo"))
    detailed(alice, own, new_place="Στης Μαρίας", note="Βραδιά της βροχής, 100%_ sure")
    assert listed(alice.page("history", q=query)) == [own.public_id]


@pytest.mark.parametrize("query", ["Zoe", "Άννα Cleo", "100%x", "_", "' OR 1=1", "βροχής ήλιος"])
def test_every_word_must_be_there_and_signs_mean_themselves(alice, query):
    own = alice.open("the-game", names=("Άννα", "Bo"))
    detailed(alice, own, note="Βραδιά της βροχής, 100% sure")
    assert alice.page("history", q=query).one("p", **{"class": "empty"}).text == "No tables found."


def test_a_search_goes_on_to_the_next_page(alice, table):
    make(alice, PAGE_SIZE * 2)
    wanted = list(Table.objects.filter(seats__player__name="Dora").order_by("-pk").values_list("public_id", flat=True))
    assert [own for page in all_listed(alice, q="dora") for own in page] == wanted


def test_when_and_where_a_table_was_can_be_said_afterwards(alice, table):
    for seat in range(3):
        alice.count(table, seat, 2, 5, 1, insist="deal")
    alice.enter(table, kind="close")
    assert detailed(alice, table, new_place="Home", day="2026-01-06", time="19:15", minutes="47").status_code == 302
    table.refresh_from_db()
    assert timezone.localtime(table.began_at).strftime("%Y-%m-%d %H:%M") == "2026-01-06 19:15"
    assert table.ended_at - table.began_at == timedelta(minutes=47)
    text = alice.page("table", table.public_id).text
    assert "47 minutes" in text and "Home" in text
    page = alice.page("details", table.public_id)
    again = alice.submit(page, form_with(page, new_place=""))
    assert again.status_code == 302
    before = table.began_at, table.ended_at, table.place
    table.refresh_from_db()
    assert (table.began_at, table.ended_at, table.place) == before, "keeping what is there changes nothing"


@pytest.mark.parametrize(
    "wrong",
    [{"day": ""}, {"day": "2026-02-30"}, {"day": "1776-07-04"}, {"day": "2999-01-01"}, {"time": "25:00"},
     {"minutes": "-1"}, {"minutes": "99999"}, {"minutes": "x"}, {"new_place": "x" * 41}, {"note": "x" * 501}],
)  # fmt: skip
def test_details_that_cannot_be_are_refused_and_stay_in_the_form(alice, table, wrong):
    alice.enter(table, kind="close")
    before = state()
    response = detailed(alice, table, **wrong)
    assert response.status_code == 422
    page = read(response.content.decode())
    ((name, word),) = wrong.items()
    assert page.one("div", role="alert").text
    kept = page.one("textarea").text if name == "note" else page.one("input", id=name.replace("_", "-")).attrs["value"]
    assert kept == word
    assert state() == before


def test_a_table_lasts_from_when_it_was_opened_until_it_is_over(alice, table):
    assert table.ended_at is None
    alice.enter(table, kind="close")
    table.refresh_from_db()
    ended = table.ended_at
    assert ended > table.began_at
    alice.enter(table, kind="reopen")
    table.refresh_from_db()
    assert table.ended_at is None
    alice.enter(table, kind="close")
    table.refresh_from_db()
    assert table.ended_at > ended


def test_what_is_chosen_stays_chosen_in_the_form(alice, table):
    ann = Player.objects.get(name="Ann")
    page = alice.page("history", game="take-that", player=ann.pk)
    chosen = [option.attrs["value"] for option in page.all("option") if "selected" in option.attrs]
    assert chosen == ["take-that", str(ann.pk)]


def test_the_bin_holds_what_was_put_away_and_nothing_else(alice, table):
    ids = make(alice, 4)
    for own in ids[:2]:
        alice.send(reverse("bin-table", args=[own]), [])
    assert listed(alice.page("bin")) == ids[1::-1]
    assert listed(alice.page("history")) == [*ids[:1:-1], table.public_id]


def test_a_finished_table_shows_its_totals_by_rank(alice, table):
    for number in (1, 2):
        for seat, counts in enumerate([(2, 5, 1), (12, 3, 0), (4, 4, 0)]):
            alice.count(table, seat, *counts, round=number, insist="deal")
    (line,) = alice.page("history").one("ol", **{"class": "past"}).all("li")
    shown = [span.text for span in line.one("span", **{"class": "names"}).all("span") if span.all("bdi")]
    assert shown == ["Bo 18", "Cleo 0", "Ann −14"]
    assert [span.text for span in line.all("span", **{"class": "won"})] == ["Bo 18"]


def test_a_table_is_on_the_first_page_until_it_is_over(alice, table):
    address = reverse("table", args=[table.public_id])
    assert address in [link.attrs["href"] for link in alice.page("home").all("a")]
    alice.enter(table, kind="close")
    assert address not in [link.attrs["href"] for link in alice.page("home").all("a")]


def entered_by(person, table) -> list[str]:
    """What the page of the log says of phones: the line about all of them, and what stands behind every time."""
    page = person.page("log", table.public_id)
    return [
        part.text for part in (*page.all("p", **{"class": "soft"}), *page.one("ol", **{"class": "log"}).all("time"))
    ]


def test_the_log_says_which_phone_entered_how_much_and_nothing_of_phones_that_nobody_knows(alice, mate, table):
    for phone in (alice, mate, mate):
        phone.enter(table, kind="close")
        phone.enter(table, kind="reopen")
    total, *times = entered_by(alice, table)
    assert total.startswith("Entered by:") and total.endswith(" (4), " + device_of(alice).label + " (2)")
    assert [time.partition(" · ")[2] for time in times] == [device_of(mate).label] * 4 + [""] * 2
    device_of(mate).delete()
    assert entered_by(alice, table)[0] == f"Entered by: unknown phones (4), {device_of(alice).label} (2)"
    assert score_sheet.count_entries_by_device(known(table), {}) == []


# The copy for lists


def copied(table):
    """What the log says now, as the row should have it."""
    folded = known(table)
    standing = folded.match.standing
    result = {
        "totals": list(standing.totals),
        "ranks": list(standing.ranks),
        "rounds": len(folded.match.finished_rounds),
    }
    return standing.is_over, folded.log.is_closed, result, folded.version


def row(table):
    table.refresh_from_db()
    return table.is_over, table.is_closed, table.result, table.version


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.random
def test_the_copy_for_lists_equals_the_folded_log_after_every_entry_of_a_random_evening(alice, seed):
    chance = random.Random(seed)
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds=str(chance.randint(1, 4)))
    for _turn in range(40):
        number = len(known(table).log.entries)
        kinds = ["count", "count", "count", "extend", "correct", "strike", "undo", "redo", "close"]
        kind = "reopen" if known(table).log.is_closed else chance.choice(kinds)
        words = {
            "count.0.face_up": 2 * chance.randint(0, 9),
            "count.0.face_down": chance.randint(1, 9),
            "count.0.toads": chance.randint(0, 1),
        }
        insist = ["deal", "match", "turn", "extend-within-ten"]
        played, target = chance.randint(1, known(table).match.last_number + 1), chance.randint(1, number + 1)
        if kind == "count":
            seat = chance.randint(0, 2)
            alice.enter(
                table, round=played, insist=insist, **{name.replace(".0.", f".{seat}."): n for name, n in words.items()}
            )
        elif kind == "extend":
            alice.enter(
                table, round=played, kind=kind, seat=chance.randint(0, 2), card=chance.randint(12, 98), insist=insist
            )
        elif kind == "correct":
            alice.enter(table, amend=kind, target=target, round=played, insist=insist, **words)
        else:
            log = known(table).log
            aimed = {"undo": log.undoable[-1:], "redo": log.redoable[-1:]}.get(kind, (target,))
            alice.enter(table, kind=kind, target=aimed[0] if aimed else target)
        if known(table).log.entries:
            assert row(table) == copied(table)
    assert known(table).version > 12


def test_the_copy_of_a_refereed_game_changes_only_when_it_is_confirmed(alice):
    table = stuck(alice)
    assert row(table) == copied(table)
    assert not table.is_over
    alice.enter(table, kind="confirm")
    assert row(table) == copied(table)
    assert table.is_over
    alice.enter(table, kind="undo", target=known(table).log.undoable[-1])
    assert row(table) == copied(table)
    assert not table.is_over
