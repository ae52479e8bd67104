"""Fuzzing of everything that parses input from strangers."""

import json
import string

import pytest
from django.http import QueryDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core.log import Log
from companion.core.notation import build_options
from companion.core.schema import Malformed, decode
from companion.exchange.detect import parse_upload as read_file
from companion.exchange.import_data import BadFile, ImportFile
from companion.games import get_games
from companion.people.join_codes import CODE_LENGTH, SPELLING, parse_code
from companion.people.validators import clean_name, clean_note
from companion.tables.forms import entry
from tests.exchange.backups import build_shared_play
from tests.exchange.sample_files import build_random_records
from tests.exchange.test_companion_json import write_companion_file
from tests.scale import choose_count
from tests.web.hostile import IMPOSSIBLE_NAMES, VALUES

pytestmark = pytest.mark.random

FUZZ_SETTINGS = settings(
    max_examples=choose_count(200, 5_000), deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
TEXT = st.text(st.characters(codec=None), max_size=60) | st.sampled_from([*VALUES, *IMPOSSIBLE_NAMES])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda item: st.lists(item) | st.dictionaries(TEXT, item),
)
FILES = [json.dumps(build_shared_play()), write_companion_file(build_random_records("take-that", 1)).decode()]
NOTATION_LINES = [
    "game take-that",
    "seats 3",
    "extend seat=1 card=34",
    "count seat=0 face_up=2 face_down=1 toads=0",
    "= 1,2,3",
]


def list_paths(value, path=()):
    """Yield the paths to everything in a JSON value."""
    yield path
    for name, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from list_paths(item, (*path, name))


@st.composite
def changed_files(draw):
    """A valid file of either kind with one to three values replaced."""
    file = json.loads(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from([item for item in list_paths(file) if item]))
        inner = file
        for step in path:
            inner = inner[step]
        inner[last] = draw(JSON)
    return json.dumps(file, allow_nan=True).encode()


NOTATION = st.lists(st.sampled_from(NOTATION_LINES) | TEXT, max_size=12).map(
    lambda item: "\n".join(item).encode("utf-8", "replace")
)
TRUNCATED_FILES = st.builds(
    lambda item, at: item.encode()[: int(at * len(item))], st.sampled_from(FILES), st.floats(0, 1)
)


def assert_explained(error):
    """Assert that a refusal has a reason or a question."""
    assert str(getattr(error, "text", "")) or error.reason


@FUZZ_SETTINGS
@given(
    st.binary(max_size=300)
    | NOTATION
    | TRUNCATED_FILES
    | changed_files()
    | JSON.map(lambda item: json.dumps(item).encode())
)
def test_an_import_is_parsed_or_refused_with_a_place_and_a_reason(data):
    try:
        assert isinstance(read_file(data, "x"), ImportFile)
    except BadFile as error:
        assert_explained(error)


@FUZZ_SETTINGS
@given(TEXT | st.text(string.ascii_letters + string.digits + " -", max_size=9))
def test_a_join_code_is_parsed_or_rejected(typed):
    code = parse_code(typed)
    assert code == "" or (len(code) == CODE_LENGTH and set(code) <= set(SPELLING) and parse_code(code) == code)


@FUZZ_SETTINGS
@given(TEXT)
def test_a_sanitized_name_can_be_stored_and_sanitized_again(typed):
    for clean, longest in ((clean_name, 160), (clean_note, 2_000)):
        try:
            name = clean(typed)
        except Malformed as error:
            assert_explained(error)
            continue
        assert clean(name) == name and len(name) <= longest and "\0" not in name
        assert name.encode("utf-8").decode("utf-8") == name


NAMES = ["key", "kind", "round", "seat", "card", "insist", "amend", "target", "place", "seen", "way", "count.0.toads"]
FIELDS = st.lists(st.tuples(st.sampled_from([*NAMES, "count.all.points", "number", "cards"]) | TEXT, TEXT), max_size=8)


@pytest.mark.parametrize("slug", get_games())
@settings(FUZZ_SETTINGS, max_examples=choose_count(40, 5_000))
@given(fields=FIELDS, key=st.booleans())
def test_a_form_is_parsed_or_refused_with_a_reason(slug, fields, key):
    game = get_games()[slug]
    log = Log.empty(game, build_options(game, game.about.seats[-1], {}), game.about.seats[-1])
    data = QueryDict(mutable=True)
    for name, word in [("key", "k" * 12)] * key + fields:
        data.appendlist(name, word)
    try:
        for new_entry in entry.build_new_entries(entry.parse_entry(data, game), log):
            assert new_entry.kind and all(isinstance(value, str) for value in new_entry.words.values())
            if new_entry.kind in game.kinds:
                assert decode(game.kinds[new_entry.kind], new_entry.words) == new_entry.content
    except Malformed as error:
        assert_explained(error)
    except entry.IncompletePlay as error:
        assert_explained(error)
