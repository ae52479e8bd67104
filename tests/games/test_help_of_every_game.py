"""Explanations, legal plays, preparation and position questions of every game."""

from dataclasses import fields

import pytest

from companion.core.explanations import Position
from companion.core.game_builder import MOST_RELEVANT_RULES
from companion.core.legal_moves import Ruling, group_legal_plays, judge_proposals
from companion.core.schema import decode, encode, get_label
from companion.core.text import Text
from companion.games import get_games
from companion.rulebook.loader import has_rulebook, load_rulebook
from tests.games.random_play import build_cases, random_play, sample_cases

every_game = pytest.mark.parametrize("game", get_games().values(), ids=list(get_games()))
every_case = pytest.mark.parametrize("case", [case for slug in get_games() for case in build_cases(slug)], ids=str)
REFEREED = [game for game in get_games().values() if game.plays]
every_refereed_game = pytest.mark.parametrize("game", REFEREED, ids=lambda game: game.slug)
STATES = 25
"""States of a round that are sampled."""
MAX_GROUPS = 12
"""Headings that fit in a list of legal plays on a phone."""


def get_sections(game):
    """Return the sections of the rulebook; without one, the rules."""
    if not has_rulebook(game):
        return set(game.rules)
    return {section.id for section in load_rulebook(game, "en").sections}


def iter_states(game):
    """Yield sampled states of random rounds, and each final state."""
    for case in sample_cases(game.slug, 3):
        chance = case.random("advice")
        state, states = case.setup(), []
        while not state.is_over:
            states.append(state)
            state = game.referee.apply(state, random_play(game, state, chance))
        yield from chance.sample(states, min(STATES, len(states)))
        yield state


@every_refereed_game
def test_every_legal_play_is_explained_by_a_rulebook_section(game):
    kinds = set()
    for state in iter_states(game):
        for play in game.referee.iter_legal_plays(state):
            explanation = game.help.explain(state, play)
            assert explanation.rule in get_sections(game), play
            assert str(explanation.heading)
            assert "{" not in f"{explanation.heading}{explanation.label}{explanation.reason}"
            kinds.add(game.get_kind(play))
    assert len(kinds) >= len(game.plays) / 2


@every_refereed_game
def test_the_list_of_legal_plays_is_short_and_complete(game):
    for state in iter_states(game):
        groups = group_legal_plays(game, state)
        assert bool(groups) == any(True for _play in game.referee.iter_legal_plays(state))
        assert len(groups) <= MAX_GROUPS, [str(group.heading) for group in groups]
        headings = {game.help.explain(state, play).heading for play in game.referee.iter_legal_plays(state)}
        assert {group.heading for group in groups} == headings


@every_refereed_game
def test_chosen_fields_only_narrow_the_list(game):
    state = next(iter(iter_states(game)))
    play = next(iter(game.referee.iter_legal_plays(state)))
    words = {name: word for name, word in encode(play).items() if name != "seat"}
    headings = {group.heading for group in group_legal_plays(game, state, words)}
    assert game.help.explain(state, play).heading in headings
    assert headings <= {group.heading for group in group_legal_plays(game, state)}


@every_refereed_game
def test_relevant_rules_are_a_few_rulebook_sections(game):
    seen = set()
    for state in iter_states(game):
        rules = game.help.relevant_rules(state)
        assert 1 <= len(rules) <= MOST_RELEVANT_RULES
        assert len(set(rules)) == len(rules)
        assert set(rules) <= get_sections(game)
        seen.add(rules)
    assert len(seen) > 1 or seen == {tuple(game.rules)[:MOST_RELEVANT_RULES]}, "the same few rules in every state"


@every_game
def test_counting_rules_are_rulebook_sections(game):
    assert game.help.counting_rules
    assert set(game.help.counting_rules) <= get_sections(game)


@every_case
def test_preparation_steps_name_their_rulebook_section(case):
    preparation = case.game.help.preparation(case.options, case.seats)
    assert preparation.steps
    assert {step.rule for step in preparation.steps} <= get_sections(case.game)
    labels = [str(step.label) for step in preparation.steps]
    assert len(set(labels)) == len(labels)
    assert all(str(step.value) for step in preparation.steps)


@every_case
def test_a_paper_score_sheet_has_lines(case):
    sheet = case.game.help.paper_sheet(case.options, case.seats)
    assert str(sheet.points)
    lines = [str(label) for label in (*sheet.table_lines, *sheet.side_lines)]
    assert len(set(lines)) == len(lines)


@every_game
def test_a_question_needs_no_fields(game):
    for cls in game.help.questions.values():
        assert isinstance(cls.title, Text)
        assert all(get_label(cls, part.name) for part in fields(cls))
        question = decode(cls, {})
        assert encode(question) == {}
        position = game.help.position(question)
        assert isinstance(position, Position)
        assert list(judge_proposals(game, position)) == []
        game.referee.board(position.state)


def test_a_ruling_has_an_explanation_or_violations():
    game = get_games()["take-that"]
    position = game.help.position(decode(game.help.questions["card"], {"row": "34,41", "card": "55"}))
    rulings = list(judge_proposals(game, position))
    assert all(isinstance(ruling, Ruling) for ruling in rulings)
    assert [[str(violation.rule) for violation in ruling.violations] for ruling in rulings] == [
        ["extend-within-ten"],
        ["toads-stay"],
        [],
    ]
    assert str(rulings[0].violations[0].message) == "55 is 14 away from 41, and a card may be at most 10 away."
    assert rulings[2].explanation.rule == "take-row"
