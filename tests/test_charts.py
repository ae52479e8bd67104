"""Geometry and accessibility of charts."""

import re
from datetime import date, timedelta
from itertools import compress, pairwise

import pytest
from django.template import engines
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from companion.avatars import SIGNS
from companion.charts.bar_chart import Bar, build_bar_chart
from companion.charts.column_chart import build_column_chart
from companion.charts.line_chart import Series, build_line_chart
from companion.charts.scales import LINE_HEIGHT, choose_axis_numbers, spread_labels
from companion.charts.scatter_chart import build_scatter_chart
from companion.charts.text_width import FONT_SIZE, measure_text, truncate_text
from companion.core.text import Text

HUGE = 10**9
HOSTILE = "<script>alert(1)</script>"
REVERSED = "\u202eabc"
WIDE = "W" * 40
POINTS = st.integers(1, 30).flatmap(
    lambda rounds: st.lists(st.tuples(*[st.integers(-HUGE, HUGE)] * rounds), min_size=1, max_size=12)
)


def make_text(name):
    return Text("{name}", (("name", name),))


def build_series(*values, name="Anna"):
    return [Series(make_text(name), points, at % 8, SIGNS[at % 16].name) for at, points in enumerate(values)]


def build_lines(series):
    labels = [str(at + 1) for at in range(len(series[0].values))]
    return build_line_chart(series, title=make_text("Totals"), labels=labels)


def build_dots(values, name="Cards", **options):
    days = [date(2026, 1, 1) + timedelta(at) for at in range(len(values))]
    return build_scatter_chart(values, title=make_text(name), days=days, **options)


def parse_path(path):
    return [tuple(map(float, part.split())) for part in path.removeprefix("M").split("L")]


def render_chart(kind, chart, language="en"):
    source = f'{{% include "charts/_{kind}.html" with chart=chart id="c1" %}}'
    with translation.override(language):
        return engines["django"].from_string(source).render({"chart": chart})


def build_charts(name):
    return {
        "course": build_lines(build_series((1, 5), (2, 2), (2, 7), name=name)),
        "bars": build_bar_chart(
            [Bar(make_text(name), (3, 1, 2), 0, "sun")], title=make_text(name), parts=(make_text(name),) * 3
        ),
        "months": build_column_chart({date(2026, 3, 1): 1234}, title=make_text(name)),
        "dots": build_dots(list(range(1200, 1212)), name),
    }


@given(POINTS)
def test_a_line_chart_stays_within_its_bounds(values):
    chart = build_lines(build_series(*values))
    for line in chart.lines:
        for segment in line.segments:
            assert all(
                chart.axis.left <= x <= chart.right and 0 <= y <= chart.axis.bottom for x, y in parse_path(segment.path)
            )
        assert all(0 < x < chart.right and 0 < y < chart.height for (x, y), _radius in line.dots)
        assert FONT_SIZE <= line.end_y + FONT_SIZE / 3 <= chart.height
    for number, y in chart.axis.ticks:
        assert measure_text(f"{number}") <= chart.axis.left - 4 and 0 <= y <= chart.axis.bottom
    totals = [measure_text(f"{line.series.total}") for line in chart.lines]
    assert chart.names_x + chart.name_width + max(totals, default=0) <= chart.width
    assert chart.right - chart.axis.left > 40 and chart.label_y <= chart.height


@given(st.lists(st.integers(-HUGE, HUGE), min_size=1, max_size=12))
def test_names_of_lines_never_touch_and_are_sorted_by_total(totals):
    lines = build_lines(build_series(*((0, total) for total in totals))).lines
    ends = sorted((line.end_y, -line.series.total) for line in lines)
    assert all(upper[0] + LINE_HEIGHT <= lower[0] + 0.2 and upper[1] <= lower[1] for upper, lower in pairwise(ends))


def test_labels_move_no_further_than_necessary():
    assert spread_labels([50, 20, 90], 0, 100, 10) == (50, 20, 90)
    assert spread_labels([50, 50, 90], 0, 100, 10) == (45, 55, 90)
    assert spread_labels([100, 98, 100], 0, 100, 10) == (90, 80, 100)


def test_higher_totals_are_drawn_higher():
    (line,) = build_lines(build_series((-20, 0, 0, 15, 40))).lines
    ys = [y for _x, y in parse_path(line.segments[0].path)]
    assert ys == sorted(ys, reverse=True) and ys[1] == ys[2]
    assert (ys[0] - ys[1]) / (ys[0] - ys[4]) == pytest.approx(20 / 60, abs=0.01)


@given(st.integers(-HUGE, HUGE), st.integers(-HUGE, HUGE))
def test_an_axis_has_three_to_five_round_numbers(first, second):
    numbers = choose_axis_numbers(min(first, second), max(first, second))
    steps = {after - before for before, after in pairwise(numbers)}
    assert 3 <= len(numbers) <= 5 and len(steps) == 1 and str(steps.pop()).rstrip("0") in ("1", "2", "5")
    assert numbers[0] <= min(first, second) and max(first, second) <= numbers[-1]


def test_every_line_chart_includes_zero():
    for values in ((5, 9), (-5, -9), (0, 0), (HUGE,)):
        assert 0 in build_lines(build_series(values)).axis.numbers


def test_a_single_round_is_drawn_as_dots():
    chart = build_lines(build_series((3,), (5,)))
    assert [(line.segments, len(line.dots)) for line in chart.lines] == [((), 1), ((), 1)]


