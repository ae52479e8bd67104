"""Tests of sharing results as image and text."""

import io
import re

import pytest
from django.urls import reverse
from django.utils import timezone, translation
from PIL import Image

from companion.avatars import SIGNS
from companion.exchange.export_records import ExportedPlayer, iter_records
from companion.exchange.sharing.result_image import HEIGHT, WIDTH, draw_result, load_palette
from companion.exchange.sharing.result_text import ResultRow, SharedResult, build_result, format_result
from companion.games import get_games
from companion.people.models import Player
from companion.printing.fonts import Font, Weight, get_drawable_text
from companion.tables.models import Table
from tests.exchange.sample_files import NAMES, SLUGS, build_random_records
from tests.scale import choose_count
from tests.web.hostile import ORDINARY_NAMES
from tests.web.people import create_guest

MAX_IMAGE_BYTES = 200_000
"""Bytes."""
LANGUAGES = ("en", "el")


def build_shared_result(
    *sides: tuple[str, ...], game: str = "take-that", verdict: str = "Ann wins with 10."
) -> SharedResult:
    rows = tuple(
        ResultRow(
            rank,
            tuple(ExportedPlayer(f"p-{rank}", name, rank % 8, SIGNS[rank % 16].name) for name in side),
            30 - rank * 7,
        )
        for rank, side in enumerate(sides, start=1)
    )
    return SharedResult(game, "Take That", verdict, rows, "22 November 2026", "Home")


def open_image(content: bytes) -> Image.Image:
    """Open an image, checking its size and that it is not blank."""
    assert len(content) < MAX_IMAGE_BYTES
    image = Image.open(io.BytesIO(content))
    image.load()
    assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert len(image.getcolors(WIDTH * HEIGHT) or ()) > 50
    return image


def finish_table(person, table) -> Table:
    """Play a round, close the table and return it."""
    for seat in range(3):
        assert person.count(table, seat, 12, 10, seat, insist="deal").status_code == 302
    assert person.enter(table, kind="close").status_code == 302
    table.refresh_from_db()
    return table


