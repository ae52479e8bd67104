"""What stands on the table page: which round, pad or referee, the tally to confirm, or the final sheet."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from secrets import token_urlsafe
from typing import Any

from django.template.loader import select_template
from django.urls import reverse

from companion import limits
from companion.core.game import Game, get_setting
from companion.core.log import CORRECT, INSERT, Entry
from companion.core.match import Match, Round, Step
from companion.core.schema import parse_small_number
from companion.people.models import Device
from companion.tables.auth import VIEWER, TableAccess
from companion.tables.forms import pad
from companion.tables.forms.new_table import OptionBox, setting_boxes
from companion.tables.models import Table
from companion.tables.presenters import endings, score_chart, score_sheet, shared_pad
from companion.tables.services import saved_options
from companion.tables.services.details import get_duration

WAYS = tuple(Table.Way.values)
TEMPLATE = "tables/table.html"
CORRECTION = "tables/correct.html"


@dataclass(frozen=True)
class SettingForm:
    """What may still be said of the options: the kind of the entry that says it, and its boxes by name."""

    kind: str
    boxes: Mapping[str, OptionBox]


def table_context(
    access: TableAccess,
    *,
    way: str = "",
    number: int = 0,
    values: Mapping[str, Sequence[str]] | None = None,
    is_for_all: bool = False,
) -> dict[str, Any]:
    """Everything that the table page prints; `is_for_all` where a phone with a seat counts for the others, too."""
    match, log = access.match, access.cached_log.log
    played = chosen_round(match, number)
    devices = score_sheet.device_labels(access.cached_log, access.device)
    way = chosen_way(access, way)
    is_for_all = is_for_all and access.seat is not None and way == Table.Way.PAD
    stage = _stage(access, played, way, is_asked=number > 0)
    context = {
        **common_context(access),
        "stage": stage,
        "round_number": played.number,
        "title": score_sheet.round_title(match, match.last if stage == "final" else played.number),
        "agreed": score_sheet.agreed(match),
        "sheet": score_sheet.sheet(match),
        "places": score_sheet.places(match),
        "lines": lines(access, score_sheet.last_entries(log), devices),
        "has_more_lines": len(log.entries) > score_sheet.LINES_IN_SIGHT,
        "unsettled": score_sheet.unsettled(match, access.visibility.concealed),
        "unfinished": match.unfinished,
        "undo_target": _last_seen(log.undoable, access.visibility.hidden),
        "redo_target": _last_seen(log.redoable, access.visibility.hidden),
        "closing": endings.closing_of(access, devices),
        "binning": endings.binning_of(access),
    }
    if stage == "final":
        context |= _final(access, devices)
    return {
        **context,
        **board_context(access.game, played, way, values or {}),
        **_settings(access, played),
        **_shared(access, played, way, values or {}, is_for_all=is_for_all),
        "form": {**form_fields(access, played, way), "all": "yes" if is_for_all else ""},
        "is_for_all": is_for_all,
        "next": _next_round(access, played, way, is_for_all=is_for_all) if stage == "play" else None,
    }


def _next_round(access: TableAccess, played: Round, way: str, *, is_for_all: bool) -> dict[str, Any] | None:
    """Return the pad of the round after the one that is played, for a phone that goes on without network.

    None where there is no such round, or nothing to fill in.
    """
    match, number = access.match, played.number + 1
    last = match.game.rounds(match.options, match.seats) or limits.MAX_ROUNDS
    if way != Table.Way.PAD or played.number != match.current or number > last or not access.can_enter:
        return None
    fresh = replace(match, rounds={}).round(number)  # and drawn for all later ones as well
    return {
        **_shared(access, fresh, way, {}, is_for_all=is_for_all),
        "played": fresh,
        "number": number,
        "last": last,
        "title": score_sheet.round_title(match, number),
        "form": {**form_fields(access, fresh, way), "all": "yes" if is_for_all else ""},
    }


def _last_seen(targets: Sequence[int], hidden: Container[int]) -> int | None:
    """What Undo or Redo is aimed at; nothing where that is hidden from the device."""
    return targets[-1] if targets and targets[-1] not in hidden else None


def _final(access: TableAccess, devices: Mapping[int, str]) -> dict[str, Any]:
    """What is printed of a match that has ended, beside its sheet."""
    seats = access.table.seats.select_related("player")
    return {
        "minutes": get_duration(access.table),
        "course": score_chart.course(access.match, list(seats)),
        "enterers": score_sheet.enterers(access.cached_log, devices),
        "corrections": score_sheet.corrections(access.cached_log.log),
    }


def _shared(
    access: TableAccess, played: Round, way: str, values: Mapping[str, Sequence[str]], *, is_for_all: bool
) -> dict[str, Any]:
    """The part of the pad that this device fills in, and how far the others are."""
    if way != Table.Way.PAD:
        return {}
    found = pad.groups(played, values, access.visibility.concealed)
    groups, others = shared_pad.shares(access, found, is_asked_for_all=is_for_all)
    return {"groups": groups, "extras": pad.extras(groups), "others": others}


def _settings(access: TableAccess, played: Round, only: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What may still be said of the options of a round, as it is now or as `only` has it, by the kind of its entry."""
    game = access.game
    if not game.settings:
        return {}
    found = only or {kind: get_setting(played.options, cls) for kind, cls in game.settings.items()}
    template = select_template([f"games/{game.slug}/_settings.html", "tables/_settings.html"])
    forms = [SettingForm(kind, {box.name: box for box in setting_boxes(own)}) for kind, own in found.items()]
    offers = saved_options.list_saved_options(game, access.table.circle_id) if access.is_member else ()
    return {
        "settings": forms,
        "settings_template": template,
        "offers": offers,
        "is_new": not (played.plays or played.counts),
    }


