"""Matches as plain text: reading, judging and writing the notation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from companion.core import refusals
from companion.core.game import Game, get_setting
from companion.core.match import Action, Match, Round, Step
from companion.core.notation_lexer import HEADER, ROUND, NotationError, NotationLine, quote_word, read_lines
from companion.core.protocols import Options
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
from companion.core.scoring import OPEN
from companion.core.text import Text, _


@dataclass(frozen=True)
class LineVerdict:
    """The verdict on a line: the rules it breaks, whether it was recorded, and a `problem` if the file disagrees."""

    line: int
    text: str
    kind: str
    words: Mapping[str, str] = field(default_factory=dict)
    round: int = 0
    broken_rules: tuple[str, ...] = ()
    """The rule of each violation; `reasons` has their messages in the same order."""
    reasons: tuple[Text, ...] = ()
    is_recorded: bool = False
    problem: Text | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The broken rules, without repetition."""
        return tuple(dict.fromkeys(self.broken_rules))


@dataclass(frozen=True)
class Replay:
    """A judged file: a verdict for each line, and the match that the recorded lines make."""

    match: Match
    verdicts: tuple[LineVerdict, ...] = ()

    @property
    def problems(self) -> tuple[LineVerdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.problem)

    @property
    def rounds(self) -> tuple[Round, ...]:
        return get_scored_rounds(self.match)


def get_scored_rounds(match: Match) -> tuple[Round, ...]:
    """Return the scored rounds, confirmed or not: in a file there is nobody to confirm them."""
    return tuple(played for _n, played in sorted(match.rounds.items()) if played.is_scored)


def replay_notation(text: str, games: Mapping[str, Game]) -> Replay:
    r"""Return a match in notation with a verdict for each line; `games` are by slug.

    The header names the game, the seats and the options. An entry goes to the current round unless a `round` line
    names another. It is recorded if it is legal, or marked `~` with the rules the table insisted on; `!` marks an entry
    that must be refused, and it changes nothing. `=` compares the points of the last round, `==` the totals. Where file
    and rules disagree, the verdict has a `problem` and reading goes on.

    Raises NotationError with the line number if a line cannot be parsed, or is no entry of the game.

    With the shipped games:

    >>> result = replay_notation("game take-that\nseats 3\nextend seat=1 card=34\nextend seat=2 card=55", games)
    >>> [(verdict.is_recorded, verdict.rules) for verdict in result.verdicts]
    [(True, ()), (False, ('extend-within-ten',))]
    """
    lines = list(read_lines(text))
    header = list(takewhile(lambda line: line.word in HEADER, lines))
    match = _parse_header(header, games)
    verdicts: list[LineVerdict] = []
    chosen = 0  # the round named by a `round` line, until it is over
    for line in lines[len(header) :]:
        try:
            if line.word in HEADER:
                raise Malformed(_("“{word}” must come before the first entry.", word=line.word))
            if line.word in ("=", "=="):
                verdicts.append(_compare_points(match, line))
            elif line.word == ROUND:
                chosen = _parse_round(match, line)
            else:
                is_open = chosen and not match.get_round(chosen).is_scored
                verdict, match = _replay_entry(match, line, chosen if is_open else _find_next_round(match))
                verdicts.append(verdict)
        except Malformed as error:
            raise NotationError(line.number, error.text) from None
    return Replay(match, tuple(verdicts))


def _parse_header(header: Sequence[NotationLine], games: Mapping[str, Game]) -> Match:
    """Return the empty match that the header describes."""
    words: dict[str, dict[str, str]] = {word: {} for word in HEADER}
    for line in header:
        known = words[line.word]
        if repeated := line.repeated_field or next(iter(line.words.keys() & known.keys()), ""):
            culprit = line if line.word == "option" else next(other for other in header if other.word == line.word)
            raise NotationError(culprit.number, refusals.REPEATED_FIELD.with_values(name=display_word(repeated)))
        known.update(line.words)
    try:
        return _build_match(words["game"].get("game"), words["seats"].get("seats", "0"), words["option"], games)
    except Malformed as error:
        numbers = (line.number for line in header if error.field in (line.word, *line.words))
        raise NotationError(next(numbers, 1), error.text) from None


def _build_match(slug: str | None, seats: str, options: Mapping[str, str], games: Mapping[str, Game]) -> Match:
    if slug is None:
        raise Malformed(_("The first line must name the game."))
    if slug not in games:
        raise Malformed(_("There is no game called “{name}”.", name=display_word(slug)), "game")
    count = parse_whole_number(seats, "seats")
    return Match(games[slug], build_options(games[slug], count, options), count)


def build_options(game: Game, seats: int, words: Mapping[str, str]) -> Options:
    """Return the options of a table from words. Raises Malformed, also for an impossible number of seats or dealer."""
    if seats not in game.about.seats:
        least, most = game.about.seats[0], game.about.seats[-1]
        raise Malformed(
            _("{title} is for {least} to {most} players.", title=game.title, least=least, most=most), "seats"
        )
    options = decode(game.options.cls, words)
    if not 0 <= options.dealer < seats:
        raise Malformed(refusals.UNKNOWN_SEAT.with_values(n=options.dealer + 1), "dealer")
    for violation in game.options.check(options, seats):
        raise Malformed(violation.message, "option")
    return options


