"""The pages that take in a file: choosing it, and saying who is who in it. Reading and writing are in exchange."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from companion import limits
from companion.core.sanitize import fold_text
from companion.core.schema import Malformed, parse_small_number
from companion.core.text import Text, _, ngettext
from companion.exchange import importer, matching
from companion.exchange.import_data import BadFile, ImportFile
from companion.exchange.match_choices import Choices, get_default_choices
from companion.exchange.match_form import MAX_OPTIONS, build_game_field, build_player_field
from companion.exchange.matching import FileMatch, GameChoice, GameMatch, PlayerMatch
from companion.exchange.serialization import unpack
from companion.exchange.upload_reader import parse_in_child
from companion.history import uploads
from companion.history.game_titles import games_by_title
from companion.history.models import Upload
from companion.people.auth import create_circle, create_member_device, get_device, set_device_cookie
from companion.people.models import Circle, Device, Player
from companion.people.rate_limits import RateLimitExceeded, count_new_circle, count_upload
from companion.web.concurrency import limit_concurrency
from companion.web.logging import Event, log_security_event

MAX_FIELDS = 200
"""People, and games, that are asked for on one page; whoever comes after that is new."""
MAX_REASONS = 20
MAX_ATTEMPTS = 5
"""To take in a file whose players others merge or erase meanwhile."""
_LINE = re.compile(r"line ([0-9]{1,9})")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """The form; a file that can be read is kept until it is known who is who."""
    if request.method != "POST":
        return _render_form(request)
    try:
        name, content = _read_file(request)
    except RateLimitExceeded as error:
        return _render_form(request, BadFile("", _format_rate_limit(error)), wait=error.wait)
    except BadFile as error:
        log_security_event(Event.IMPORT_REFUSED)
        return _render_form(request, error)
    device, token = get_device(request), ""
    with transaction.atomic():
        if device is None:
            count_new_circle(request)
            device, token = create_member_device(request)
        upload = uploads.save_upload(device.circle or create_circle(device), device, name=name, content=content)
    response = redirect("import-match", upload.pk)
    if token:
        set_device_cookie(response, token)
    return response


@limit_concurrency()
def _read_file(request: HttpRequest) -> tuple[str, bytes]:
    """Return the name of the file and what was read out of it, packed. Raises BadFile and RateLimitExceeded."""
    count_upload(request)
    name, content = _get_file(request)
    return name, parse_in_child(content, name)


def _get_file(request: HttpRequest) -> tuple[str, bytes]:
    """The name and the content of the file. Raises BadFile."""
    sent = request.FILES.get("file")
    length = request.headers.get("Content-Length", "")
    if (sent and (sent.size or 0) > limits.MAX_FILE_BYTES) or (
        not sent and (parse_small_number(length) or 0) > limits.MAX_FILE_BYTES
    ):
        raise BadFile("", _("The file is too large: at most {n} MB can be read.", n=limits.MAX_FILE_BYTES // 1_000_000))
    if not sent:
        raise BadFile("", _("Choose a file first."))
    return sent.name or "", sent.read()


def _format_rate_limit(error: RateLimitExceeded) -> Text:
    return ngettext(
        "Too many files uploaded. Try again in {n} minute.",
        "Too many files uploaded. Try again in {n} minutes.",
        error.minutes,
    )


def _render_form(request: HttpRequest, error: BadFile | None = None, *, wait: int = 0) -> HttpResponse:
    where = _format_location(error.where) if error and error.where else None
    context = {"error": error.text if error else None, "where": where, "most": limits.MAX_FILE_BYTES // 1_000_000}
    response = render(request, "exchange/import.html", context, status=429 if wait else 422 if error else 200)
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response


def _format_location(where: str) -> Text:
    line = _LINE.fullmatch(where)
    return _("Line {n}", n=int(line[1])) if line else Text("{where}", (("where", where),))


@dataclass(frozen=True)
class _PendingImport:
    """A file that waits, as it has been read, with the places of its people and games: they name the fields."""

    upload: Upload
    circle: Circle
    parcel: ImportFile
    found: FileMatch

    @property
    def people(self) -> Mapping[str, int]:
        return {stranger.id: place for place, stranger in enumerate(self.parcel.people)}

    @property
    def games(self) -> Mapping[str, int]:
        names = dict.fromkeys(fold_text(sitting.game_name) for sitting in self.parcel.sittings)
        return {name: place for place, name in enumerate(names)}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limit_concurrency()
def match_page(request: HttpRequest, number: int) -> HttpResponse:
    """Who is who; then all that is new is taken in, and the file is forgotten."""
    device = get_device(request)
    circle = device.circle if device else None
    upload = Upload.objects.filter(circle=circle, pk=number).first() if circle else None
    if device is None or circle is None or upload is None:
        raise Http404
    try:
        asked = _load_pending(circle, upload, has_entries=request.method == "POST")
    except BadFile as error:  # another version has kept it
        return _render_form(request, error)
    if request.method != "POST":
        return _render_match(request, asked)
    try:
        taken = _import(request, asked, device)
    except Malformed as error:
        return _render_match(request, asked, error)
    upload.delete()
    told = {"new": taken.new, "known": taken.known, "left": taken.left_out}
    return redirect(f"{reverse('history')}?{urlencode(told)}")


def _load_pending(circle: Circle, upload: Upload, *, has_entries: bool) -> _PendingImport:
    parcel = unpack(bytes(upload.content), has_entries=has_entries)
    return _PendingImport(upload, circle, parcel, matching.match_file(circle, parcel))


def _import(request: HttpRequest, asked: _PendingImport, by: Device) -> importer.ImportResult:
    """Raises Malformed and Http404."""
    for _attempt in range(MAX_ATTEMPTS - 1):
        try:
            return importer.import_tables(
                asked.circle, asked.parcel, _parse_choices(request, asked), asked.upload, by=by
            )
        except (
            IntegrityError,
            importer.ImportAlreadyStarted,
        ):  # another request takes in the same, or changes its players
            asked.upload.is_begun = not Upload.objects.filter(pk=asked.upload.pk, is_begun=False).exists()
            asked = replace(asked, found=matching.match_file(asked.circle, asked.parcel))
    return importer.import_tables(asked.circle, asked.parcel, _parse_choices(request, asked), asked.upload, by=by)


def _parse_choices(request: HttpRequest, asked: _PendingImport) -> Choices:
    """What the form says; who was not asked for is who was found. Raises Malformed.

    Where taking in was broken off, its people are who they became then, whatever an old page says.
    """
    if asked.upload.is_begun:
        return get_default_choices(asked.found)
    players = {f"p{player.pk}": player for player in Player.objects.filter(circle=asked.circle)}
    called = set(matching.list_named_games(asked.circle))
    people = {
        own.stranger.id: _parse_player(request.POST.get(f"person.{asked.people[own.stranger.id]}"), own, players)
        for own in asked.found.people
    }
    games = {
        fold_text(own.name): _parse_game(request.POST.get(f"game.{asked.games[fold_text(own.name)]}"), own, called)
        for own in asked.found.titles
    }
    return Choices(people, games)


def _parse_player(word: str | None, own: PlayerMatch, players: Mapping[str, Player]) -> Player | None:
    if word is None:
        return own.player
    if word != "new" and word not in players:
        raise Malformed(_("There is no such player here."), own.stranger.id)
    return players.get(word)


def _parse_game(word: str | None, own: GameMatch, called: set[str]) -> GameChoice:
    if word is None:
        return own.chosen
    kind, _colon, name = word.partition(":")
    if kind == "new":
        return GameChoice(called=own.name)
    if kind == "slug" and name in games_by_title():
        return GameChoice(slug=games_by_title()[name].slug)
    if kind == "called" and name in {*called, own.chosen.called}:
        return GameChoice(called=name)
    raise Malformed(_("That game isn’t known here."), "game")


def _render_match(request: HttpRequest, asked: _PendingImport, error: Malformed | None = None) -> HttpResponse:
    found = asked.found
    offered = list(Player.objects.of(asked.circle)[:MAX_OPTIONS])
    called = matching.list_named_games(asked.circle)[:MAX_OPTIONS]
    context = {
        "upload": asked.upload,
        "total": len(asked.parcel.sittings),
        "new_count": len(found.fresh),
        "known_count": found.known,
        "people": [
            build_player_field(own, asked.people[own.stranger.id], offered, request.POST)
            for own in found.people[:MAX_FIELDS]
        ],
        "unlisted_count": max(len(found.people) - MAX_FIELDS, 0),
        "games": [
            build_game_field(own, asked.games[fold_text(own.name)], called, request.POST)
            for own in found.titles[:MAX_FIELDS]
        ],
        "left_out": [(_format_location(where), why) for where, why in asked.parcel.left_out[:MAX_REASONS]],
        "left_out_count": len(asked.parcel.left_out),
        "error": error.text if error else None,
        "wrong": error.field if error else None,
    }
    return render(request, "exchange/match.html", context, status=422 if error else 200)