def lines(
    access: TableAccess, entries: Iterable[Entry], devices: Mapping[int, str] | None = None
) -> list[score_sheet.Line]:
    """Entries as lines of the log, as this device may read them."""
    devices = score_sheet.device_labels(access.cached_log, access.device) if devices is None else devices
    view = access.visibility
    secrets = {number: shared_pad.concealing_text(access.cached_log.log.entries[number - 1]) for number in view.hidden}
    return score_sheet.lines(
        access.cached_log, devices, own=access.device.pk, entries=entries, secrets=secrets, concealed=view.concealed
    )


def display_context(access: TableAccess) -> dict[str, Any]:
    """Standing, round and turn, for a screen in the room."""
    access = replace(access, role=VIEWER, seat=None, device=Device())  # the room sees it, whatever phone shows it
    match = access.match
    played = match.round(match.current)
    way = chosen_way(access, "")
    stage = _stage(access, played, way, is_asked=False)
    board = access.game.board(played.state) if way == Table.Way.REFEREE and stage == "play" else None
    _own, others = shared_pad.shares(access, pad.groups(played, {}, access.visibility.concealed))
    return {
        **common_context(access),
        "stage": stage,
        "title": score_sheet.round_title(match, match.last if stage == "final" else played.number),
        "sheet": score_sheet.sheet(match),
        "places": score_sheet.places(match),
        "turn": board.turn if board else None,
        "counting": others if way == Table.Way.PAD and stage == "play" else (),
        "lines": lines(access, score_sheet.last_entries(access.cached_log.log)[:1]),
    }


def chosen_round(match: Match, number: int) -> Round:
    """The round that an address asks for, or the one that is being played."""
    return match.round(number if 1 <= number <= match.last + 1 else match.current)


def chosen_way(access: TableAccess, way: str) -> str:
    """The way that an address asks for, or the table's own; there is no referee of a game without plays."""
    return way if way in WAYS and access.game.plays else access.table.way


