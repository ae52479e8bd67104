"""Random joins, removals and entries at a table, compared with a simple model.

The model tracks who has which role and what was recorded, without doors, queries or the log cache.
"""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from django.db import transaction
from django.http import Http404
from django.test import RequestFactory
from django.urls import reverse

from companion.core.entry import EntryKind
from companion.core.notation import encode
from companion.core.schema import Malformed
from companion.games import get_games
from companion.people.auth import COOKIE_NAME, add_to_circle, hash_token
from companion.people.models import Circle, Device
from companion.people.services import InvalidInvitation, create_invitation, get_or_create_player, redeem_invitation
from companion.tables.auth import CIRCLE, SCORER, VIEWER, get_access_or_404
from companion.tables.log_cache import _CACHE, get_cached_log, load_log
from companion.tables.models import Attendance, Entry, Table
from companion.tables.services import entries, guests, tables
from tests.games.random_play import build_cases
from tests.releases.filling import RandomMatch
from tests.scale import choose_count
from tests.web.people import Person

pytestmark = pytest.mark.random

RECORDED = choose_count(80, 1_700, few=40)
"""Number of entries per game."""
PHONES = 7
LONGEST = 50
NAMES = ("Άννα", "Bo", "Cleo", "Δημήτρης", "Ελένη", "Freya", "Γιώργος", "Hugo")


