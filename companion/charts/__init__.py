"""Pictures of statistics as geometry: every coordinate computed, nothing drawn. Django and templates are elsewhere."""

from companion.charts.bar_chart import Bar, Bars, bars
from companion.charts.column_chart import Column, Months, months
from companion.charts.line_chart import Course, Series, course
from companion.charts.scatter_chart import Dots, dots
from companion.charts.text_width import cut

__all__ = [
    "Bar",
    "Bars",
    "Column",
    "Course",
    "Dots",
    "Months",
    "Series",
    "bars",
    "course",
    "cut",
    "dots",
    "months",
]
