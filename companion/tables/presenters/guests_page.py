"""The pages for people around a table: its phones and guests, and the big screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.http import HttpRequest

from companion import limits
from companion.core.text import Text
from companion.people.join_codes import spell_code
from companion.people.models import Device
from companion.tables.auth import VIEWER, TableAccess
from companion.tables.models import Attendance, Door
from companion.tables.presenters.base_page import BasePage
from companion.tables.presenters.score_sheet import LogLine
from companion.tables.presenters.shared_pad import SideProgress
from companion.tables.presenters.table_page import TablePage, build_table_page
from companion.tables.services import guests
from companion.tables.services.join_links import build_link_secret
from companion.web.qr import QrCode, build_join_qr


@dataclass(frozen=True)
class JoinCode:
    """What lets guests in while the door of a table is open."""

    door: Door
    code: str
    qr_code: QrCode

    @cached_property
    def spoken(self) -> Sequence[Text]:
        """A word for each symbol of the code."""
        return spell_code(self.code)

    @property
    def is_for_viewers(self) -> bool:
        return self.door.role == VIEWER


@dataclass(frozen=True)
class GuestsPage(BasePage):
    """Who holds which phone, who may join, and whether counts are hidden."""

    join_code: JoinCode | None
    guests: Sequence[Attendance]
    seated: Sequence[Attendance]
    """The circle's devices that have taken a seat."""
    error: Text | None

    @property
    def has_phones(self) -> bool:
        return bool(self.guests or self.seated)

    @property
    def limit(self) -> int | None:
        """The most phones at a table, once it is reached."""
        return limits.MAX_GUESTS if len(self.guests) + len(self.seated) >= limits.MAX_GUESTS else None

    @property
    def shows_door(self) -> bool:
        return self.is_member or self.join_code is not None


@dataclass(frozen=True)
class DisplayPage(TablePage):
    """Standing, round and turn, for everybody in the room to see."""

    join_code: JoinCode | None

    @property
    def turn(self) -> int | None:
        return super().turn if self.stage == "play" else None

    @property
    def verdict(self) -> Text | None:
        return self.standing.verdict if self.stage == "final" else None

    @property
    def counting(self) -> Sequence[SideProgress]:
        """How far the counts of the round are."""
        return self.others if self.stage == "play" else ()

    @property
    def newest_lines(self) -> Sequence[LogLine]:
        return self.lines[:1]


def build_guests_page(request: HttpRequest, access: TableAccess, error: Text | None = None) -> GuestsPage:
    attendances, seated = guests.list_attendances(access.table)
    return GuestsPage(access, _build_join_code(request, access), attendances, seated, error)


def build_display_page(request: HttpRequest, access: TableAccess) -> DisplayPage:
    page = build_table_page(replace(access, role=VIEWER, seat=None, device=Device()))
    fields = (page.access, page.played, page.mode, page.stage, page.values, page.is_for_all)
    return DisplayPage(*fields, join_code=_build_join_code(request, access))


def _build_join_code(request: HttpRequest, access: TableAccess) -> JoinCode | None:
    """Return the code of an open door, for those who can enter something."""
    door = guests.get_open_door(access.table) if access.can_enter else None
    if door is None or door.code is None:
        return None
    return JoinCode(door, door.code, build_join_qr(request, build_link_secret(door)))
