"""Full-text search of the rulebooks, insensitive to case, accents and inflection, in any language."""

import itertools
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from html import unescape
from itertools import takewhile
from typing import Any, TypeAlias

import snowballstemmer
from django.conf import settings
from django.utils import translation
from django.utils.translation import get_language_info

from companion.core.game import Game
from companion.core.languages import LANGUAGES
from companion.core.sanitize import fold_text
from companion.games import get_games
from companion.rulebook.glossary import load_doubts, load_glossary
from companion.rulebook.loader import Section, WorkedExample, find_language, has_rulebook, load_rulebook
from companion.web.i18n import translate

WordReadings: TypeAlias = tuple[tuple[str, float], ...]
"""Stems that a word may stand for, with their likelihood."""

MAX_QUERY_LENGTH = 100
MAX_WORDS = 12
MAX_HITS = 20

_WORD = re.compile(r"[^\W_]+")
_TAG = re.compile(r"<[^>]+>")
_TITLE_WEIGHT, _TERM_WEIGHT, _TEXT_WEIGHT = 4.0, 3.0, 1.0
"""Weight of a word in a heading, in the terms that the section explains, and in its text."""
_SATURATION, _LENGTH_PENALTY = 1.2, 0.5
"""BM25 parameters k1 and b: saturation of repeated words, and penalty for long sections."""
_MIN_SHARED_LETTERS, _MIN_SHARED_RATIO = 4, 0.7
"""Length of the shared prefix of related stems, in letters and relative to the longer stem."""
_MIN_SIMILARITY = 0.75
"""Similarity from which a word of the rulebooks replaces an unknown one."""
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
"""Folded: without accents, and with a final sigma written as a medial one."""
_SECTION_FACTORS = {"doubts": 0.5, "pad": 0.5, "options": 0.5}
"""Score factors of sections that repeat the others and are rarely what is wanted."""


@dataclass(frozen=True)
class IndexedSection:
    """A section in the index, with the weights of its stems in all languages."""

    game: Game
    section: str
    weights: Mapping[str, float]
    lines: Mapping[str, tuple[tuple[str, frozenset[str]], ...]]
    """Lines with their stems, by language."""
    size: float
    """Sum of the weights."""


@dataclass(frozen=True)
class SearchHit:
    """A section and its best-matching line."""

    game: Game
    section: Section
    line: str


def split_stems(text: str) -> list[str]:
    """Return the stems of a text, without stop words unless there is nothing else."""
    words = _WORD.findall(fold_text(text))
    content_words = [word for word in words if word not in _STOP_WORDS]
    return [_stem(word) for word in content_words or words]


@cache
def _stem(word: str) -> str:
    stemmer = _get_stemmers().get(_get_script(word))
    return fold_text(stemmer.stemWord(word)) if stemmer else word


@cache
def _get_stemmers() -> Mapping[str, Any]:
    """Return a stemmer for each script: that of its first language, for a word does not tell its language."""
    stemmers: dict[str, Any] = {}
    for language, own_name in LANGUAGES.items():
        algorithm = get_language_info(language)["name"].lower()
        if algorithm in snowballstemmer.algorithms():
            stemmers.setdefault(_get_script(own_name), snowballstemmer.stemmer(algorithm))
    return stemmers


def _get_script(word: str) -> str:
    """Return the script of a word by its first letter, such as `LATIN`; numbers have none."""
    return unicodedata.name(word[0], "").partition(" ")[0]


def search(query: str, language: str, game: Game | None = None) -> list[SearchHit]:
    """Return the sections that match a query, best first, in a language; of one game or all."""
    words = list(dict.fromkeys(split_stems(query[:MAX_QUERY_LENGTH])))[:MAX_WORDS]
    readings = [_find_readings(word) for word in words]
    likeness = dict(itertools.chain.from_iterable(readings))
    entries = [entry for entry in _get_index() if game in (None, entry.game)] if readings else []
    scores = ((entry, _score_section(entry, readings)) for entry in entries)
    ranked = sorted((row for row in scores if row[1]), key=lambda row: -row[1])[:MAX_HITS]
    hits = []
    for entry, _score in ranked:
        section = load_rulebook(entry.game, language).section(entry.section)
        if section:
            hits.append(SearchHit(entry.game, section, _find_best_line(entry, likeness, language)))
    return hits


