"""Options of Sideboards that a circle can reuse."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.game import Preset
from companion.core.schema import encode_field
from companion.core.text import _
from companion.games.sideboards.plays import SINGLE_KIND_GOALS, TWO_LINE_GOALS, Options, RowKind


def list_presets(options: Options) -> tuple[Preset, ...]:
    """Return the options to reuse for each goal; a preset without values is filled in from the saved one."""
    return tuple(_iter_presets(options))


def _iter_presets(options: Options) -> Iterator[Preset]:
    colour = ("colour_goal", "colour_pattern", "colour_points") if options.colour_pattern else ()
    yield _build_goal_preset(options, "colour", options.colour_goal, colour)
    handle = ("handle_goal", "handle_pattern", "handle_points") if options.handle_pattern else ()
    yield _build_goal_preset(options, "handle", options.handle_goal, handle)
    if options.row_goal in SINGLE_KIND_GOALS:
        yield _build_goal_preset(
            options, "row", options.row_goal, () if options.row_of is RowKind.USUAL else ("row_goal", "row_of")
        )
    if options.row_goal in TWO_LINE_GOALS:
        yield _build_goal_preset(options, "row", options.row_goal, ("row_goal", "lines") if options.lines else ())


def _build_goal_preset(options: Options, kind: str, goal: int, names: tuple[str, ...]) -> Preset:
    words = {name: encode_field(Options, name, getattr(options, name)) for name in names}
    return Preset(f"{kind}-{goal}", _("Goal {n}", n=goal), words)
