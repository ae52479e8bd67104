"""Context of the table page, the correction page and the display."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from secrets import token_urlsafe
from typing import Any

from django.template.loader import select_template
from django.urls import reverse

from companion import limits
from companion.core.entry import Entry, EntryKind
from companion.core.game import Game, get_setting
from companion.core.match import Match, Round, Step
from companion.core.schema import parse_small_number
from companion.people.models import Device
from companion.tables.auth import VIEWER, TableAccess
from companion.tables.forms import pad
from companion.tables.forms.new_table import OptionField, build_setting_fields
from companion.tables.forms.play import PlayForm, build_play_forms
from companion.tables.models import Table
from companion.tables.presenters import endings, score_chart, score_sheet, shared_pad
from companion.tables.services import saved_options
from companion.tables.services.details import get_duration

MODES = tuple(Table.Mode.values)
TABLE_TEMPLATE = "tables/table.html"
PLAIN_REFEREE = "tables/plain_referee.html"
CORRECTION_TEMPLATE = "tables/correction.html"


@dataclass(frozen=True)
class SettingForm:
    """Form of a setting that can still be changed at the table: its kind of entry, and its fields by name."""

    kind: str
    fields: Mapping[str, OptionField]


def build_table_context(
    access: TableAccess,
    *,
    mode: str = "",
    number: int = 0,
    values: Mapping[str, Sequence[str]] | None = None,
    is_for_all: bool = False,
) -> dict[str, Any]:
    """Return the context of the table page.

    `number` is the requested round, 0 for the current one; `values` are words typed but not recorded; with `is_for_all`
    a device that has a seat counts for the others as well.
    """
    match, log = access.match, access.cached_log.log
    played = get_round(match, number)
    devices = score_sheet.get_device_labels(access.cached_log, access.device)
    mode = get_mode(access, mode)
    is_for_all = is_for_all and access.seat is not None and mode == Table.Mode.PAD
    stage = _get_stage(access, played, mode, is_requested=number > 0)
    context = {
        **build_common_context(access),
        "stage": stage,
        "round_number": played.number,
        "title": score_sheet.format_round_title(match, match.last_number if stage == "final" else played.number),
        "changed_options": score_sheet.describe_options(match),
        "score_grid": score_sheet.build_score_grid(match),
        "ranked_sides": score_sheet.rank_sides(match),
        "lines": build_visible_log_lines(access, score_sheet.get_recent_entries(log), devices),
        "has_more_lines": len(log.entries) > score_sheet.RECENT_LINES,
        "unsettled": score_sheet.list_unsettled_entries(match, access.visibility.concealed),
        "unfinished": match.unfinished_rounds,
        "undo_target": _get_visible_target(log.undoable, access.visibility.hidden),
        "redo_target": _get_visible_target(log.redoable, access.visibility.hidden),
        "closing": endings.get_closing(access, devices),
        "binning": endings.get_binning(access),
    }
    if stage == "final":
        context |= _build_final_context(access, devices)
    return {
        **context,
        **build_board_context(access.game, played, mode, values or {}),
        **_build_settings_context(access, played),
        **_build_pad_context(access, played, mode, values or {}, is_for_all=is_for_all),
        "form": {**build_hidden_fields(access, played, mode), "all": "yes" if is_for_all else ""},
        "is_for_all": is_for_all,
        "next_pad": _build_next_pad(access, played, mode, is_for_all=is_for_all) if stage == "play" else None,
    }


def _build_next_pad(access: TableAccess, played: Round, mode: str, *, is_for_all: bool) -> dict[str, Any] | None:
    """Return the pad of the next round, for a device that goes offline; None if there is nothing to fill in."""
    match, number = access.match, played.number + 1
    last = match.game.scoring.round_count(match.options, match.seats) or limits.MAX_ROUNDS
    if mode != Table.Mode.PAD or played.number != match.current_number or number > last or not access.can_enter:
        return None
    next_round = replace(match, rounds={}).get_round(number)  # reused for all later rounds
    return {
        **_build_pad_context(access, next_round, mode, {}, is_for_all=is_for_all),
        "played": next_round,
        "number": number,
        "last": last,
        "title": score_sheet.format_round_title(match, number),
        "form": {**build_hidden_fields(access, next_round, mode), "all": "yes" if is_for_all else ""},
    }


def _get_visible_target(targets: Sequence[int], hidden: Container[int]) -> int | None:
    """Return the entry to undo or redo, unless it is hidden from the device."""
    return targets[-1] if targets and targets[-1] not in hidden else None


def _build_final_context(access: TableAccess, devices: Mapping[int, str]) -> dict[str, Any]:
    """Return the extra context of a finished match."""
    seats = access.table.seats.select_related("player")
    return {
        "minutes": get_duration(access.table),
        "score_chart": score_chart.build_score_chart(access.match, list(seats)),
        "entry_counts": score_sheet.count_entries_by_device(access.cached_log, devices),
        "corrections": score_sheet.count_corrections(access.cached_log.log),
    }


def _build_pad_context(
    access: TableAccess, played: Round, mode: str, values: Mapping[str, Sequence[str]], *, is_for_all: bool
) -> dict[str, Any]:
    """Return the boxes that this device fills in, and the progress of the others."""
    if mode != Table.Mode.PAD:
        return {}
    all_groups = pad.build_groups(played, values, access.visibility.concealed)
    groups, others = shared_pad.split_groups(access, all_groups, is_for_all=is_for_all)
    return {"groups": groups, "optional_boxes": pad.collect_optional_boxes(groups), "others": others}


def _build_settings_context(
    access: TableAccess, played: Round, only: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the forms of a round's settings, or of `only` these values by kind."""
    game = access.game
    if not game.options.settings:
        return {}
    settings = only or {kind: get_setting(played.options, cls) for kind, cls in game.options.settings.items()}
    template = select_template([f"games/{game.slug}/_settings.html", "tables/_settings.html"])
    forms = [
        SettingForm(kind, {field.name: field for field in build_setting_fields(setting)})
        for kind, setting in settings.items()
    ]
    offers = saved_options.list_saved_options(game, access.table.circle_id) if access.is_member else ()
    return {
        "settings": forms,
        "settings_template": template,
        "offers": offers,
        "is_new": not (played.plays or played.counts),
    }


