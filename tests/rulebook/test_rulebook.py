"""Rulebooks: structure, worked examples, languages and links."""

import re
from collections import Counter
from dataclasses import replace
from importlib import resources

import pytest
from django.urls import reverse
from django.utils import translation
from django.utils.text import capfirst

from companion.core.card_view import CardView
from companion.core.examples import parse_examples, replay_example
from companion.core.languages import LANGUAGES
from companion.games import get_game_package, get_games
from companion.rulebook.loader import WorkedExample, find_language, load_rulebook, load_worked_examples
from companion.web.i18n import translate
from tests.rulebook.books import WITH_RULEBOOK
from tests.web.html import parse_html

CASES = [(game, language) for game in WITH_RULEBOOK for language in LANGUAGES]


def slug(value):
    return getattr(value, "slug", value)


def read_source(game, language):
    return resources.files(get_game_package(game.slug)).joinpath(f"rulebook.{language}.md").read_text(encoding="utf-8")


def load_examples(game):
    file = resources.files(get_game_package(game.slug)).joinpath("examples.toml")
    return parse_examples(file.read_text(encoding="utf-8")) if file.is_file() else ()


def split_sections(game, language):
    """Return the source text of each section by id; the introduction has an empty id."""
    parts = re.split(r"^## .+ \{#([a-z0-9-]+)\}$", read_source(game, language), flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[0::2], strict=True))


def load_page(client, game, language):
    response = client.get(f"/{language}/rules/{game.slug}/")
    assert response.status_code == 200
    return parse_html(response.content.decode())


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_every_rule_has_a_section(game, language):
    assert find_language(game, language) == language, f"Add rulebook.{language}.md to {game.slug}."
    missing = {str(rule) for rule in game.rules} - {section.id for section in load_rulebook(game, language).sections}
    assert not missing, f"rulebook.{language}.md of {game.slug}: add a section {{#...}} for each of {missing}."


@pytest.fixture
def game_in_tmp_path(monkeypatch, tmp_path):
    """A game whose books are in `tmp_path`."""
    original = get_games()["take-that"]
    game = replace(original, about=replace(original.about, slug=tmp_path.name.replace("_", "-")))
    monkeypatch.setattr("companion.games._load_games", lambda: ({game.slug: game}, {}))
    for module in ("loader", "glossary"):
        monkeypatch.setattr(f"companion.rulebook.{module}.find_file", lambda _game, name: tmp_path / name)
    return game


def test_a_rulebook_that_is_not_translated_is_shown_in_english(client, game_in_tmp_path, tmp_path):
    (tmp_path / "rulebook.en.md").write_text("# Our game\n\nTake cards.\n\n## Turn {#turn}\n\nOne each.\n")
    page = load_page(client, game_in_tmp_path, "el")
    assert page.one("article").attrs["lang"] == "en" and page.one("article").one("h2").text == "Turn"
    assert game_in_tmp_path.slug in client.get("/el/rules/").content.decode()


def test_a_game_without_a_rulebook_answers_questions(client, game_in_tmp_path):
    assert client.get(f"/en/rules/{game_in_tmp_path.slug}/").status_code == 404
    response = client.get(f"/en/rules/{game_in_tmp_path.slug}/could-i/", {"row": "34,41", "card": "55"})
    page = parse_html(response.content.decode())
    assert response.status_code == 200 and "55 is 14 away from 41" in page.one(id="answer").text
    assert page.one("header").all("a")[0].attrs["href"] == reverse("home")


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_both_languages_have_the_same_sections_in_the_same_order(game):
    english, greek = (load_rulebook(game, language) for language in LANGUAGES)
    assert [section.id for section in english.sections] == [section.id for section in greek.sections]
    assert len({section.id for section in english.sections}) == len(english.sections)


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_both_languages_have_the_same_examples_in_the_same_places(game):
    english, greek = (
        [
            (section.id, [part.example.id for part in section.parts if isinstance(part, WorkedExample)])
            for section in load_rulebook(game, language).sections
        ]
        for language in LANGUAGES
    )
    assert english == greek


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_both_languages_have_the_same_numbers_in_every_section(game):
    english, greek = (split_sections(game, language) for language in LANGUAGES)
    for section in english:
        numbers = [Counter(re.findall(r"\d+", text[section])) for text in (english, greek)]
        assert numbers[0] == numbers[1], section


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_both_languages_have_the_same_numbers_in_every_example(game):
    for example in load_examples(game):
        numbers = [Counter(re.findall(r"\d+", example.captions[language])) for language in LANGUAGES]
        assert numbers[0] == numbers[1], example.id


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_both_languages_have_the_same_structure(game):
    """Compare the numbers of tables, lists and list items of every section."""
    english, greek = (split_sections(game, language) for language in LANGUAGES)
    for section in english:
        shapes = [
            Counter(re.findall(r"^(\||- |\d+\. |\[example)", text[section], re.MULTILINE)) for text in (english, greek)
        ]
        assert shapes[0] == shapes[1], section


def count_legal_plays(game, state):
    return Counter(map(game.get_kind, game.referee.iter_legal_plays(state))) if game.referee else Counter()


def get_board_value(board, name):
    """Return an attribute of a board as an example file writes it: cards by number, goals by sideboard."""
    if name == "goals":
        return [" + ".join(goal.sum for goal in place.picture.goals) for place in board.places]
    value = getattr(board, name)
    return (
        [int(part.word) if isinstance(part, CardView) else part for part in value]
        if isinstance(value, tuple)
        else value
    )


