import unicodedata

import pytest
from django.urls import reverse

from companion.core.schema import Malformed
from companion.people.models import Player
from companion.people.validators import clean_name, clean_note
from companion.tables.models import Table
from tests.web.hostile import CLEANED_NAMES, IMPOSSIBLE_NAMES, ORDINARY_NAMES
from tests.web.html import parse_html
from tests.web.people import dump_database

NEW_TABLE_URL = reverse("new-table", args=["take-that"])


def abbreviate(name: str) -> str:
    return ascii(name[:12])


def open_with_name(person, name):
    return person.send(NEW_TABLE_URL, [("way", "pad"), ("seat", "n:Second"), ("new", name), ("action", "open")])


def list_shown_names(person, table):
    """Return the names on the table page."""
    return [e.text for e in person.page("table", table.public_id).all("bdi")]


@pytest.mark.parametrize("name", ORDINARY_NAMES, ids=abbreviate)
def test_unusual_names_are_shown_as_typed(nobody, name):
    assert open_with_name(nobody, name).status_code == 302
    (stored,) = Player.objects.exclude(name="Second").values_list("name", flat=True)
    assert stored == unicodedata.normalize("NFC", name)
    assert stored in list_shown_names(nobody, Table.objects.get())


@pytest.mark.parametrize(("typed", "stored"), CLEANED_NAMES.items(), ids=map(abbreviate, CLEANED_NAMES))
def test_invisible_characters_are_stripped_from_names(nobody, typed, stored):
    assert open_with_name(nobody, typed).status_code == 302
    assert Player.objects.exclude(name="Second").get().name == stored
    assert stored in list_shown_names(nobody, Table.objects.get())


@pytest.mark.parametrize("name", [name for name in IMPOSSIBLE_NAMES if name.strip()], ids=abbreviate)
def test_an_invalid_name_is_refused_with_a_reason(nobody, name):
    before = dump_database()
    response = open_with_name(nobody, name)
    page = parse_html(response.content.decode())
    assert response.status_code == 422
    assert page.one(role="alert").text
    assert dump_database() == before
    assert [line.one("bdi").text for line in page.one("ol", **{"class": "line-up"}).all("li")] == ["Second"]


@pytest.mark.parametrize("name", IMPOSSIBLE_NAMES, ids=abbreviate)
def test_an_invalid_name_is_refused_from_a_forged_form(nobody, name):
    before = dump_database()
    response = nobody.send(
        NEW_TABLE_URL, [("way", "pad"), ("seat", "n:Second"), ("seat", f"n:{name}"), ("action", "open")]
    )
    assert response.status_code == 422
    assert dump_database() == before


def test_markup_in_a_name_is_escaped(nobody):
    plain_table, markup_table = (
        nobody.open(names=("Ann", "Bo")),
        nobody.open(names=("<b>Ann</b><script>x</script>", "Bo")),
    )
    for name in ("table", "log"):
        tags = [[e.tag for e in nobody.page(name, table.public_id)] for table in (plain_table, markup_table)]
        assert tags[0] == tags[1]


def test_every_name_is_isolated_by_bdi(nobody):
    table = nobody.open(names=("שרה", "محمد"))
    for way in ("pad", "referee"):
        page = nobody.page("table", table.public_id, way=way)
        texts = [e for e in page if any(isinstance(c, str) and ("שרה" in c or "محمد" in c) for c in e.content)]
        assert texts and {e.tag for e in texts} == {"bdi"}


@pytest.mark.parametrize("name", [*ORDINARY_NAMES, *CLEANED_NAMES])
def test_cleaning_a_name_is_idempotent(name):
    assert clean_name(clean_name(name)) == clean_name(name)


def test_name_length_is_counted_in_letters_not_code_points():
    assert clean_name("é" * 40) == "é" * 40
    with pytest.raises(Malformed):
        clean_name("é" * 41)


@pytest.mark.parametrize("note", ["", "two\r\nlines", "x" * 500, "🙂 <b>"])
def test_a_note_may_be_empty_or_multi_line(note):
    assert clean_note(note) == note.replace("\r\n", "\n")


@pytest.mark.parametrize("note", ["x" * 501, "\x00", "\x1b[0m", chr(0xD800), "\ufffd"])
def test_an_invalid_note_is_refused(note):
    with pytest.raises(Malformed):
        clean_note(note)
