"""API views. Error messages are for developers, and not translated."""

from collections.abc import Callable, Mapping
from functools import wraps
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from companion.api import serializers
from companion.api.keys import find_key
from companion.api.schema import FILTERS, VERSION
from companion.core.errors import Malformed
from companion.core.sanitize import clean_text
from companion.db.errors import DATABASE_ERRORS, RETRY_AFTER, is_transient, log_transient_error
from companion.exchange.export_records import get_record, iter_records, make_player_uid
from companion.exchange.formats.companion_json import export_table
from companion.exchange.schema import JsonObject
from companion.games import get_games
from companion.history import queries
from companion.history.queries import MAX_QUERY_LENGTH, PAGE_SIZE, Cursor, Filters
from companion.history.statistics import aggregation, player_stats
from companion.people.models import Circle, Player
from companion.people.rate_limits import InMemoryCounter, RateLimitExceeded, count_wrong_key
from companion.rulebook.loader import find_language, load_rulebook
from companion.tables.models import Table
from companion.web.concurrency import limit_concurrency
from companion.web.logging import Event, log_security_event

NOT_FOUND = "not found"
FILTER_ERRORS = {
    "game": "unknown game",
    "player": "no player has this id",
    "place": "no place has this name",
    "period": "use recent, a year such as 2026, or a month such as 2026-11",
    "before": "use the value in “next” of the previous page",
}
_requests_per_key = InMemoryCounter("API_REQUEST_RATE")


class ApiError(Exception):
    """An error response: status, message and extra headers, given with underscores for hyphens."""

    def __init__(self, status: int, error: str, **headers: str) -> None:
        super().__init__(error)
        self.status, self.error = status, error
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def _api_view(view: Callable[..., JsonObject]) -> Callable[..., JsonResponse]:
    """Turn a function that returns an object, or raises ApiError, into a view authenticated by API key alone."""

    @csrf_exempt
    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: str) -> JsonResponse:
        try:
            return _build_response(view(request, _authenticate(request), **kwargs))
        except ApiError as error:
            return _build_response({"error": error.error}, error.status, error.headers)
        except DATABASE_ERRORS as error:
            if not is_transient(error):
                raise
            log_transient_error(error)
            return _build_response({"error": "the database is unavailable"}, 503, {"Retry-After": str(RETRY_AFTER)})

    return wrapped


def _build_response(body: JsonObject, status: int = 200, headers: dict[str, str] | None = None) -> JsonResponse:
    headers = {"Cache-Control": "no-store", "Vary": "Authorization", **(headers or {})}
    return JsonResponse(body, status=status, headers=headers, json_dumps_params={"ensure_ascii": False})


def _authenticate(request: HttpRequest) -> Circle:
    """Return the circle of the key in the request. Raises ApiError."""
    if request.method not in ("GET", "HEAD"):
        raise ApiError(405, "read-only API", Allow="GET, HEAD")
    authorization = request.headers.get("Authorization", "")
    key = find_key(authorization)
    if key is None and authorization:
        log_security_event(Event.WRONG_KEY)
        try:
            count_wrong_key(request)
        except RateLimitExceeded as error:
            raise ApiError(429, "too many wrong keys", Retry_After=str(error.wait)) from None
    if key is None:
        raise ApiError(401, "send your key as “Authorization: Bearer KEY”", WWW_Authenticate="Bearer")
    try:
        _requests_per_key.count(key.key_hash)
    except RateLimitExceeded as error:
        raise ApiError(429, "too many requests with this key", Retry_After=str(error.wait)) from None
    return key.circle


@_api_view
def index(request: HttpRequest, circle: Circle) -> JsonObject:
    names = ("tables", "players", "rulebooks")
    return {"version": VERSION, **{name: reverse(f"api-{name}") for name in names}, "help": reverse("programs")}