def _replay_entry(match: Match, line: NotationLine, number: int) -> tuple[LineVerdict, Match]:
    """Return the verdict on an entry, and the match with it if it is recorded. Raises Malformed."""
    if line.word not in match.game.kinds:
        raise Malformed(_("{title} has no “{word}”.", title=match.game.title, word=display_word(line.word)))
    action = Action(line.number, number, line.word, line.words, line.rules if line.mark == "~" else ())
    step = match.judge(action)
    repeated = refusals.REPEATED_FIELD.with_values(name=line.repeated_field) if line.repeated_field else None
    malformed = step.malformed or repeated
    if malformed is not None and line.mark != "!":
        raise Malformed(malformed)
    broken = tuple(str(violation.rule) for violation in step.violations)
    reasons = (malformed,) if malformed else tuple(violation.message for violation in step.violations)
    is_recorded = step.is_valid and line.mark != "!"
    verdict = LineVerdict(line.number, line.text, line.word, line.words, action.round, broken, reasons, is_recorded)
    verdict = replace(verdict, problem=_find_problem(line, verdict, malformed))
    return verdict, match.record(action) if is_recorded else match


def _find_next_round(match: Match) -> int:
    """Return the last round until it is over, then the next."""
    return match.last_number + match.get_round(match.last_number).is_scored


def _parse_round(match: Match, line: NotationLine) -> int:
    """Return the number in a `round` line: a round that has begun, or the next. Raises Malformed."""
    number = parse_whole_number(line.words[ROUND])
    if not 1 <= number <= match.last_number + 1:
        raise Malformed(refusals.UNKNOWN_ROUND)
    return number


def _find_problem(line: NotationLine, verdict: LineVerdict, malformed: Text | None) -> Text | None:
    """Return where file and rules disagree about an entry."""
    broken = ", ".join(verdict.rules)
    missing = ", ".join(rule for rule in line.rules if rule not in verdict.rules)
    match line.mark:
        case "!" if not verdict.rules and malformed is None:
            return _("This should have been refused, and it is legal.")
        case "!" | "~" if missing:
            return _("This should break {missing}; it breaks {found}.", missing=missing, found=broken or "nothing")
        case "" | "~" if not verdict.is_recorded:
            return _("This is refused: {reasons}", reasons=verdict.reasons)
    return None


def _compare_points(match: Match, line: NotationLine) -> LineVerdict:
    """Return the verdict on the points of the last round (`=`) or the totals (`==`). Raises Malformed."""
    words = (word.strip() for word in line.words["points"].split(","))
    expected = tuple(None if word == OPEN else parse_whole_number(word) for word in words)
    last = match.get_round(match.last_number)
    points: tuple[int | None, ...] | None = last.sheet.points if last.sheet else None
    if line.word == "==":
        points = match.standing_after(get_scored_rounds(match)).totals
    if points is None:
        return LineVerdict(line.number, line.text, line.word, problem=_("No round has been finished here."))
    problem = None if points == expected else _("The points are {found}.", found=_format_points(points))
    return LineVerdict(line.number, line.text, line.word, round=last.number, problem=problem)


def _format_points(points: Sequence[int | None]) -> str:
    return ",".join(OPEN if value is None else str(value) for value in points)


def write_notation(match: Match) -> str:
    """Return a match in notation, with the points after each round. Replaying it gives the same points.

    Steps without effect are left out; every illegal one is written as insisted on.
    """
    lines = [f"game {match.game.slug}", f"seats {match.seats}"]
    lines += [f"option {name}={quote_word(word)}" for name, word in encode(match.options).items()]
    expected, options = 1, match.options
    for number, played in sorted(match.rounds.items()):
        if number != expected:
            lines.append(f"{ROUND} {number}")
        expected = number + 1 if played.is_scored else number
        lines += [*_write_settings(played, options), *_write_round(played)]
        options = played.options
        if played.sheet is not None:
            lines.append("= " + _format_points(played.sheet.points))
    return "\n".join(lines) + "\n"


def _write_round(played: Round) -> list[str]:
    """Return the plays, then the counts. If both end the round, what would score it twice is a comment."""
    steps = [step for step in played.steps if step.has_effect]
    plays = [_write_step(played.game, step) for step in steps if step.action.kind in played.game.plays]
    counts = [_write_step(played.game, step) for step in steps if step.action.kind in played.game.pad.counts]
    if played.state.is_over:
        if played.missing_counts:
            counts = [f"# {line}" for line in counts]
        elif plays:
            plays[-1] = f"# {plays[-1]}"
    return plays + counts


def _write_settings(played: Round, before: Options) -> list[str]:
    """Return the settings that have changed since the round before."""
    return [
        _write_entry(kind, setting)
        for kind, cls in played.game.options.settings.items()
        if (setting := get_setting(played.options, cls)) != get_setting(before, cls)
    ]


def _write_step(game: Game, step: Step) -> str:
    rules = ",".join(dict.fromkeys(str(violation.rule) for violation in step.violations))
    return _write_entry(step.action.kind, step.entry) + (f" ~ {rules}" if rules else "")


def _write_entry(kind: str, entry: Any) -> str:
    return " ".join([kind, *(f"{name}={quote_word(word)}" for name, word in encode(entry).items())])


def describe_notation(game: Game) -> str:
    """Return a reference of a game's notation, a line per kind; optional fields are in brackets."""
    lines = [f"game {game.slug}", f"seats {game.about.seats[0]}..{game.about.seats[-1]}"]
    lines += [f"option {part}={describe_shape(game.options.cls, part)}" for part in field_names(game.options.cls)]
    for kind, cls in game.kinds.items():
        lines.append(" ".join([kind, *(_describe_field(cls, name) for name in field_names(cls))]))
    return "\n".join(lines)


def _describe_field(cls: type, name: str) -> str:
    text = f"{name}={describe_shape(cls, name)}"
    return f"[{text}]" if is_optional(cls, name) else text
