"""The pages for people around a table: its phones and guests, and the big screen."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from django.http import HttpRequest

from companion import limits
from companion.core.text import Text
from companion.people.join_codes import spell_code
from companion.people.models import Device
from companion.tables.auth import VIEWER, TableAccess
from companion.tables.models import Attendance, Door
from companion.tables.presenters.base_page import BasePage
from companion.tables.presenters.table_page import TablePage, build_table_page
from companion.tables.services import guests
from companion.web.qr import QrCode, build_join_qr


@dataclass(frozen=True)
class JoinCode:
    """What lets guests in while the door of a table is open."""

    door: Door
    qr_code: QrCode

    @cached_property
    def spoken(self) -> Sequence[Text]:
        """A word for each symbol of the code."""
        return spell_code(self.door.code or "")


@dataclass(frozen=True)
class GuestsPage(BasePage):
    """Who holds which phone, who may join, and whether counts are hidden."""

    join_code: JoinCode | None
    guests: Sequence[Attendance]
    seated: Sequence[Attendance]
    """The circle's devices that have taken a seat."""
    error: Text | None

    @property
    def limit(self) -> int | None:
        """The most phones at a table, once it is reached."""
        return limits.MAX_GUESTS if len(self.guests) + len(self.seated) >= limits.MAX_GUESTS else None


@dataclass(frozen=True)
class DisplayPage(TablePage):
    """Standing, round and turn, for everybody in the room to see."""

    join_code: JoinCode | None = None


def build_guests_page(request: HttpRequest, access: TableAccess, error: Text | None = None) -> GuestsPage:
    return GuestsPage(access, _build_join_code(request, access), *guests.list_attendances(access.table), error)


def build_display_page(request: HttpRequest, access: TableAccess) -> DisplayPage:
    page = build_table_page(replace(access, role=VIEWER, seat=None, device=Device()))
    parts = {field.name: getattr(page, field.name) for field in fields(page)}
    return DisplayPage(**parts, join_code=_build_join_code(request, access))


def _build_join_code(request: HttpRequest, access: TableAccess) -> JoinCode | None:
    """Return the code of an open door, for those who can enter something."""
    door = guests.get_open_door(access.table) if access.can_enter else None
    return JoinCode(door, build_join_qr(request, guests.build_link_secret(door))) if door else None
