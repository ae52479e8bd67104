"""History pages: the list of past tables, with filters and search, and the bin."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from companion.core.schema import parse_small_number
from companion.core.text import Text, _, ngettext, pgettext
from companion.games import get_games
from companion.history import queries
from companion.history.queries import PAGE_SIZE, Cursor, Filters, PastTable
from companion.people.auth import get_circle
from companion.people.models import Circle, Player
from companion.tables.models import BIN_RETENTION, Place
from companion.web.i18n import translate_plain

PLACES_OFFERED = 200
"""In the filter; other places can be searched for."""


@dataclass(frozen=True)
class Select:
    """A filter with the values offered for it and their labels; `any_label` stands for no filter."""

    name: str
    label: Text
    any_label: Text
    choices: Sequence[tuple[str, str]]
    selected: str


@dataclass(frozen=True)
class HistoryPage:
    """The list of past tables, or the bin."""

    filters: Filters
    selects: tuple[Select, ...]
    past_tables: Sequence[PastTable]
    older_query: str
    """Query string of the next page; empty on the last one."""
    import_summary: tuple[Text, ...]
    bin_days: ClassVar[int] = BIN_RETENTION.days

    @property
    def is_bin(self) -> bool:
        return self.filters.is_bin

    @property
    def title(self) -> Text:
        return _("Bin") if self.is_bin else _("History")

    @property
    def back_url(self) -> str:
        return reverse("history" if self.is_bin else "home")

    @property
    def export_url(self) -> str:
        return reverse("export", query=self.filters.params)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set, apart from the search."""
        return bool(self.filters.params.keys() - {"q"})

    @property
    def empty_text(self) -> Text:
        if self.filters.params:
            return _("No tables found.")
        return _("The bin is empty.") if self.is_bin else _("No tables yet. Your history starts with the first one.")


@never_cache
@require_safe
def history_page(request: HttpRequest) -> HttpResponse:
    return render(request, "history/list.html", {"page": build_history_page(request, is_bin=False)})


@never_cache
@require_safe
def bin_page(request: HttpRequest) -> HttpResponse:
    return render(request, "history/list.html", {"page": build_history_page(request, is_bin=True)})


def build_history_page(request: HttpRequest, *, is_bin: bool) -> HistoryPage:
    circle = get_circle(request)
    players = list(Player.objects.of(circle))
    places = list(circle.places.all()[:PLACES_OFFERED]) if circle else []
    filters = parse_filters(request, players, places, is_bin=is_bin)
    tables = queries.list_past_tables(circle, filters)
    last = tables[PAGE_SIZE - 1].table if len(tables) > PAGE_SIZE else None
    return HistoryPage(
        filters=filters,
        selects=_build_selects(circle, filters.params, players, places),
        past_tables=tables[:PAGE_SIZE],
        older_query=urlencode({**filters.params, "before": str(Cursor(last.began_at, last.pk))}) if last else "",
        import_summary=_format_import_summary(request),
    )


def _build_selects(
    circle: Circle | None, params: Mapping[str, str], players: Sequence[Player], places: Sequence[Place]
) -> tuple[Select, ...]:
    games = [(game.slug, translate_plain(game.title)) for game in get_games().values()]
    periods = {"recent": gettext("last 30 days"), **{str(year): str(year) for year in queries.list_years(circle)}}
    if period := params.get("period"):
        periods.setdefault(period, period)  # a month
    offered = [
        ("game", _("Game"), _("all games"), games),
        ("player", _("Player"), _("everybody"), [(str(player.pk), player.name) for player in players]),
        ("period", _("Time"), _("any time"), list(periods.items())),
    ]
    if places:
        label = pgettext("where people play", "Place")
        offered.append(("place", label, _("anywhere"), [(str(place.pk), place.name) for place in places]))
    return tuple(Select(*select, params.get(select[0], "")) for select in offered)


def _format_import_summary(request: HttpRequest) -> tuple[Text, ...]:
    """Format the counts that the query string has after an import."""
    new, existing, skipped = (parse_small_number(request.GET.get(name, "")) for name in ("new", "known", "left"))
    if new is None:
        return ()
    lines = [ngettext("{n} table imported.", "{n} tables imported.", new)]
    if existing:
        lines.append(ngettext("{n} was already here.", "{n} were already here.", existing))
    if skipped:
        lines.append(ngettext("{n} was skipped.", "{n} were skipped.", skipped))
    return tuple(lines)


def parse_filters(request: HttpRequest, players: Iterable[Player], places: Iterable[Place], *, is_bin: bool) -> Filters:
    """Return the filters in the query string; unknown values, and those of other circles, are ignored."""
    player_by_id = {str(player.pk): player for player in players}
    place_by_id = {str(place.pk): place for place in places}
    return queries.parse_filters(request.GET.dict(), player_by_id, place_by_id, is_bin=is_bin)


def parse_export_filters(request: HttpRequest, circle: Circle | None) -> Filters:
    """Return the filters in the query string, without the page."""
    places = circle.places.all() if circle else ()
    return replace(parse_filters(request, Player.objects.of(circle), places, is_bin=False), before=None)