class Party(RandomMatch):
    """An evening with a random phone for every entry, and a random change of roles before it."""

    def __init__(self, case, chance):
        self.circle = Circle.objects.create()
        players = [get_or_create_player(self.circle, name) for name in NAMES[: case.seats]]
        players += [get_or_create_player(self.circle, f"P{number}") for number in range(case.seats - len(players))]
        mode = "referee" if case.game.plays else "pad"
        options = encode(case.options)
        table = tables.open_table(self.circle, game=case.game, players=players, options=options, mode=mode)
        tokens = [f"{table.pk}-{number}-".ljust(43, "x") for number in range(PHONES)]
        phones = [Device.objects.create(token_hash=hash_token(token), label=f"Phone {token[:9]}") for token in tokens]
        super().__init__(table, case, phones, chance)
        self.tokens = dict(zip(phones, tokens, strict=True))
        self.members, self.guests, self.seats = set(), {}, {}
        self.recorded, self.code = [], None
        self.comes_by_key(phones[0])

    # Joining and leaving

    def somebody_moves(self):
        phone = self.chance.choice(self.devices)
        moves = [
            self.door_opens, self.door_shuts, self.comes_by_code, self.comes_by_code, self.comes_by_code,
            self.comes_by_key, self.takes_a_seat, self.takes_a_seat, self.changes_role, self.leaves,
            self.is_turned_out, self.is_turned_out_of_the_circle,
        ]  # fmt: skip
        self.chance.choice(moves)(phone)
        for moved in self.devices if self.sent % 10 == 0 else [phone]:
            self.check_role(moved)

    def door_opens(self, phone):
        role = self.chance.choice([SCORER, SCORER, VIEWER])
        self.code = guests.open_door(self.table, role=role, by=None).code, role

    def door_shuts(self, phone):
        guests.close_door(self.table, by=None)
        self.code = None

    def comes_by_code(self, phone):
        if self.code is None:
            return
        code, role = self.code
        guests.admit_guest(guests.get_door_by_code(code), phone)
        if phone not in self.members and self.guests.get(phone) != SCORER:
            self.guests[phone] = role
            if role == VIEWER:
                self.seats.pop(phone, None)

    def comes_by_key(self, phone):
        key = create_invitation(self.circle, by=None)
        with transaction.atomic():
            add_to_circle(phone, redeem_invitation(key))
        self.members.add(phone)
        with pytest.raises(InvalidInvitation):
            redeem_invitation(key)

    def takes_a_seat(self, phone):
        if self.role(phone) in (CIRCLE, SCORER):
            seat = self.chance.choice([*range(self.case.seats), None])
            guests.take_seat(self.table, seat, by=phone)
            self.seats[phone] = seat
            if phone in self.members:  # now seated as a member, no longer as a guest
                self.guests.pop(phone, None)

    def changes_role(self, phone):
        role = self.chance.choice([SCORER, VIEWER])
        guests.set_guest_role(self.table, phone.pk, role, by=None)
        if phone in self.guests:
            self.guests[phone] = role
            if role == VIEWER:
                self.seats[phone] = None
                self.code = None if self.code and self.code[1] == SCORER else self.code

    def leaves(self, phone):
        guests.leave_table(self.table, phone.pk)
        if self.guests.pop(phone, None):
            self.seats.pop(phone, None)

    def is_turned_out(self, phone):
        guests.remove_guest(self.table, phone.pk, by=None)
        if self.guests.pop(phone, None):
            self.seats.pop(phone, None)
            self.code = None

    def is_turned_out_of_the_circle(self, phone):
        if phone in self.members and len(self.members) > 1:
            guests.remove_member(phone, circle=self.circle, by=None)
            self.members.remove(phone)
            self.guests.pop(phone, None)
            self.seats.pop(phone, None)
            self.code = None

    # Entries

    def enter(self, kind, words, insists=False, **fields):
        """Enter from a random phone, sometimes one without access, and sometimes send it twice."""
        self.somebody_moves()
        scorers = [phone for phone in self.devices if self.role(phone) in (CIRCLE, SCORER)]
        phone = self.chance.choice(self.devices if self.chance.random() < 0.2 else scorers)
        if phone not in scorers:
            self.is_refused(phone, kind, words, fields)
        else:
            self.sent += 1
            rules = frozenset(map(str, self.case.game.rules)) if insists else frozenset()
            new_entry = entries.NewEntry(f"key-{self.sent:06d}", kind, words, insisted_rules=rules, **fields)
            for _attempt in range(self.chance.choice([1, 1, 1, 2])):
                self.sends(phone, new_entry)
        self.check_log()

    def sends(self, phone, draft):
        table = self.access(phone).table
        if draft.kind in (EntryKind.CLOSE, EntryKind.REOPEN) and self.role(phone) == SCORER:
            with pytest.raises(entries.NotAllowed):
                entries.record_entries(table, seats=self.case.seats, device=phone, new_entries=[draft])
            return
        with suppress(entries.EntryRefused, entries.NoSuchTarget, entries.TableClosed, Malformed, entries.SlotTaken):
            result = entries.record_entries(table, seats=self.case.seats, device=phone, new_entries=[draft])
            if result.new:
                self.recorded.append((len(self.recorded) + 1, draft.key, draft.kind, dict(draft.words), phone.pk))

    def is_refused(self, phone, kind, words, more):
        browser = Person()
        browser.cookies[COOKIE_NAME] = self.tokens[phone]
        form = {"key": "key-of-nobody", "kind": kind, **more, **words}
        answer = browser.send(reverse("record", args=[self.table.public_id]), form, htmx=True)
        assert answer.status_code == (403 if self.role(phone) == VIEWER else 404)

    # Invariants

    def role(self, phone):
        return CIRCLE if phone in self.members else self.guests.get(phone)

    def access(self, phone):
        request = RequestFactory().get("/")
        request.COOKIES[COOKIE_NAME] = self.tokens[phone]
        return get_access_or_404(request, self.table.public_id)

    def check_role(self, phone):
        try:
            access = self.access(phone)
        except Http404:
            assert self.role(phone) is None, "has a role, but gets 404"
        else:
            assert access.role == self.role(phone)
            assert access.can_enter is (self.role(phone) != VIEWER)
            assert access.seat == self.seats.get(phone), "another seat"

    def check_log(self):
        rows = Entry.objects.filter(table=self.table).order_by("number")
        assert list(rows.values_list("number", "key", "kind", "words", "device")) == self.recorded
        self.table.refresh_from_db()
        loaded = load_log(self.table, self.case.seats)
        assert self.table.version == len(self.recorded) == loaded.version
        assert get_cached_log(self.table, self.case.seats).log == loaded.log
        standing = loaded.match.standing
        assert (self.table.is_over, self.table.is_closed) == (standing.is_over, loaded.log.is_closed)
        if self.recorded:
            assert self.table.result["totals"] == list(standing.totals)
            assert self.table.result["ranks"] == list(standing.ranks)


@pytest.mark.parametrize("slug", get_games())
def test_phones_that_come_and_go_leave_a_consistent_log(slug, db):
    chance = random.Random(f"party {slug}")
    entry_count, undo_count, correction_count, entries_of_departed = 0, 0, 0, 0
    while entry_count < RECORDED or (
        not (undo_count and correction_count and entries_of_departed) and entry_count < 5 * RECORDED
    ):
        _CACHE._logs.clear()
        party = Party(chance.choice(build_cases(slug)), chance)
        party.play(LONGEST)
        kinds = [kind for _number, _key, kind, _words, _phone in party.recorded]
        entry_count += len(kinds)
        undo_count += kinds.count("undo")
        correction_count += kinds.count("correct")
        entries_of_departed += sum(
            phone not in {d.pk for d in party.devices if party.role(d)} for *_rest, phone in party.recorded
        )
    assert undo_count and correction_count, "no undo or no correction"
    assert entries_of_departed, "no phone left after entering something"
    assert Table.objects.count() == Circle.objects.count()
    assert Attendance.objects.exists()
