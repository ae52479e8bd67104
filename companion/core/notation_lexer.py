"""Lexer of the notation: lines, fields, marks and quoted texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from companion.core.errors import display_word
from companion.core.text import Text, _

MAX_FILE_LENGTH = 2_000_000
HEADER = ("game", "seats", "option")
ROUND = "round"
"""`round 3`: the following entries belong to that round, even if an earlier one is not over."""


QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ESCAPED = re.compile(r"\\(.)")
PLACEHOLDER = re.compile("\ue000([0-9]+)\ue001")
"""Placeholder for a quoted text while a line is split."""
PLAIN = re.compile(r'[^\s"#!~\\\ue000\ue001]*')


class NotationError(ValueError):
    """A file that is not in notation: it names no game, or a line cannot be parsed."""

    def __init__(self, line: int, text: Text) -> None:
        super().__init__(f"line {line}: {text}")
        self.line = line
        self.text = text


@dataclass(frozen=True)
class NotationLine:
    """A parsed line: its first word, its fields and its mark."""

    number: int
    text: str
    word: str
    words: Mapping[str, str] = field(default_factory=dict)
    mark: str = ""
    """`!`: must be refused; `~`: the table insisted; or empty."""
    rules: tuple[str, ...] = ()
    repeated_field: str = ""
    """A field that occurs twice, if any."""


def read_lines(text: str) -> Iterator[NotationLine]:
    r"""Yield the lines that are not blank or comments. Raises NotationError with the line number.

    >>> lines = list(read_lines("extend seat=1 card=34  # well\nreverse seat=2 card=55 ! extend-within-ten"))
    >>> lines[0].word, lines[0].words
    ('extend', {'seat': '1', 'card': '34'})
    >>> lines[1].number, lines[1].mark, lines[1].rules
    (2, '!', ('extend-within-ten',))
    """
    if len(text) > MAX_FILE_LENGTH:
        raise NotationError(1, _("The file is too long for a match."))
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line, quoted = _extract_quotes(raw)
        if '"' in line or PLACEHOLDER.search(raw):
            raise NotationError(number, _("“{word}” is not a line of the notation.", word=display_word(raw.strip())))
        if line.startswith("="):
            word = "==" if line.startswith("==") else "="
            yield NotationLine(number, line, word, {"points": line.removeprefix(word)})
        elif line:
            yield _parse_line(number, line, quoted)


def _extract_quotes(raw: str) -> tuple[str, Sequence[str]]:
    """Return a line without its comment, quoted texts replaced by placeholders, and those texts."""
    quoted: list[str] = []

    def replace_quote(quote: re.Match[str]) -> str:
        quoted.append(ESCAPED.sub(r"\1", quote[0][1:-1]))
        return f"\ue000{len(quoted) - 1}\ue001"

    bare = QUOTED.sub(replace_quote, raw) if '"' in raw else raw
    return bare.partition("#")[0].strip(), quoted


def _parse_line(number: int, line: str, quoted: Sequence[str]) -> NotationLine:
    mark = next((sign for sign in "!~" if sign in line), "")
    entry, _mark, rules = line.partition(mark) if mark else (line, "", "")
    word, *pairs = entry.split() or [""]
    is_bare = word in ("game", "seats", ROUND)
    if not word or (mark and (is_bare or word == "option")) or (word == "option" and not pairs):
        raise NotationError(number, _("“{word}” is not a line of the notation.", word=display_word(line)))
    if is_bare:
        return NotationLine(number, line, word, {word: " ".join(pairs)})
    words: dict[str, str] = {}
    repeated = ""
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise NotationError(number, _("“{word}” is not of the form field=value.", word=display_word(pair)))
        repeated = name if name in words else repeated
        placeholder = PLACEHOLDER.fullmatch(value)
        words[name] = quoted[int(placeholder[1])] if placeholder else value
    text = PLACEHOLDER.sub(lambda match: quote_word(quoted[int(match[1])]), line)
    return NotationLine(number, text, word, words, mark, tuple(rules.replace(",", " ").split()), repeated)


def quote_word(word: str) -> str:
    """Return a word as it is written in notation, quoted if need be.

    >>> print(quote_word("34,41"), quote_word("my game"))
    34,41 "my game"
    """
    if PLAIN.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