def test_overlapping_lines_are_drawn_as_alternate_dashes():
    chart = build_lines(build_series((1, 5, 9), (1, 5, 2), (4, 4, 4)))
    assert [[(segment.dash, segment.dash_offset) for segment in line.segments] for line in chart.lines] == [
        [("6 6", 0), ("", 0)],
        [("6 6", -6), ("", 0)],
        [("", 0)],
    ]
    assert chart.lines[0].segments[0].path == chart.lines[1].segments[0].path


def test_rounds_are_labelled_where_there_is_room():
    labels = build_lines(build_series(tuple(range(100)))).labels
    assert labels[-1][0] == "100"
    assert all(x + measure_text(label) < after for (label, x), (_label, after) in pairwise(labels))


@given(st.lists(st.tuples(*[st.integers(0, HUGE)] * 3), max_size=20))
def test_a_bar_chart_stays_within_its_bounds_and_has_one_scale(parts):
    chart = build_bar_chart(
        [Bar(make_text("Anna"), values, 0, "sun") for values in parts],
        title=make_text("Wins"),
        parts=(make_text("won"),) * 3,
    )
    for row in chart.rows:
        assert row.numbers_x + measure_text(row.bar.numbers) <= chart.width + 0.2
        assert row.y + chart.bar_height <= chart.height
        fills = ("currentColor", "url(#hatch-0)", "none")
        assert [segment.fill for segment in row.segments if segment.width] == [*compress(fills, row.bar.parts)]
    ends = [row.numbers_x for row in sorted(chart.rows, key=lambda row: row.bar.total)]
    assert all(
        before <= after + 4.6 for before, after in pairwise(ends)
    )  # up to three segments are widened to stay visible


@pytest.mark.parametrize("count", [1, 2, 7, 13, 24])
@pytest.mark.parametrize("plays", [0, 9, 99, HUGE])
def test_month_labels_never_touch_and_years_are_shown(count, plays):
    chart = build_column_chart({date(2024 + at // 12, at % 12 + 1, 1): plays for at in range(5, 5 + count)})
    assert len(chart.columns) == count
    assert all(column.x >= 0 and column.x + chart.column_width <= chart.width for column in chart.columns)
    assert all(FONT_SIZE + 4 <= column.y <= chart.axis.bottom for column in chart.columns)
    for attribute, room in (("has_month", 36), ("has_year", 36)):
        middles = [column.center_x for column in chart.columns if getattr(column, attribute)]
        assert middles and all(before + room <= after for before, after in pairwise(middles))


@given(st.lists(st.integers(-HUGE, HUGE), min_size=1, max_size=150), st.booleans())
def test_a_scatter_chart_stays_within_its_bounds_and_shows_every_value(values, is_rank):
    values = [abs(value) % 12 + 1 for value in values] if is_rank else values
    chart = build_dots(values, is_rank=is_rank)
    assert [point.value for point in chart.points] == values
    assert all(
        chart.axis.left <= point.x <= chart.width and 0 <= point.y <= chart.axis.bottom for point in chart.points
    )
    assert all(0 <= y <= chart.axis.bottom for _x, y in (parse_path(chart.trend) if chart.trend else ()))


def test_a_running_mean_needs_eight_values():
    assert build_dots([1, 2, 3, 4, 5, 6, 7]).trend == ""
    chart = build_dots([1, 2, 3, 4, 5, 6, 7, 13])
    assert [point.mean for point in chart.points] == [None] * 4 + [3, 4, 5, 7]
    assert len(parse_path(chart.trend)) == 4


def test_rank_one_is_drawn_at_the_top():
    for is_rank in (False, True):
        ys = [point.y for point in build_dots([1, 2, 4], is_rank=is_rank).points]
        assert ys == sorted(ys, reverse=not is_rank)


@pytest.mark.parametrize("name", ["Anna", "Κωνσταντίνα", WIDE, REVERSED, "👩‍👩‍👧" * 20, "e\u0301" * 40, ""])
@pytest.mark.parametrize("room", [20, 94])
def test_a_long_name_is_truncated(name, room):
    short = truncate_text(name, room)
    assert measure_text(short) <= room
    assert short == name or short.endswith("…") or name == REVERSED


@pytest.mark.parametrize("kind", ["course", "bars", "months", "dots"])
@pytest.mark.parametrize("name", [HOSTILE, REVERSED, WIDE, "{name} & %s"])
def test_a_hostile_name_is_escaped(kind, name):
    page = render_chart(kind, build_charts(name)[kind])
    assert "<script" not in page and "style=" not in page
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", page)
    assert WIDE not in texts and not any("\u202e" in text for text in texts)
    assert re.search(r"<(title|desc) [^>]*>[^<]*(script|abc|WWW|%s)", page)


@pytest.mark.parametrize("kind", ["course", "bars", "months", "dots"])
def test_a_chart_has_a_title_and_a_table(kind):
    page = render_chart(kind, build_charts("Anna")[kind])
    title_id, description_id = re.search(r'role="img"\s+aria-labelledby="([\w-]+) ([\w-]+)"', page).groups()
    assert f'<title id="{title_id}">' in page and re.search(rf'<desc id="{description_id}">[^<]*\d', page)
    assert "<summary>As a table</summary>" in page and '<th scope="row">' in page


@pytest.mark.parametrize("kind", ["course", "bars", "months", "dots"])
def test_coordinates_ignore_decimal_commas_of_the_language(kind):
    page = render_chart(kind, build_charts("Anna")[kind], "el")
    numbers = re.findall(r' (?:x|y|cx|cy|r|width|height)="([^"]*)"', page)
    assert len(numbers) > 5 and all(re.fullmatch(r"-?\d+(\.\d+)?", number) for number in numbers)
