"""A match as plain text, one entry a line: reading it, writing it, and judging it line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from companion.core.game import OPEN, Game, Options, get_setting
from companion.core.match import Action, Match, Round, Step
from companion.core.notation_lexer import HEADER, ROUND, NotationError, NotationLine, quote_word, read_lines
from companion.core.schema import (
    Malformed,
    decode,
    describe_shape,
    display_word,
    encode,
    field_names,
    is_optional,
    parse_whole_number,
)
from companion.core.text import Text, _


@dataclass(frozen=True)
class LineVerdict:
    """What became of a line: the rules it breaks, whether it was recorded, and where file and rules disagree."""

    line: int
    text: str
    kind: str
    words: Mapping[str, str] = field(default_factory=dict)
    round: int = 0
    broken_rules: tuple[str, ...] = ()
    """The rule of each violation, in the order of `reasons`."""
    reasons: tuple[Text, ...] = ()
    is_recorded: bool = False
    problem: Text | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules broken, each once."""
        return tuple(dict.fromkeys(self.broken_rules))


@dataclass(frozen=True)
class Replay:
    """A file judged: a verdict for every line that says something, and the match that the recorded lines make."""

    match: Match
    verdicts: tuple[LineVerdict, ...] = ()

    @property
    def problems(self) -> tuple[LineVerdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.problem)

    @property
    def rounds(self) -> tuple[Round, ...]:
        return get_scored_rounds(self.match)


def get_scored_rounds(match: Match) -> tuple[Round, ...]:
    """The rounds that are over, whether or not anybody confirmed them: a file has no one to ask."""
    return tuple(played for _n, played in sorted(match.rounds.items()) if played.is_scored)


def replay_notation(text: str, games: Mapping[str, Game]) -> Replay:
    """Judges a file. Raises NotationError, with the number of the line."""
    lines = list(read_lines(text))
    head = list(takewhile(lambda line: line.word in HEADER, lines))
    match = _opened(head, games)
    verdicts: list[LineVerdict] = []
    goes_on = 0  # the round that a line has chosen, until it is over
    for line in lines[len(head) :]:
        if line.word in HEADER:
            raise NotationError(line.number, _("“{word}” must come before the first entry.", word=line.word))
        if line.word in ("=", "=="):
            verdicts.append(_compared(match, line))
        elif line.word == ROUND:
            goes_on = _chosen(match, line)
        else:
            is_open = goes_on and not match.get_round(goes_on).is_scored
            verdict, match = _entered(match, line, goes_on if is_open else _next_round(match))
            verdicts.append(verdict)
    return Replay(match, tuple(verdicts))


def _opened(head: Sequence[NotationLine], games: Mapping[str, Game]) -> Match:
    """The empty match that the first lines describe."""
    game: Game | None = None
    seats = 0
    options: dict[str, str] = {}
    for line in head:
        try:
            if line.word != "option" and [other.word for other in head].count(line.word) > 1:
                raise Malformed(_("The field “{name}” is given twice.", name=line.word))
            match line.word:
                case "game":
                    game = games.get(line.words["is"])
                    if game is None:
                        raise Malformed(_("There is no game called “{name}”.", name=display_word(line.words["is"])))
                case "seats":
                    seats = parse_whole_number(line.words["is"])
                case _:
                    if twice := line.repeated_field or next(iter(line.words.keys() & options.keys()), ""):
                        raise Malformed(_("The field “{name}” is given twice.", name=display_word(twice)))
                    options.update(line.words)
        except Malformed as error:
            raise NotationError(line.number, error.text) from None
    if game is None:
        raise NotationError(1, _("The first line must name the game."))
    try:
        return Match(game, build_options(game, seats, options), seats)
    except Malformed as error:
        said = (line.number for line in head if error.field in (line.word, *line.words))
        raise NotationError(next(said, 1), error.text) from None


def build_options(game: Game, seats: int, words: Mapping[str, str]) -> Options:
    """The options of a table. Raises Malformed, also for a number of seats that the game does not have."""
    if seats not in game.seats:
        least, most = game.seats[0], game.seats[-1]
        raise Malformed(
            _("{title} is for {least} to {most} players.", title=game.title, least=least, most=most), "seats"
        )
    options = decode(game.options, words)
    if not 0 <= options.dealer < seats:
        raise Malformed(_("There is no seat {n} at this table.", n=options.dealer + 1), "dealer")
    for violation in game.check_options(options, seats):
        raise Malformed(violation.message, "option")
    return options


def _entered(match: Match, line: NotationLine, number: int) -> tuple[LineVerdict, Match]:
    """An entry of a round: recorded when it is legal or insisted upon; a refused one changes nothing."""
    if line.word not in match.game.kinds:
        raise NotationError(
            line.number, _("{title} has no “{word}”.", title=match.game.title, word=display_word(line.word))
        )
    insisted = line.rules if line.mark == "~" else ()
    act = Action(line.number, number, line.word, line.words, insisted)
    step = match.judge(act)
    malformed = step.malformed or (
        _("The field “{name}” is given twice.", name=line.repeated_field) if line.repeated_field else None
    )
    if malformed is not None and line.mark != "!":
        raise NotationError(line.number, malformed)
    broken = tuple(str(violation.rule) for violation in step.violations)
    reasons = (malformed,) if malformed else tuple(violation.message for violation in step.violations)
    recorded = step.is_valid and line.mark != "!"
    verdict = LineVerdict(line.number, line.text, line.word, line.words, act.round, broken, reasons, recorded)
    verdict = replace(verdict, problem=_disagreement(line, verdict, malformed))
    return verdict, match.record(act) if recorded else match


