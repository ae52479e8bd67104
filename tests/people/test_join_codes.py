"""Join codes: symbols, spelling and lenient parsing."""

import pytest
from django.utils import translation

from companion.people.join_codes import CODE_LENGTH, SPELLING, generate_code, parse_code, spell_code
from companion.web.i18n import translate

LOOK_ALIKES = ["0OQΟ", "1ILΙ", "2ZΖ", "5S", "8BΒ", "VU", "PRΡ"]


def test_there_are_28_symbols_and_no_two_look_alike():
    assert len(SPELLING) == 28 and CODE_LENGTH == 6
    for alike in LOOK_ALIKES:
        assert len(set(alike) & set(SPELLING) - {"Q"}) == 1, alike


@pytest.mark.parametrize("language", ["en", "el"])
def test_every_symbol_has_its_own_spelling_word(language):
    with translation.override(language):
        words = [translate(word) for word in SPELLING.values()]
    assert len(set(words)) == 28
    assert all(words)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("ACDEFG", "ACDEFG"),
        ("acdefg", "ACDEFG"),
        (" ac d-ef g ", "ACDEFG"),
        ("OIlzsb", "011258"),
        ("URACDE", "VPACDE"),
        ("ΑΕΗΚΜΝ", "AEHKMN"),
        ("αεηκμν", "AEHKMN"),
        ("ρτυχπΔ", "PTYXPD"),
        ("ΒΖΙΟΦΓ", "8210FG"),
        ("ACDEF", ""),
        ("ACDEFGH", ""),
        ("ACDEF?", ""),
        ("ACDEFΩ", ""),
        ("٣٣٣٣٣٣", ""),
        ("", ""),
        ("A" * 100_000, ""),
        ("\x00\u202e", ""),
    ],
)
def test_codes_are_parsed_whatever_case_spaces_and_look_alikes(typed, code):
    assert parse_code(typed) == code


def test_codes_are_drawn_from_all_symbols():
    codes = [generate_code() for _attempt in range(400)]
    assert len(set(codes)) == 400
    assert set("".join(codes)) == set(SPELLING)
    assert all(parse_code(code) == code and len(spell_code(code)) == 6 for code in codes)