def common_context(access: TableAccess) -> dict[str, Any]:
    """What every page of a table prints."""
    return {
        "table": access.table,
        "version": access.cached_log.version,
        "table_url": reverse("table", args=[access.table.public_id]),
        "record_url": reverse("record", args=[access.table.public_id]),
        "game": access.game,
        "called": access.game.name_of(access.match.options),
        "is_open_ended": access.game.rounds(access.match.options, access.match.seats) is None,
        "names": access.names,
        "match": access.match,
        "standing": access.match.standing,
        "is_closed": access.cached_log.log.is_closed,
        "is_fixed": access.cached_log.log.is_closed or not access.can_enter,
        "may_enter": access.can_enter,
        "is_of_circle": access.is_member,
        "own_seat": access.seat,
    }


def board_context(game: Game, played: Round, way: str, values: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The board: pad or referee, as the game draws it, or plain where it does not."""
    template = _board_template(game.slug, way)
    context: dict[str, Any] = {"way": way, "board_template": template, "options": played.options, "played": played}
    if way == Table.Way.PAD:
        groups = pad.groups(played, values)
        return {**context, "groups": groups, "extras": pad.extras(groups), "signs": pad.has_sums(groups)}
    board = game.board(played.state)
    return {**context, "board": board, "turn": board.turn}


@cache
def _board_template(slug: str, way: str) -> Any:
    return select_template([f"games/{slug}/{way}.html", f"tables/plain_{way}.html"])


def form_fields(access: TableAccess, played: Round, way: str) -> dict[str, Any]:
    """The hidden fields that tell which slot the page saw free; the key makes a resent form one entry."""
    return {
        "key": token_urlsafe(12),
        "round": played.number,
        "place": len(played.plays) + 1,
        "seen": access.cached_log.version,
        "way": way,
    }


def correction_context(
    access: TableAccess,
    step: Step,
    *,
    is_insertion: bool,
    seat: int | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """The board as it stood when an entry was made, to enter it anew, or to enter what was forgotten before it.

    `seat` is who has played, if not whoever is said to have.
    """
    before: Match = access.cached_log.log.before(step.act.number)
    played = before.round(step.act.round)
    is_count = step.act.kind in access.game.counts
    way = Table.Way.PAD if is_count else Table.Way.REFEREE
    entry = Entry(step.act.number, step.act.kind, step.act.words)
    context = {
        **common_context(access),
        **board_context(access.game, played, way, {}),
        "step": step,
        "text": score_sheet.log_text(access.cached_log.log, entry),
        "title": score_sheet.round_title(before, step.act.round),
        "is_insertion": is_insertion,
        "is_correction": True,
        "form": {
            **form_fields(access, played, ""),
            "amend": INSERT if is_insertion else CORRECT,
            "target": step.act.number,
        },
    }
    if is_count:
        filled = values or pad.values_of(access.game, step.act.kind, step.act.words)
        counted = int(step.act.words["seat"]) if "seat" in step.act.words else None
        boxes = pad.boxes(access.game, played.options, played.seats, step.act.kind, counted, filled)
        label = next((own.label for own in pad.groups(played, {}) if own.seat == counted), None)
        group = pad.Group(step.act.kind, counted, boxes, label=label)
        counts = (step.entry,) if step.entry is not None else ()
        seen = pad.preview(access.match, step.act.round, counts, alone=bool(access.visibility.hidden))
        extras, signs = pad.extras((group,)), pad.has_sums((group,))
        context |= {"groups": (group,), "extras": extras, "signs": signs, "preview": seen}
    elif step.act.kind in access.game.settings:
        context |= _settings(access, played, {step.act.kind: step.entry} if step.entry is not None else None)
        context |= {"board_template": context["settings_template"], "way": ""}
    else:
        said = parse_small_number(step.act.words.get("seat", ""))
        usual = context["turn"] if is_insertion or said is None else said
        context["acting"] = seat if seat in range(played.seats) else usual
    return context


def _stage(access: TableAccess, played: Round, way: str, *, is_asked: bool) -> str:
    if access.cached_log.log.is_closed or (access.match.standing.is_over and not is_asked):
        return "final"
    is_counted_by_hand = played.counted or (is_asked and way == Table.Way.PAD)
    return "tally" if played.is_over and not played.is_settled and not is_counted_by_hand else "play"