@_api_view
@limit_concurrency()
def table_list(request: HttpRequest, circle: Circle) -> JsonObject:
    """Return a page of tables, without those that have hidden counts in an unfinished round."""
    rows = queries.filter_tables(circle, _parse_filters(circle, request.GET.dict()))
    page = list(rows[: PAGE_SIZE + 1])
    ids = [table.pk for table in page[:PAGE_SIZE]]
    summaries = [serializers.serialize_table_summary(record) for record in iter_records(rows.filter(pk__in=ids))]
    return {
        "tables": summaries,
        "next": _build_next_url(request, page[PAGE_SIZE - 1]) if len(page) > PAGE_SIZE else None,
    }


def _parse_filters(circle: Circle, params: Mapping[str, str]) -> Filters:
    """Return the filters in a query string; empty ones are ignored. Raises ApiError."""
    if not params.keys() <= FILTERS.keys():
        raise ApiError(400, f"unknown filter: use {', '.join(FILTERS)}")
    _check_query(params.get("q", ""))
    player = params.get("player", "")
    players = {player: _find_player(circle, player)} if player else {}
    places = {place.name: place for place in circle.places.all()} if params.get("place") else {}
    filters = queries.parse_filters(params, players, places)
    for name, error in FILTER_ERRORS.items():
        if params.get(name) and not getattr(filters, name):
            raise ApiError(400, f"{name}: {error}")
    return filters


def _check_query(text: str) -> None:
    try:
        clean_text(text, longest=MAX_QUERY_LENGTH)
    except Malformed:
        raise ApiError(400, f"q: at most {MAX_QUERY_LENGTH} printable characters") from None


def _find_player(circle: Circle, uid: str) -> Player | None:
    """Return the circle's player with this exported id."""
    return next((player for player in Player.objects.of(circle) if make_player_uid(circle, player) == uid), None)


def _build_next_url(request: HttpRequest, last: Table) -> str:
    params = {name: value for name, value in request.GET.dict().items() if value}
    return f"{reverse('api-tables')}?{urlencode({**params, 'before': str(Cursor(last.began_at, last.pk))})}"


@_api_view
@limit_concurrency()
def table_detail(request: HttpRequest, circle: Circle, public_id: str) -> JsonObject:
    tables = Table.objects.of(circle).not_binned()
    # PostgreSQL rejects a zero byte.
    tables = tables.filter(public_id=public_id) if public_id.isprintable() else tables.none()
    record = get_record(tables)
    if record is None:
        raise ApiError(404, NOT_FOUND)
    return export_table(record)


@_api_view
def player_list(request: HttpRequest, circle: Circle) -> JsonObject:
    return {"players": [serializers.serialize_player(circle, player) for player in Player.objects.of(circle)]}


@_api_view
def player_detail(request: HttpRequest, circle: Circle, uid: str) -> JsonObject:
    player = _find_player(circle, uid)
    if player is None:
        raise ApiError(404, NOT_FOUND)
    unread = aggregation.catch_up(circle)
    stats = player_stats.build_player_stats(player, player_stats.list_matches(player))
    return serializers.serialize_player_stats(circle, player, stats, unread)


@_api_view
def rulebook_list(request: HttpRequest, circle: Circle) -> JsonObject:
    languages = [code for code, _name in settings.LANGUAGES]
    books = [(game, code) for game in get_games().values() for code in languages if find_language(game, code) == code]
    return {"rulebooks": [serializers.serialize_rulebook_summary(*book) for book in books]}


@_api_view
def rulebook_detail(request: HttpRequest, circle: Circle, slug: str, language: str) -> JsonObject:
    game = get_games().get(slug)
    if game is None or language not in dict(settings.LANGUAGES) or find_language(game, language) != language:
        raise ApiError(404, NOT_FOUND)
    return serializers.serialize_rulebook(game, language, load_rulebook(game, language))


@_api_view
def not_found(request: HttpRequest, circle: Circle, rest: str) -> JsonObject:
    raise ApiError(404, NOT_FOUND)
