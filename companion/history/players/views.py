"""Player pages: the list, a player's statistics, and renaming, merging and erasing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from companion.avatars import COLOURS, SIGNS, Sign
from companion.charts.column_chart import ColumnChart
from companion.charts.scatter_chart import ScatterChart
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text
from companion.history.models import Fact, Rating
from companion.history.players import erase, merge
from companion.history.statistics import aggregation, charts, player_stats, ratings
from companion.history.statistics.game_facts import FactGroup, format_facts_by_game
from companion.history.statistics.player_stats import PlayedMatch, PlayerGameStats, PlayerStats
from companion.history.statistics.ratings import MIN_MATCHES
from companion.people import services
from companion.people.auth import get_circle
from companion.people.models import Circle, Device, Player
from companion.people.validators import clean_name
from companion.people.views import get_member_or_404

MAX_PLAYERS = 500
"""On one page."""


@dataclass(frozen=True)
class PlayersPage:
    """The players of a circle."""

    active: Sequence[Player]
    hidden: Sequence[Player]


@dataclass(frozen=True)
class PlayerPage:
    """A player's statistics."""

    player: Player
    stats: PlayerStats
    games: Sequence[tuple[PlayerGameStats, Sequence[FactGroup]]]
    """Results and facts by game."""
    rank_chart: ScatterChart | None
    month_chart: ColumnChart | None
    ratings: Sequence[Rating]
    pending: int
    """Tables still to be counted."""
    min_rated_matches: ClassVar[int] = MIN_MATCHES


@dataclass(frozen=True)
class ChangePlayerPage:
    """The form that changes a player, with what is to be confirmed or was wrong."""

    player: Player
    typed_name: str
    others: Iterable[Player]
    """Players it can be merged with."""
    error: Text | None = None
    merging_with: Player | None = None
    is_erasing: bool = False
    colours: ClassVar[Sequence[tuple[int, Text]]] = tuple(enumerate(COLOURS))
    signs: ClassVar[Sequence[Sign]] = SIGNS


@never_cache
@require_safe
def players_page(request: HttpRequest) -> HttpResponse:
    players = Player.objects.of(get_circle(request))[:MAX_PLAYERS]
    active = [player for player in players if player.left_at is None]
    page = PlayersPage(active, [player for player in players if player.left_at is not None])
    return render(request, "history/players.html", {"page": page})


@never_cache
@require_safe
def player_page(request: HttpRequest, number: int) -> HttpResponse:
    _device, circle, player = _get_player_or_404(request, number)
    return render(request, "history/player.html", {"page": build_player_page(circle, player)})


def build_player_page(circle: Circle, player: Player) -> PlayerPage:
    pending = aggregation.catch_up(circle)
    matches = player_stats.list_matches(player)
    stats = player_stats.build_player_stats(player, matches)
    facts = format_facts_by_game(Fact.objects.filter(player=player))
    return PlayerPage(
        player=player,
        stats=stats,
        games=[(game, facts.get(game.slug, ())) for game in stats.by_game],
        rank_chart=charts.build_rank_chart(matches, player),
        month_chart=charts.build_player_month_chart(matches),
        ratings=_list_ratings(circle, player, matches),
        pending=pending,
    )


def _list_ratings(circle: Circle, player: Player, matches: Sequence[PlayedMatch]) -> list[Rating]:
    """Return the player's ratings from at least `MIN_MATCHES` matches, after bringing them up to date."""
    for game, called in {(match.game, match.called) for match in matches if match.rank}:
        ratings.catch_up(circle, game, called)
    return list(Rating.objects.filter(player=player, matches__gte=MIN_MATCHES).order_by("-matches"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change_player(request: HttpRequest, number: int) -> HttpResponse:
    device, circle, player = _get_player_or_404(request, number)
    others = circle.players.exclude(pk=player.pk).order_by("name")
    page = ChangePlayerPage(player, request.POST.get("name", player.name)[:160], others[:MAX_PLAYERS])
    if request.method == "POST":
        other = others.filter(pk=parse_small_number(request.POST.get("other", "")) or 0).first()
        try:
            answer = _apply_action(request.POST, page, other, device)
        except Malformed as error:
            answer = replace(page, error=error.text)
        if isinstance(answer, HttpResponse):
            return answer
        page = answer
    return render(request, "history/change_player.html", {"page": page}, status=422 if page.error else 200)


def _apply_action(
    posted: QueryDict, page: ChangePlayerPage, other: Player | None, by: Device
) -> ChangePlayerPage | HttpResponse:
    """Apply the posted action, or return a page that asks whether to.

    Raises Malformed, and Http404 if the device was removed from the circle meanwhile.
    """
    player, action, is_sure = page.player, posted.get("action", ""), "sure" in posted
    match action:
        case "rename":
            services.rename_player(player, name=clean_name(posted.get("name", "")), by=by)
        case "look":
            colour = parse_small_number(posted.get("colour", ""))
            sign = posted.get("sign", "")
            services.set_player_look(player, colour=-1 if colour is None else colour, sign=sign, by=by)
        case "leave" | "return":
            services.set_left_out(player, is_left_out=action == "leave", by=by)
        case "merge" if other is not None and is_sure:
            merge.merge_players(player, other, by=by)
        case "merge" if other is not None:
            return replace(page, merging_with=other)
        case "erase" if is_sure:
            erase.erase_player(player, by=by)
            return redirect("players")
        case "erase":
            return replace(page, is_erasing=True)
    return redirect("player", player.pk)


def _get_player_or_404(request: HttpRequest, number: int) -> tuple[Device, Circle, Player]:
    """Return the requesting device, its circle, and the circle's player with this id. Raises Http404."""
    device, circle = get_member_or_404(request)
    return device, circle, get_object_or_404(circle.players.select_related("circle"), pk=number)