def _score_section(entry: IndexedSection, readings: Sequence[WordReadings]) -> float:
    """Return the score of a section, by the best reading of each word; matching more words beats repeating one."""
    rarities = _get_rarities()
    scores = [
        max((likeness * _compute_bm25_weight(entry, stem) * rarities[stem] for stem, likeness in word), default=0.0)
        for word in readings
    ]
    share = sum(score > 0 for score in scores) / len(scores)
    return sum(scores) * share * _SECTION_FACTORS.get(entry.section, 1.0)


def _compute_bm25_weight(entry: IndexedSection, stem: str) -> float:
    """Return the BM25 term weight of a stem in a section."""
    weight = entry.weights.get(stem, 0.0)
    length_factor = 1 - _LENGTH_PENALTY + _LENGTH_PENALTY * entry.size / _get_average_size()
    return weight * (_SATURATION + 1) / (weight + _SATURATION * length_factor)


@cache
def _get_index() -> tuple[IndexedSection, ...]:
    return tuple(page for game in get_games().values() if has_rulebook(game) for page in _index_game(game))


def _index_game(game: Game) -> Iterator[IndexedSection]:
    languages = [language for language in LANGUAGES if find_language(game, language) == language]
    for english in load_rulebook(game, settings.LANGUAGE_CODE).sections:
        weights: defaultdict[str, float] = defaultdict(float)
        lines = {}
        for language in languages:
            section = load_rulebook(game, language).section(english.id)
            if section:
                lines[language] = tuple((line, frozenset(split_stems(line))) for line in _iter_lines(section, language))
                _add_weights(weights, [section.title], _TITLE_WEIGHT)
                _add_weights(weights, [line for line, _stems in lines[language]], _TEXT_WEIGHT)
        for term in load_glossary(game):
            if term.section == english.id:
                _add_weights(weights, itertools.chain(term.name.values(), *term.also.values()), _TERM_WEIGHT)
                _add_weights(weights, term.means.values(), _TEXT_WEIGHT)
        for doubt in load_doubts(game):
            if doubt.section == english.id:
                _add_weights(weights, doubt.question.values(), _TEXT_WEIGHT)
        yield IndexedSection(game, english.id, weights, lines, sum(weights.values()))


def _add_weights(weights: defaultdict[str, float], texts: Iterable[str], weight: float) -> None:
    for stem in itertools.chain.from_iterable(map(split_stems, texts)):
        weights[stem] += weight


def _iter_lines(section: Section, language: str) -> Iterator[str]:
    """Yield the paragraphs, list items and table rows of a section."""
    for part in section.parts:
        if isinstance(part, WorkedExample):
            yield part.caption
            with translation.override(language):
                tried = [unescape(_TAG.sub("", translate(trial.text, part.names))) for trial in part.trials]
            yield from tried
        else:
            blocks = (_TAG.sub(" ", block).split() for block in re.split(r"</(?:p|li|tr)>", part.html))
            yield from (unescape(" ".join(words)) for words in blocks if words)


@cache
def _get_rarities() -> Mapping[str, float]:
    """Return the inverse document frequency of every stem."""
    count = Counter(stem for entry in _get_index() for stem in entry.weights)
    total = len(_get_index())
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in count.items()}


@cache
def _get_average_size() -> float:
    return sum(entry.size for entry in _get_index()) / len(_get_index())


@lru_cache(maxsize=1_000)
def _find_readings(word: str) -> WordReadings:
    """Return the stems that a word may stand for: itself, related stems, or else similarly spelt ones."""
    rarities = _get_rarities()
    if word.isdecimal():
        return ((word, 1.0),) if word in rarities else ()
    longer = tuple((stem, 0.8) for stem in rarities if stem != word and _are_related(stem, word))
    readings = ((word, 1.0), *longer) if word in rarities else longer
    return readings or tuple((stem, 0.6) for stem in get_close_matches(word, rarities, n=3, cutoff=_MIN_SIMILARITY))


def _are_related(first: str, second: str) -> bool:
    """Return whether two stems are probably related: deal and dealer, μοιραζ and μοιρασ, but not μοιρ (degree)."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    return shared >= _MIN_SHARED_LETTERS and shared >= _MIN_SHARED_RATIO * max(len(first), len(second))


def _find_best_line(entry: IndexedSection, likeness: Mapping[str, float], language: str) -> str:
    """Return the line that matches most words; the first one if only another language matches."""
    lines = entry.lines.get(find_language(entry.game, language), ())
    best = max(lines, key=lambda line: sum(likeness.get(stem, 0) for stem in line[1]), default=("", frozenset()))
    return best[0]
