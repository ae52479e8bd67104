"""Glossaries, doubts and references."""

import re
from collections import Counter
from dataclasses import fields

import pytest

from companion.core.languages import LANGUAGES
from companion.games import get_games
from companion.rulebook.glossary import load_doubts, load_glossary
from companion.rulebook.loader import load_rulebook
from tests.rulebook.books import WITH_REFERENCE
from tests.web.html import parse_html

GREEK = re.compile("[Α-Ωα-ωΆ-ώ]")
GAMES = list(get_games().values())


def parametrize_by_game(has_file):
    """Return a mark that runs a test for every game with a file that is optional."""
    return pytest.mark.parametrize("game", list(filter(has_file, GAMES)), ids=lambda game: game.slug)


every_glossary, every_list_of_doubts = map(parametrize_by_game, (load_glossary, load_doubts))
every_reference = parametrize_by_game(WITH_REFERENCE.__contains__)
every_game = parametrize_by_game(lambda game: True)
every_page = pytest.mark.parametrize("language", LANGUAGES)


def list_section_ids(game):
    return [section.id for section in load_rulebook(game, "en").sections]


def count_numbers(text):
    return Counter(re.findall(r"\d+", text))


def iter_translated_texts(game):
    for term in load_glossary(game):
        yield term.means
    for doubt in load_doubts(game):
        yield from (doubt.question, doubt.why, *doubt.readings)


@every_glossary
def test_terms_are_unique_and_in_rulebook_order(game):
    indexes = [list_section_ids(game).index(term.section) for term in load_glossary(game)]
    assert len(indexes) >= 10, f"glossary.toml of {game.slug}: a glossary has at least ten terms."
    assert indexes == sorted(indexes)
    assert len({term.id for term in load_glossary(game)}) == len(indexes)
    for language in LANGUAGES:
        assert len({term.name[language] for term in load_glossary(game)}) == len(indexes)


@every_game
def test_texts_have_the_same_numbers_in_both_languages(game):
    for text in iter_translated_texts(game):
        assert set(text) == set(LANGUAGES)
        assert GREEK.search(text["el"])
        assert not GREEK.search(text["en"])
        assert count_numbers(text["en"]) == count_numbers(text["el"]), text


@every_list_of_doubts
def test_every_doubt_has_readings_and_a_section(game):
    section = load_rulebook(game, "en").section("doubts")
    if section is not None:
        assert len(load_doubts(game)) == sum(part.html.count("<li>") for part in section.parts)
    assert len({doubt.id for doubt in load_doubts(game)}) == len(load_doubts(game))
    for doubt in load_doubts(game):
        assert doubt.section in list_section_ids(game)
        assert len(doubt.readings) >= 2
        assert not doubt.option or doubt.option in {part.name for part in fields(game.options.cls)}


@every_page
@every_glossary
def test_the_page_of_words_lists_every_term(client, game, language):
    page = parse_html(client.get(f"/{language}/rules/{game.slug}/words/").content.decode())
    for term in load_glossary(game):
        entry = page.one("div", id=term.id)
        assert all(name in entry.text for name in (*term.name.values(), term.means[language]))
        assert f"/{language}/rules/{game.slug}/#{term.section}" in [link.attrs["href"] for link in entry.all("a")]


@every_page
@every_list_of_doubts
def test_the_page_of_doubts_lists_every_reading(client, game, language):
    page = parse_html(client.get(f"/{language}/rules/{game.slug}/doubts/").content.decode())
    for doubt in load_doubts(game):
        section = page.one("section", id=doubt.id)
        assert section.one("h2").text == " ".join(doubt.question[language].split())
        assert [item.attrs["class"] for item in section.all("li")] == ["yes", *["no"] * (len(doubt.readings) - 1)]


@every_reference
def test_a_reference_has_at_most_seven_sections_of_the_rulebook(game):
    english, greek = (load_rulebook(game, language, "reference") for language in LANGUAGES)
    ids = [section.id for section in english.sections]
    assert ids == [section.id for section in greek.sections]
    assert 1 <= len(ids) <= 7, f"reference.*.md of {game.slug}: a booklet has seven pages besides its cover."
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(list_section_ids(game))
    for sections in zip(english.sections, greek.sections, strict=True):
        english_html, greek_html = ("".join(part.html for part in section.parts) for section in sections)
        numbers = [count_numbers(re.sub("<[^>]+>", " ", html)) for html in (english_html, greek_html)]
        assert numbers[0] == numbers[1]
        assert Counter(re.findall("<(li|tr)", english_html)) == Counter(re.findall("<(li|tr)", greek_html))


@pytest.mark.parametrize("page", ["words", "doubts", "could-i", "paper"])
def test_unknown_games_have_no_glossary_page(client, page):
    assert client.get(f"/en/rules/chess/{page}/").status_code == 404
