"""Pictures of statistics as geometry: every coordinate computed, nothing drawn. Django and templates are elsewhere."""

from companion.charts.columns import Column, Months, months
from companion.charts.letters import cut
from companion.charts.lines import Course, Series, course
from companion.charts.points import Dots, dots
from companion.charts.rows import Bar, Bars, bars

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
