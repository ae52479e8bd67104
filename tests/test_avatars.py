"""Colours and signs of players."""

import math
import re
from itertools import combinations
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines

from companion.avatars import COLOURS, GRID, SIGNS, get_sign

CSS = Path(settings.ROOT, "static", "css", "tokens.css")
TOKEN = re.compile(r"(--\w+): light-dark\((#\w{6}), (?:var\(--night-\w+, )?(#\w{6})\)+;")
THEMES = {"light": 2, "dark": 3}
"""The group of a token that has the colour of a theme."""
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
"""Matrices in linear RGB for full severity, from Machado, Oliveira and Fernandes (2009)."""
VISIONS = {"usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)), "deuteranopia": DEUTERANOPIA, "protanopia": PROTANOPIA}
NUMBER = r"-?\d*\.?\d+"


def read_tokens(theme, names):
    tokens = {match[1]: match[THEMES[theme]] for match in TOKEN.finditer(CSS.read_text())}
    return {name: colour for name, colour in tokens.items() if re.fullmatch(names, name)}


def convert_to_linear(colour):
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def get_luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def get_contrast(colour, background):
    dark, light = sorted((get_luminance(convert_to_linear(colour)), get_luminance(convert_to_linear(background))))
    return (light + 0.05) / (dark + 0.05)


def convert_to_lab(rgb):
    red, green, blue = rgb
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, get_luminance(rgb), z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def simulate_vision(colour, vision):
    rgb = convert_to_linear(colour)
    return convert_to_lab(
        [min(1, max(0, sum(factor * value for factor, value in zip(row, rgb, strict=True)))) for row in VISIONS[vision]]
    )


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_contrasts_with_the_background(theme):
    sheet = read_tokens(theme, "--sheet")["--sheet"]
    colours = read_tokens(theme, r"--look\d")
    assert list(colours) == [f"--look{index}" for index in range(len(COLOURS))]
    assert min(get_contrast(colour, sheet) for colour in colours.values()) >= 3


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", THEMES)
def test_colours_differ_for_the_colour_blind(theme, vision):
    colours = [simulate_vision(colour, vision) for colour in read_tokens(theme, r"--look\d").values()]
    assert min(math.dist(first, second) for first, second in combinations(colours, 2)) >= 19


def test_no_two_signs_are_the_same():
    assert len(SIGNS) == len({sign.name for sign in SIGNS}) == len({sign.path for sign in SIGNS}) == 16
    assert len({str(sign.label) for sign in SIGNS}) == 16


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.name)
def test_signs_are_closed_shapes_inside_their_grid(sign):
    arguments = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "A": 7, "Z": 0}
    assert re.fullmatch(rf"([MLHVCAZ]|{NUMBER}| )+", sign.path)
    assert sign.path[0] == "M" and sign.path[-1] == "Z" and sign.path.count("M") == sign.path.count("Z")
    for command, rest in re.findall(r"([MLHVCAZ])([^MLHVCAZ]*)", sign.path):
        numbers = [float(number) for number in re.findall(NUMBER, rest)]
        assert len(numbers) == arguments[command]
        ends = numbers[5:] if command == "A" else numbers
        assert all(0 <= number <= GRID for number in ends)


def test_get_sign_returns_none_for_an_unknown_name():
    assert [get_sign(sign.name) for sign in SIGNS] == list(SIGNS)
    assert get_sign("dragon") is None


def test_an_avatar_is_coloured_and_hidden_from_screen_readers():
    def render_avatar(name, colour):
        return engines["django"].from_string("{% load avatars %}{% avatar name colour %}").render(locals())

    assert render_avatar("moon", 3).startswith('<svg class="sign look3" viewBox="0 0 24 24" aria-hidden="true"><path ')
    assert render_avatar("<script>", 3) == ""
