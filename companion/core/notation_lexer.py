"""Lexer of the notation: lines, fields, marks and quoted texts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from companion.core.errors import display_word
from companion.core.text import Text, _

MAX_FILE_LENGTH = 2_000_000
HEADER = ("game", "seats", "option")
ROUND = "round"
"""`round 3`: the following entries belong to that round, even if an earlier one is not over."""

QUOTED = r'"(?:[^"\\]|\\.)*+"'
LINE = re.compile(rf'(?P<text>(?P<entry>(?:[^"#!~]++|{QUOTED})*+)(?:(?P<mark>[!~])(?P<rules>[^"#]*))?)(?:#.*)?')
WORD = re.compile(rf'(?:[^\s"]++|{QUOTED})++')
FIELD = re.compile(rf'(?P<name>[^\s"=]+)=(?P<value>{QUOTED}|[^\s"]*)')
ESCAPED = re.compile(r"\\(.)")
PLAIN = re.compile(r'[^\s"#!~\\]*')


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
        if raw.lstrip().startswith("="):
            points = raw.partition("#")[0].strip()
            word = "==" if points.startswith("==") else "="
            yield NotationLine(number, points, word, {"points": points.removeprefix(word)})
        elif (line := LINE.fullmatch(raw)) is None:
            raise _refuse_line(number, raw)
        elif line["text"].strip():
            yield _parse_line(number, line)


def _refuse_line(number: int, text: str) -> NotationError:
    return NotationError(number, _("“{word}” is not a line of the notation.", word=display_word(text.strip())))


def _parse_line(number: int, line: re.Match[str]) -> NotationLine:
    text, mark, rules = line["text"].strip(), line["mark"] or "", line["rules"] or ""
    word, *pairs = WORD.findall(line["entry"]) or [""]
    is_bare = word in ("game", "seats", ROUND)
    if not word or (mark and (is_bare or word == "option")) or (word == "option" and not pairs):
        raise _refuse_line(number, text)
    if is_bare:
        return NotationLine(number, text, word, {word: " ".join(pairs)})
    words: dict[str, str] = {}
    repeated = ""
    for pair in pairs:
        parsed = FIELD.fullmatch(pair)
        if not parsed:
            raise NotationError(number, _("“{word}” is not of the form field=value.", word=display_word(pair)))
        name, value = parsed["name"], parsed["value"]
        repeated = name if name in words else repeated
        words[name] = ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value
    return NotationLine(number, text, word, words, mark, tuple(rules.replace(",", " ").split()), repeated)


def quote_word(word: str) -> str:
    """Return a word as it is written in notation, quoted if need be.

    >>> print(quote_word("34,41"), quote_word("my game"))
    34,41 "my game"
    """
    if PLAIN.fullmatch(word):
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