def build_visible_log_lines(
    access: TableAccess, entries: Iterable[Entry], devices: Mapping[int, str] | None = None
) -> list[score_sheet.LogLine]:
    """Return lines of the log, without what is hidden from this device."""
    devices = score_sheet.get_device_labels(access.cached_log, access.device) if devices is None else devices
    view = access.visibility
    hidden_texts = {
        number: shared_pad.describe_hidden_entry(access.cached_log.log.entries[number - 1]) for number in view.hidden
    }
    return score_sheet.build_log_lines(
        access.cached_log,
        devices,
        viewer=access.device.pk,
        entries=entries,
        secrets=hidden_texts,
        concealed=view.concealed,
    )


def build_display_context(access: TableAccess) -> dict[str, Any]:
    """Return the context of the display: standing, round and turn."""
    access = replace(access, role=VIEWER, seat=None, device=Device())  # everybody in the room sees it
    match = access.match
    played = match.get_round(match.current_number)
    mode = get_mode(access, "")
    stage = _get_stage(access, played, mode, is_requested=False)
    referee = access.game.referee if mode == Table.Mode.REFEREE and stage == "play" else None
    _own, others = shared_pad.split_groups(access, pad.build_groups(played, {}, access.visibility.concealed))
    return {
        **build_common_context(access),
        "stage": stage,
        "title": score_sheet.format_round_title(match, match.last_number if stage == "final" else played.number),
        "score_grid": score_sheet.build_score_grid(match),
        "ranked_sides": score_sheet.rank_sides(match),
        "turn": referee.board(played.state).turn if referee else None,
        "counting": others if mode == Table.Mode.PAD and stage == "play" else (),
        "lines": build_visible_log_lines(access, score_sheet.get_recent_entries(access.cached_log.log)[:1]),
    }


def get_round(match: Match, number: int) -> Round:
    """Return the requested round if it exists, or the current one."""
    return match.get_round(number if 1 <= number <= match.last_number + 1 else match.current_number)


def get_mode(access: TableAccess, mode: str) -> str:
    """Return the requested mode, or the table's own if it is unknown or the game has no referee."""
    return mode if mode in MODES and access.game.referee else access.table.mode


def build_common_context(access: TableAccess) -> dict[str, Any]:
    """Return the context that all pages of a table share."""
    return {
        "table": access.table,
        "version": access.cached_log.version,
        "table_url": reverse("table", args=[access.table.public_id]),
        "record_url": reverse("record", args=[access.table.public_id]),
        "game": access.game,
        "table_title": access.game.get_table_title(access.match.options),
        "is_open_ended": access.game.scoring.round_count(access.match.options, access.match.seats) is None,
        "names": access.names,
        "match": access.match,
        "standing": access.match.standing,
        "is_closed": access.cached_log.log.is_closed,
        "is_read_only": access.cached_log.log.is_closed or not access.can_enter,
        "can_enter": access.can_enter,
        "is_member": access.is_member,
        "own_seat": access.seat,
    }


