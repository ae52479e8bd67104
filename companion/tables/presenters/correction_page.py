"""The page to correct an entry, or to insert one before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from companion.core.entry import EntryKind
from companion.core.match import Step
from companion.core.schema import parse_small_number
from companion.core.text import Text
from companion.tables.auth import TableAccess
from companion.tables.forms import pad
from companion.tables.forms.new_table import build_setting_fields
from companion.tables.forms.pad import Pad
from companion.tables.forms.play import PlayForm, build_play_forms
from companion.tables.models import Table
from companion.tables.presenters import score_sheet
from companion.tables.presenters.board_page import BoardPage, SettingForm, build_setting_forms

TEMPLATE = "tables/correction.html"


@dataclass(frozen=True)
class CorrectionPage(BoardPage):
    """An entry on the board as it was before it."""

    step: Step
    is_insertion: bool
    seat: int | None
    """Who played, if not the player on record."""
    values: Mapping[str, Sequence[str]]
    """Words typed but not recorded, by box."""

    is_correction = True
    undo_target = None
    news_url = ""
    """News would replace what has been picked."""

    @cached_property
    def text(self) -> Text:
        return score_sheet.describe_entry(self.match, self.step.action.kind, self.step.action.words, self.step.entry)

    @cached_property
    def form(self) -> Mapping[str, object]:
        """Hidden fields of the correction."""
        amend = EntryKind.INSERT if self.is_insertion else EntryKind.CORRECT
        return {**self.build_form(self.played), "way": "", "amend": amend, "target": self.step.action.number}

    @property
    def board_template(self) -> object:
        return super().board_template if self.mode else self.settings_template

    @cached_property
    def settings(self) -> tuple[SettingForm, ...]:
        """The form of the setting to correct; those of all settings if it cannot be read."""
        if self.mode:
            return ()
        if self.step.entry is None:
            return build_setting_forms(self.game, self.options)
        return (SettingForm(self.step.action.kind, build_setting_fields(self.step.entry)),)

    @cached_property
    def acting_seat(self) -> int | None:
        """Who played: the seat asked for, the one on record, or the one whose turn it was."""
        recorded = parse_small_number(self.step.action.words.get("seat", ""))
        if self.seat in range(self.played.seats):
            return self.seat
        return self.turn if self.is_insertion or recorded is None else recorded

    @property
    def play_forms(self) -> Sequence[PlayForm]:
        """The forms of the plain board; that of a play to correct is filled in."""
        if self.is_insertion:
            return super().play_forms
        return build_play_forms(self.played, self.turn, self.step.action.kind, self.step.action.words)

    @property
    def can_change_seat(self) -> bool:
        return self.mode == Table.Mode.REFEREE and len(self.names) > 1 and self.acting_seat is not None

    @cached_property
    def pad(self) -> Pad | None:
        """The boxes of the count to correct."""
        if self.mode != Table.Mode.PAD:
            return None
        kind, words, played = self.step.action.kind, self.step.action.words, self.played
        values = self.values or pad.encode_box_values(self.game, kind, words)
        seat = int(words["seat"]) if "seat" in words else None
        boxes = pad.build_boxes(self.game, played.options, played.seats, kind, seat, values)
        label = next((group.label for group in pad.build_groups(played, {}) if group.seat == seat), None)
        counts = (self.step.entry,) if self.step.entry is not None else ()
        is_exclusive = bool(self.access.visibility.hidden)
        preview = pad.build_preview(self.match, self.step.action.round, counts, exclusive=is_exclusive)
        return Pad(played, (pad.BoxGroup(kind, seat, boxes, label=label),), self.form, preview)


def build_correction_page(
    access: TableAccess,
    step: Step,
    *,
    is_insertion: bool,
    seat: int | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> CorrectionPage:
    """Return the page to correct an entry, or to insert one before it; `values` are words typed but not recorded."""
    mode: str = Table.Mode.PAD if step.action.kind in access.game.pad.counts else Table.Mode.REFEREE
    if step.action.kind in access.game.options.settings:
        mode = ""
    played = access.cached_log.log.match_before(step.action.number).get_round(step.action.round)
    return CorrectionPage(access, played, mode, step, is_insertion, seat, values or {})