def _next_round(match: Match) -> int:
    """The round that an entry belongs to: the last one until it is over, then the next."""
    return match.last_number + 1 if match.get_round(match.last_number).is_scored else match.last_number


def _chosen(match: Match, line: NotationLine) -> int:
    """The round that a line chooses: one that has begun, or the one after those."""
    try:
        number = parse_whole_number(line.words["is"])
    except Malformed as error:
        raise NotationError(line.number, error.text) from None
    if not 1 <= number <= match.last_number + 1:
        raise NotationError(line.number, _("There is no such round."))
    return number


def _disagreement(line: NotationLine, verdict: LineVerdict, malformed: Text | None) -> Text | None:
    """Where the file says one thing and the rules another."""
    found = ", ".join(verdict.rules)
    missing = ", ".join(rule for rule in line.rules if rule not in verdict.rules)
    match line.mark:
        case "!" if not verdict.rules and malformed is None:
            return _("This should have been refused, and it is legal.")
        case "!" | "~" if missing:
            return _("This should break {missing}; it breaks {found}.", missing=missing, found=found or "nothing")
        case "" | "~" if not verdict.is_recorded:
            return _("This is refused: {reasons}", reasons=verdict.reasons)
    return None


def _compared(match: Match, line: NotationLine) -> LineVerdict:
    """A line of points against what the round, or all rounds so far, have scored."""
    try:
        said = tuple(_points(part.strip()) for part in line.words["points"].split(","))
    except Malformed as error:
        raise NotationError(line.number, error.text) from None
    last = match.get_round(match.last_number)
    if line.word == "==":
        found: tuple[int | None, ...] = match.standing_after(get_scored_rounds(match)).totals
    elif last.sheet is not None:
        found = last.sheet.points
    else:
        return LineVerdict(line.number, line.text, line.word, problem=_("No round has been finished here."))
    problem = None
    if found != said:
        problem = _("The points are {found}.", found=_written_points(found))
    return LineVerdict(line.number, line.text, line.word, round=last.number, problem=problem)


def _points(word: str) -> int | None:
    """The points of a side; None where they are still open. Raises Malformed."""
    return None if word == OPEN else parse_whole_number(word)


def _written_points(points: Sequence[int | None]) -> str:
    return ",".join(OPEN if own is None else str(own) for own in points)


def write_notation(match: Match) -> str:
    """A match in notation, with the points after every round, such that reading it gives the same points.

    What had no effect is left out; what has happened against a rule is written as insisted upon.
    """
    lines = [f"game {match.game.slug}", f"seats {match.seats}"]
    lines += [f"option {name}={quote_word(word)}" for name, word in encode(match.options).items()]
    following, options = 1, match.options
    for number, played in sorted(match.rounds.items()):
        if number != following:
            lines.append(f"{ROUND} {number}")
        following = number + 1 if played.is_scored else number
        lines += [*_written_settings(played, options), *_written_round(played)]
        options = played.options
        if played.sheet is not None:
            lines.append("= " + _written_points(played.sheet.points))
    return "\n".join(lines) + "\n"


def _written_round(played: Round) -> list[str]:
    """The plays, then the counts. Where both have ended the round, what does not score becomes a comment."""
    happened = [step for step in played.steps if step.has_effect]
    plays = [_written_step(played.game, step) for step in happened if step.action.kind in played.game.plays]
    counts = [_written_step(played.game, step) for step in happened if step.action.kind in played.game.counts]
    if played.game.is_round_over(played.state):
        if played.missing_counts:
            counts = [f"# {line}" for line in counts]
        elif plays:
            plays[-1] = f"# {plays[-1]}"
    return plays + counts


def _written_settings(played: Round, before: Options) -> list[str]:
    """What of the options has changed since the round before."""
    now = {kind: get_setting(played.options, cls) for kind, cls in played.game.settings.items()}
    return [
        _written_entry(kind, setting) for kind, setting in now.items() if setting != get_setting(before, type(setting))
    ]


def _written_step(game: Game, step: Step) -> str:
    rules = ",".join(dict.fromkeys(str(violation.rule) for violation in step.violations))
    return _written_entry(step.action.kind, step.entry) + (f" ~ {rules}" if rules else "")


def _written_entry(kind: str, entry: Any) -> str:
    return " ".join([kind, *(f"{name}={quote_word(word)}" for name, word in encode(entry).items())])


def describe_notation(game: Game) -> str:
    """The kinds and fields of a game's notation, a line each; what may be left out is in brackets."""
    lines = [f"game {game.slug}", f"seats {game.seats[0]}..{game.seats[-1]}"]
    lines += [f"option {part}={describe_shape(game.options, part)}" for part in field_names(game.options)]
    for kind, cls in game.kinds.items():
        lines.append(" ".join([kind, *(_field_manual(cls, name) for name in field_names(cls))]))
    return "\n".join(lines)


def _field_manual(cls: type, name: str) -> str:
    spelt = f"{name}={describe_shape(cls, name)}"
    return f"[{spelt}]" if is_optional(cls, name) else spelt