def build_board_context(game: Game, played: Round, mode: str, values: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the context of the pad or board, in the template of the game or the default one."""
    template = _select_board_template(game.slug, mode)
    context: dict[str, Any] = {"mode": mode, "board_template": template, "options": played.options, "played": played}
    if mode == Table.Mode.PAD:
        groups = pad.build_groups(played, values)
        return {
            **context,
            "groups": groups,
            "optional_boxes": pad.collect_optional_boxes(groups),
            "has_sum_boxes": pad.has_sum_boxes(groups),
        }
    board = game.referee.board(played.state) if game.referee else None
    turn = board.turn if board else None
    return {**context, "board": board, "turn": turn, "play_forms": _build_play_forms(template, played, turn)}


def _build_play_forms(template: Any, played: Round, turn: int | None) -> tuple[PlayForm, ...]:
    """Return the forms of the plain board; nothing if the game has a board of its own."""
    return build_play_forms(played, turn) if template.template.name == PLAIN_REFEREE else ()


@cache
def _select_board_template(slug: str, mode: str) -> Any:
    return select_template([f"games/{slug}/{mode}.html", f"tables/plain_{mode}.html"])


def build_hidden_fields(access: TableAccess, played: Round, mode: str) -> dict[str, Any]:
    """Return the hidden fields that identify the free slot; the key makes posting idempotent."""
    return {
        "key": token_urlsafe(12),
        "round": played.number,
        "place": len(played.plays) + 1,
        "seen": access.cached_log.version,
        "way": mode,
    }


def build_correction_context(
    access: TableAccess,
    step: Step,
    *,
    is_insertion: bool,
    seat: int | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Return the context for correcting an entry, or inserting one before it, on the board as it was then.

    `seat` is who played, if not the player on record.
    """
    before: Match = access.cached_log.log.match_before(step.action.number)
    played = before.get_round(step.action.round)
    is_count = step.action.kind in access.game.pad.counts
    mode = Table.Mode.PAD if is_count else Table.Mode.REFEREE
    entry = Entry(step.action.number, step.action.kind, step.action.words)
    context = {
        **build_common_context(access),
        **build_board_context(access.game, played, mode, {}),
        "step": step,
        "text": score_sheet.describe_log_entry(access.cached_log.log, entry),
        "title": score_sheet.format_round_title(before, step.action.round),
        "is_insertion": is_insertion,
        "is_correction": True,
        "form": {
            **build_hidden_fields(access, played, ""),
            "amend": EntryKind.INSERT if is_insertion else EntryKind.CORRECT,
            "target": step.action.number,
        },
    }
    if is_count:
        filled = values or pad.encode_box_values(access.game, step.action.kind, step.action.words)
        entry_seat = int(step.action.words["seat"]) if "seat" in step.action.words else None
        boxes = pad.build_boxes(access.game, played.options, played.seats, step.action.kind, entry_seat, filled)
        label = next((group.label for group in pad.build_groups(played, {}) if group.seat == entry_seat), None)
        group = pad.BoxGroup(step.action.kind, entry_seat, boxes, label=label)
        counts = (step.entry,) if step.entry is not None else ()
        preview = pad.build_preview(access.match, step.action.round, counts, exclusive=bool(access.visibility.hidden))
        optional_boxes, has_sum_boxes = pad.collect_optional_boxes((group,)), pad.has_sum_boxes((group,))
        context |= {
            "groups": (group,),
            "optional_boxes": optional_boxes,
            "has_sum_boxes": has_sum_boxes,
            "preview": preview,
        }
    elif step.action.kind in access.game.options.settings:
        context |= _build_settings_context(
            access, played, {step.action.kind: step.entry} if step.entry is not None else None
        )
        context |= {"board_template": context["settings_template"], "mode": ""}
    else:
        entry_seat = parse_small_number(step.action.words.get("seat", ""))
        default_seat = context["turn"] if is_insertion or entry_seat is None else entry_seat
        context["acting_seat"] = seat if seat in range(played.seats) else default_seat
        if not is_insertion:
            forms = build_play_forms(played, context["turn"], step.action.kind, step.action.words)
            context["play_forms"] = forms
    return context


def _get_stage(access: TableAccess, played: Round, mode: str, *, is_requested: bool) -> str:
    if access.cached_log.log.is_closed or (access.match.standing.is_over and not is_requested):
        return "final"
    is_manual = played.manual_counts or (is_requested and mode == Table.Mode.PAD)
    return "tally" if played.is_over and not played.is_settled and not is_manual else "play"
