"""The lines of the notation: their words, signs and quoted texts. What they mean for a match is told elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from companion.core.errors import display_word
from companion.core.text import Text, _

MAX_FILE_LENGTH = 2_000_000
HEADER = ("game", "seats", "option")
ROUND = "round"
"""`round 3`: what follows belongs to that round, where an earlier one is still open and would take it."""


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ESCAPED = re.compile(r"\\(.)")
ASIDE = re.compile("\ue000([0-9]+)\ue001")
"""What stands for a quoted text while a line is read."""
PLAIN = re.compile(r'[^\s"#!~\\\ue000\ue001]*')


class NotationError(ValueError):
    """A file that is no notation: it names no game, or a line cannot be understood."""

    def __init__(self, line: int, text: Text) -> None:
        super().__init__(f"line {line}: {text}")
        self.line = line
        self.text = text


@dataclass(frozen=True)
class NotationLine:
    """A line, taken apart: its first word, its fields, and how it is marked."""

    number: int
    text: str
    word: str
    words: Mapping[str, str] = field(default_factory=dict)
    mark: str = ""
    """`!` must be refused, `~` the table insisted, or empty."""
    rules: tuple[str, ...] = ()
    repeated_field: str = ""
    """A field that is given twice."""


def read_lines(text: str) -> Iterator[NotationLine]:
    """The lines that say something. Raises NotationError, with the number of the line."""
    if len(text) > MAX_FILE_LENGTH:
        raise NotationError(1, _("The file is too long for a match."))
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line, quoted = _without_quotes(raw)
        if '"' in line or ASIDE.search(raw):
            raise NotationError(number, _("“{word}” is not a line of the notation.", word=display_word(raw.strip())))
        if line.startswith("="):
            word = "==" if line.startswith("==") else "="
            yield NotationLine(number, line, word, {"points": line.removeprefix(word)})
        elif line:
            yield _entry_line(number, line, quoted)


def _without_quotes(raw: str) -> tuple[str, Sequence[str]]:
    """A line without its comment, and its quoted texts put aside: nothing in them is a sign of the notation."""
    quoted: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        quoted.append(ESCAPED.sub(r"\1", found[0][1:-1]))
        return f"\ue000{len(quoted) - 1}\ue001"

    bare = QUOTED.sub(put_aside, raw) if '"' in raw else raw
    return bare.partition("#")[0].strip(), quoted


def _entry_line(number: int, line: str, quoted: Sequence[str]) -> NotationLine:
    mark = next((sign for sign in "!~" if sign in line), "")
    said, _sign, rules = line.partition(mark) if mark else (line, "", "")
    word, *pairs = said.split() or [""]
    is_bare = word in HEADER or word == ROUND
    if not word or (mark and is_bare) or (word == "option" and not pairs):
        raise NotationError(number, _("“{word}” is not a line of the notation.", word=display_word(line)))
    if word == "option" or not is_bare:
        words: dict[str, str] = {}
        twice = ""
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not equals or not name:
                raise NotationError(number, _("“{word}” is not of the form field=value.", word=display_word(pair)))
            twice = name if name in words else twice
            aside = ASIDE.fullmatch(value)
            words[name] = quoted[int(aside[1])] if aside else value
        text = ASIDE.sub(lambda found: quote_word(quoted[int(found[1])]), line)
        return NotationLine(number, text, word, words, mark, tuple(rules.replace(",", " ").split()), twice)
    return NotationLine(number, line, word, {"is": " ".join(pairs)})


def quote_word(word: str) -> str:
    """A word as a file has it: in quotes where it would not be one word otherwise."""
    if PLAIN.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
