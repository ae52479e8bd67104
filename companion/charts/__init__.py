"""Chart geometry: coordinates for templates to draw as SVG."""

from companion.charts.bar_chart import Bar, BarChart, build_bar_chart
from companion.charts.column_chart import Column, ColumnChart, build_column_chart
from companion.charts.line_chart import LineChart, Series, build_line_chart
from companion.charts.scatter_chart import ScatterChart, build_scatter_chart
from companion.charts.text_width import truncate_text

__all__ = [
    "Bar",
    "BarChart",
    "Column",
    "ColumnChart",
    "LineChart",
    "ScatterChart",
    "Series",
    "build_bar_chart",
    "build_column_chart",
    "build_line_chart",
    "build_scatter_chart",
    "truncate_text",
]