def find_problems(example, game):
    """Yield where the example and the code disagree; nothing if it may be printed."""
    for lines in ((), *((line,) for line in (*example.legal, *example.refused))):
        for verdict in replay_example(example, game, *lines).problems:
            yield f"{verdict.text}: {verdict.problem}"
    match = replay_example(example, game).match
    played = match.get_round(match.last_number)
    counts = count_legal_plays(game, played.state) if example.legal_count else {}
    for kind, count in example.legal_count.items():
        if counts[kind] != count:
            yield f"{example.id}: {counts[kind]} legal plays of kind {kind}, not {count}"
    board = game.referee.board(played.state) if game.referee else None
    for name, expected in example.shows.items():
        actual = str(played.sheet and played.sheet.verdict) if name == "verdict" else get_board_value(board, name)
        if actual != expected:
            yield f"{example.id}: {name} is {actual}, not {expected}"


@pytest.mark.parametrize(
    ("game", "example"),
    [(g, e) for g in WITH_RULEBOOK for e in load_examples(g)],
    ids=lambda v: getattr(v, "id", slug(v)),
)
def test_the_code_obeys_every_example(game, example):
    assert list(find_problems(example, game)) == []


@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=slug)
def test_every_example_is_in_its_section_only(game):
    printed = {
        part.example.id: section.id
        for section in load_rulebook(game, "en").sections
        for part in section.parts
        if isinstance(part, WorkedExample)
    }
    assert printed == {example.id: example.section for example in load_examples(game)}
    assert read_source(game, "en").count("[example ") == len(printed)


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_examples_are_printed_with_their_verdicts(client, game, language):
    page = load_page(client, game, language)
    text = page.text
    with translation.override(language):
        for worked in load_worked_examples(game, language).values():
            assert " ".join(worked.caption.split()) in text
            for trial in worked.trials:
                for message in filter(None, (trial.text, trial.reason)):
                    rendered = parse_html(capfirst(translate(message, worked.names))).text
                    assert rendered in text, (worked.example.id, rendered)
    assert len(page.all("div", **{"class": "example"})) == len(load_examples(game))


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_refused_plays_in_examples_name_their_rule(game, language):
    for worked in load_worked_examples(game, language).values():
        refused = [trial for trial in worked.trials if trial.rule]
        assert len(refused) == sum("!" in line for line in worked.example.refused)
        assert all(trial.reason for trial in refused)


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_every_section_has_an_anchor_and_a_contents_entry(client, game, language):
    page = load_page(client, game, language)
    book = load_rulebook(game, language)
    assert page.one("html").attrs["lang"] == language
    assert [section.attrs["id"] for section in page.all("section")] == [section.id for section in book.sections]
    assert [section.one("h2").text for section in page.all("section")] == [section.title for section in book.sections]
    contents = page.one("details", **{"class": "contents"}).all("a")
    assert [link.attrs["href"] for link in contents] == [f"#{section.id}" for section in book.sections]


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_no_raw_markup_is_left_on_the_page(client, game, language):
    text = load_page(client, game, language).one("article").text
    for markup in ("**", "{#", "[example", "](", "| ", "&lt;"):
        assert markup not in text


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_quotes_and_apostrophes_suit_the_language(game, language):
    """Prose has “ ” in English and « » in Greek; code in backticks is exempt."""
    texts = [re.sub(r"`[^`]*`", "", read_source(game, language))]
    texts += [example.captions[language] for example in load_examples(game)]
    for text in texts:
        assert not re.search("[\"']", text), text
        assert not re.search("[«»]" if language == "en" else "[“”]", text), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_unknown_games_have_no_rulebook(client, language):
    assert client.get(f"/{language}/rules/chess/").status_code == 404


def test_unknown_languages_are_not_found(client):
    assert client.get("/de/rules/take-that/").status_code == 404


@pytest.mark.parametrize(("accepted", "language"), [("el", "el"), ("en", "en"), ("de", "en"), ("el-GR,el;q=0.9", "el")])
def test_urls_without_a_language_redirect_to_the_browsers(client, accepted, language):
    response = client.get("/rules/take-that/", headers={"accept-language": accepted})
    assert response.status_code == 302
    assert response["Location"] == f"/{language}/rules/take-that/"


@pytest.mark.parametrize("language", LANGUAGES)
def test_rule_links_keep_the_language(alice, table, language):
    alice.cookies["django_language"] = language
    page = parse_html(alice.enter(table, kind="extend", seat=0, card=34).content.decode())
    link = page.one("a", **{"class": "rule"})
    assert link.attrs["href"] == f"/{language}/rules/take-that/#turn"
    assert load_rulebook(get_games()["take-that"], language).section("turn").title in link.text
    home = alice.page("home")
    assert f"/{language}/rules/the-game/" in [a.attrs["href"] for a in home.all("a")]


@pytest.mark.parametrize(("language", "other"), [("en", "el"), ("el", "en")])
def test_the_language_button_keeps_the_page(client, language, other):
    client.cookies["django_language"] = language
    response = client.post(reverse("change-settings"), {"language": other, "next": f"/{language}/rules/take-that/"})
    assert response["Location"] == f"/{other}/rules/take-that/"
    assert client.cookies["django_language"].value == other


@pytest.mark.parametrize(("game", "language"), CASES, ids=slug)
def test_every_rule_link_has_a_target(client, game, language):
    page = load_page(client, game, language)
    ids = {element.attrs["id"] for element in page if "id" in element.attrs}
    assert {str(rule) for rule in game.rules} <= ids