# The result


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_every_game_has_a_result_image_and_text(slug, language):
    results = [record for record in build_random_records(slug) if record.is_finished]
    for record in results[:4]:
        with translation.override(language):
            result = build_result(record)
            image, text = open_image(draw_result(result)), format_result(result)
        assert image.getpixel((WIDTH // 2, 70)) == tuple(bytes.fromhex(load_palette(slug)["accent"][1:]))
        totals = [str(total).replace("-", "−") for total in record.match.standing.totals]
        assert len(text.splitlines()) == len(totals) + 2 and all(total in text for total in totals)
        assert record.table.public_id not in text and "http" not in text and "key" not in text.casefold()
    assert results


def test_the_result_text_has_a_line_per_side():
    result = build_shared_result(("Ann",), ("Bo", "Cleo"), ("",))
    with translation.override("en"):
        text = format_result(result)
    assert text == ("Take That, 22 November 2026, Home\nAnn wins with 10.\n1. Ann 23\n2. Bo, Cleo 16\n3. a player 9")


def test_right_to_left_names_are_isolated():
    line = format_result(build_shared_result(("שרה",), ("Ann",))).splitlines()[-2]
    assert line == "1. \u2068שרה\u2069 23"


# Drawing


@pytest.mark.parametrize("count", range(1, 13))
def test_twelve_sides_fit_the_image(count):
    image = open_image(draw_result(build_shared_result(*((name,) for name in NAMES[:count]))))
    sheet = tuple(bytes.fromhex(load_palette("take-that")["sheet"][1:]))
    edge = {image.getpixel((x, HEIGHT - 206)) for x in range(130, WIDTH - 130, 3)}
    assert edge == {sheet}, "something was drawn below the last row"


@pytest.mark.parametrize("name", [*ORDINARY_NAMES[:: choose_count(3, 1)], "W" * 40, "i" * 40, "Ж" * 40])
@pytest.mark.hostile
def test_any_name_can_be_drawn(name):
    open_image(
        draw_result(
            build_shared_result((name,), (name, name), (name, name, name, name), verdict=f"{name} wins with 3.")
        )
    )
    open_image(draw_result(build_shared_result((name,) * 5)))


def test_undrawable_letters_are_left_out():
    assert [get_drawable_text(name) for name in ("Zoë 🦊", "李小龍", "Ἀχιλλεύς", "  ", "A\u202eb", "Ωmega")] == [
        "Zoë",
        "?",
        "Αχιλλεύς",
        "?",
        "Ab",
        "Ωmega",
    ]


def test_long_texts_are_truncated_with_an_ellipsis():
    font = Font(Weight.BOLD, 40)
    short = font.truncate("W" * 40, 300)
    assert short.endswith("W…") and font.width(short) <= 300
    lines = font.wrap("one two three four five six seven", 200, 2)
    assert len(lines) == 2 and lines[1].endswith("…") and all(font.width(line) <= 200 for line in lines)
    assert font.truncate("Ann", 300) == "Ann"


def test_the_image_has_the_colours_of_the_light_theme():
    for slug in get_games():
        palette = load_palette(slug)
        assert int(palette["sheet"][1:3], 16) > 200 and int(palette["accent"][1:3], 16) < 150, slug


# The pages


def test_everyone_with_access_gets_the_result_image(alice, table, mate, stranger, nobody):
    url = reverse("picture", args=[finish_table(alice, table).public_id])
    for person in (alice, mate, create_guest(table, "viewer"), create_guest(table, "scorer")):
        response = person.get(url)
        assert response.status_code == 200 and response["Content-Type"] == "image/png"
        assert {"private", "no-store"} <= set(re.split(", *", response["Cache-Control"]))
        open_image(response.content)
    assert {person.get(url).status_code for person in (stranger, nobody)} == {404}


def test_the_image_is_in_the_language_of_the_request(alice, table):
    url = reverse("picture", args=[finish_table(alice, table).public_id])
    english, greek = (alice.get(url, headers={"Accept-Language": language}).content for language in LANGUAGES)
    assert english != greek


def test_a_table_without_a_result_has_no_image(alice, table):
    url, share_url = (reverse(name, args=[table.public_id]) for name in ("picture", "share"))
    assert alice.get(url).status_code == 404
    alice.count(table, 0, 12, 10, 1, insist="deal")
    assert alice.get(url).status_code == 404 and url not in alice.get(share_url).content.decode()
    alice.enter(table, kind="close")
    assert alice.get(url).status_code == 404


def test_concealed_counts_have_no_image(alice, table):
    for seat in range(3):
        alice.count(table, seat, 12, 10, seat, insist="deal")
    alice.count(table, 0, 12, 10, 1, round=2, insist="deal")
    alice.enter(table, kind="close")
    url = reverse("picture", args=[table.public_id])
    assert alice.get(url).status_code == 200
    Table.objects.filter(pk=table.pk).update(hides_counts=True)
    assert alice.get(url).status_code == 404
    assert url not in alice.get(reverse("share", args=[table.public_id])).content.decode()


def test_erased_players_have_a_placeholder_name(alice, table):
    finish_table(alice, table)
    Player.objects.filter(name="Ann").delete()
    (record,) = iter_records(Table.objects.filter(pk=table.pk))
    with translation.override("en"):
        assert "a player" in format_result(build_result(record)) and "Ann" not in format_result(build_result(record))
    with translation.override("el"):
        assert "a player" not in format_result(build_result(record))


def test_the_share_page_works_without_scripts(alice, table):
    page = alice.page("share", finish_table(alice, table).public_id)
    (record,) = iter_records(Table.objects.filter(pk=table.pk))
    with translation.override("en"):
        text = format_result(build_result(record))
    image, box = page.one("img", id="picture"), page.one("textarea", id="told")
    assert image.attrs["src"] == reverse("picture", args=[table.public_id]) and image.attrs["alt"] == text
    assert "readonly" in box.attrs and box.text.split() == text.split()
    assert table.public_id not in text and "/" not in text
    assert (
        page.one("a", download=f"take-that-{timezone.localtime(table.began_at):%Y-%m-%d}.png").attrs["href"]
        == image.attrs["src"]
    )
