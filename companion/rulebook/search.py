"""Finds the rule that a player means, whatever the accents, endings and capitals, in either language."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from html import unescape
from itertools import takewhile
from typing import TypeAlias

import snowballstemmer
from django.conf import settings
from django.utils import translation

from companion.core.game import Game
from companion.core.sanitize import fold_text
from companion.games import get_games
from companion.rulebook.glossary import load_doubts, load_glossary
from companion.rulebook.loader import Section, WorkedExample, has_rulebook, load_rulebook
from companion.web.i18n import translate

WordReadings: TypeAlias = tuple[tuple[str, float], ...]
"""The stems that a word may stand for, and how likely each is what was meant."""

LANGUAGES = tuple(code for code, _name in settings.LANGUAGES)
MAX_QUERY_LENGTH = 100
MAX_WORDS = 12
MAX_HITS = 20

_WORD = re.compile(r"[^\W_]+")
_TAG = re.compile(r"<[^>]+>")
_STEMMERS = {"en": snowballstemmer.stemmer("english"), "el": snowballstemmer.stemmer("greek")}
_TITLE_WEIGHT, _TERM_WEIGHT, _TEXT_WEIGHT = 4.0, 3.0, 1.0
"""How much a word weighs in a heading, among the terms that the section explains, and in its text."""
_SATURATION, _LENGTH_PENALTY = 1.2, 0.5
"""Of BM25: how soon a word that is repeated counts no more, and how much a long section is held back."""
_MIN_SHARED_LETTERS, _MIN_SHARED_RATIO = 4, 0.7
"""How many letters two stems of one family begin with, and which share that is of the longer one."""
_MIN_SIMILARITY = 0.75
"""How alike a word must be to stand for one that no rulebook has."""
_STOP_WORDS = frozenset(
    (
        "a an the of to in on at is are do does i my me we you your it and or if can may what how when who there"
        " with for many much ο η το οι τα τι πως ποιος ποια ποιο ποσο ποσα ποσοι ποσες ποσους ποτε που να θα σε στο στη"
        " στην στον στα για με και αν ειναι μπορω μου μας σου του της των τον την τους τις ενα μια ενας δεν απο ως"
        " εως το"
    )
    .translate({ord("ς"): "σ"})
    .split()
)
"""Words that say nothing about the rule that is meant, without accents and with every sigma alike."""
_SECTION_FACTORS = {"doubts": 0.5, "pad": 0.5, "options": 0.5}
"""Sections that speak of everything again, and are rarely what is looked for."""


@dataclass(frozen=True)
class IndexedSection:
    """A section as it is searched: its weighted stems, and its lines as they are read in each language."""

    game: Game
    section: str
    weights: Mapping[str, float]
    lines: Mapping[str, tuple[tuple[str, frozenset[str]], ...]]
    """By language: each line with its stems."""
    size: float
    """The sum of the weights."""


@dataclass(frozen=True)
class SearchHit:
    """A section that was found, and the line in it that fits best."""

    game: Game
    section: Section
    line: str


def split_stems(text: str) -> list[str]:
    """The words of a text without their endings; words that say nothing are left out, unless there is no other."""
    words = _WORD.findall(fold_text(text))
    telling = [word for word in words if word not in _STOP_WORDS]
    return [_stem(word) for word in telling or words]


@cache
def _stem(word: str) -> str:
    is_latin = word.isascii()
    return word if word.isdecimal() else fold_text(_STEMMERS["en" if is_latin else "el"].stemWord(word))


def search(query: str, language: str, game: Game | None = None) -> list[SearchHit]:
    """The sections that a player may mean, the likeliest first, read in a language; of one game or of all."""
    words = list(dict.fromkeys(split_stems(query[:MAX_QUERY_LENGTH])))[:MAX_WORDS]
    near = [_find_readings(word) for word in words]
    scored = sorted(_score_sections(near, game), key=lambda found: -found[1])[:MAX_HITS]
    found = ((page, load_rulebook(page.game, language).section(page.section)) for page, _score in scored)
    likeness = dict(itertools.chain.from_iterable(near))
    return [
        SearchHit(page.game, section, _find_best_line(page, likeness, language)) for page, section in found if section
    ]


def _score_sections(near: Sequence[WordReadings], game: Game | None) -> Iterator[tuple[IndexedSection, float]]:
    """The pages in which a word stands, and how well they fit: all words are better than one word often."""
    for page in _get_index():
        if game is not None and page.game is not game:
            continue
        worth = [_score_word(page, own) for own in near]
        if any(worth):
            share = sum(own > 0 for own in worth) / len(worth)
            yield page, sum(worth) * share * _SECTION_FACTORS.get(page.section, 1.0)


def _score_word(page: IndexedSection, near: WordReadings) -> float:
    """What the likeliest reading of a word is worth in a section."""
    known = _get_rarities()
    return max((likeness * _compute_bm25_weight(page, own) * known[own] for own, likeness in near), default=0.0)


def _compute_bm25_weight(page: IndexedSection, stem: str) -> float:
    """What a word is worth in a section, after BM25."""
    weight = page.weights.get(stem, 0.0)
    held_back = 1 - _LENGTH_PENALTY + _LENGTH_PENALTY * page.size / _get_average_size()
    return weight * (_SATURATION + 1) / (weight + _SATURATION * held_back)


@cache
def _get_index() -> tuple[IndexedSection, ...]:
    return tuple(page for game in get_games().values() if has_rulebook(game, "en") for page in _index_game(game))


def _index_game(game: Game) -> Iterator[IndexedSection]:
    for section in load_rulebook(game, "en").sections:
        weights: dict[str, float] = {}
        lines = {}
        for language in LANGUAGES:
            own = load_rulebook(game, language).section(section.id)
            if own is None:
                continue
            lines[language] = tuple((line, frozenset(split_stems(line))) for line in _iter_lines(own, language))
            _add_weights(weights, own.title, _TITLE_WEIGHT)
            for line, _stems in lines[language]:
                _add_weights(weights, line, _TEXT_WEIGHT)
        for text, weight in _iter_related_texts(game, section.id):
            _add_weights(weights, text, weight)
        yield IndexedSection(game, section.id, weights, lines, sum(weights.values()))


def _add_weights(weights: dict[str, float], text: str, weight: float) -> None:
    for stem in split_stems(text):
        weights[stem] = weights.get(stem, 0.0) + weight


def _iter_related_texts(game: Game, section: str) -> Iterator[tuple[str, float]]:
    """What players call the things of a section, and what they ask about it."""
    for term in load_glossary(game):
        if term.section == section:
            names = (*term.name.values(), *itertools.chain.from_iterable(term.also.values()))
            yield from ((name, _TERM_WEIGHT) for name in names)
            yield from ((text, _TEXT_WEIGHT) for text in term.means.values())
    for doubt in load_doubts(game):
        if doubt.section == section:
            yield from ((text, _TEXT_WEIGHT) for text in doubt.question.values())


def _iter_lines(section: Section, language: str) -> Iterator[str]:
    """What a section says, a paragraph, a list item or a row of a table at a time."""
    for part in section.parts:
        if isinstance(part, WorkedExample):
            yield part.caption
            with translation.override(language):
                tried = [unescape(_TAG.sub("", translate(trial.text, part.names))) for trial in part.trials]
            yield from tried
            continue
        for block in re.split(r"</(?:p|li|tr)>", part.html):
            line = unescape(" ".join(_TAG.sub(" ", block).split()))
            if line:
                yield line


@cache
def _get_rarities() -> Mapping[str, float]:
    """How much a word tells: the fewer sections have it, the more."""
    count = Counter(stem for page in _get_index() for stem in page.weights)
    total = len(_get_index())
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in count.items()}


@cache
def _get_average_size() -> float:
    return sum(page.size for page in _get_index()) / len(_get_index())


@lru_cache(maxsize=1_000)
def _find_readings(word: str) -> WordReadings:
    """The words of the rulebooks that a word may stand for: itself, what begins like it, or what is spelt nearly so."""
    known = _get_rarities()
    if word.isdecimal():
        return ((word, 1.0),) if word in known else ()
    longer = tuple((own, 0.8) for own in known if own != word and _are_related(own, word))
    found = ((word, 1.0), *longer) if word in known else longer
    return found or tuple((own, 0.6) for own in get_close_matches(word, known, n=3, cutoff=_MIN_SIMILARITY))


def _are_related(one: str, other: str) -> bool:
    """Whether two stems are likely of one family: deal and dealer, μοιραζ and μοιρασ, but not μοιρ, the degree."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return same >= _MIN_SHARED_LETTERS and same >= _MIN_SHARED_RATIO * max(len(one), len(other))


def _find_best_line(page: IndexedSection, likeness: Mapping[str, float], language: str) -> str:
    """The line in which most of the words stand; the first one where they stand only in the other language."""
    lines = page.lines.get(language, ())
    best = max(lines, key=lambda line: sum(likeness.get(stem, 0) for stem in line[1]), default=("", frozenset()))
    return best[0]
