"""Who is who, and which game is which, in a file that has been read. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TypeVar

from companion.core.sanitize import fold_text
from companion.exchange.export_records import make_player_uid, make_table_uid
from companion.exchange.formats import notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import ImportedPlayer, ImportedTable, ImportFile
from companion.games import get_games, get_generic_game
from companion.history.game_titles import find_game_by_title, games_by_title
from companion.history.models import LONGEST_OUTSIDE, Alias, SeatResult
from companion.people.models import Circle, Player
from companion.tables.models import Table

SIMILARITY_THRESHOLD = 0.8
"""How much of two names must be the same for one to be suggested for the other."""
MIN_PREFIX_LENGTH = 2
"""Letters of the beginning of a name."""
MAX_COMPARISONS = 40_000
"""Pairs of names that are compared letter by letter; in larger files only what begins alike is found."""


Value = TypeVar("Value")


class Confidence(StrEnum):
    """How sure it is who somebody is."""

    KNOWN = "known"
    SUGGESTED = "suggested"
    NEW = "new"


@dataclass(frozen=True)
class PlayerMatch:
    """Somebody in the file, and who that is here; None where nobody is like that."""

    stranger: ImportedPlayer
    how: Confidence
    player: Player | None = None


@dataclass(frozen=True)
class GameChoice:
    """What a game is here: one with a folder, or one that is called so."""

    slug: str = ""
    called: str = ""


@dataclass(frozen=True)
class GameMatch:
    """The name of a game in the file, and what that is here."""

    name: str
    how: Confidence
    chosen: GameChoice


@dataclass(frozen=True)
class FileMatch:
    """What a file would bring: only who sits at a new table is asked for."""

    people: tuple[PlayerMatch, ...]
    titles: tuple[GameMatch, ...]
    fresh: tuple[ImportedTable, ...]
    known: int
    """Tables that are here already."""


def match_file(circle: Circle, parcel: ImportFile) -> FileMatch:
    """All names that the new tables of a file need, those who are surest first."""
    fresh = find_new_tables(circle, parcel)
    seated = {own for sitting in fresh for own in sitting.seats if own is not None}
    strangers = [stranger for stranger in parcel.people if stranger.id in seated]
    names = {fold_text(sitting.game_name): sitting.game_name for sitting in fresh if sitting.game is None}
    return FileMatch(
        people=_match_players(circle, parcel.kind, strangers),
        titles=_match_games(circle, parcel.kind, tuple(names.values())),
        fresh=fresh,
        known=len(parcel.sittings) - len(fresh),
    )


def find_new_tables(circle: Circle, parcel: ImportFile) -> tuple[ImportedTable, ...]:
    """The tables of a file that are not here yet: neither played here nor taken in before, in whatever format.

    Our own file and the notation call a table by its id, and files of BG Stats by what is made of that id.
    """
    ids: set[str] = set()
    plays: set[str] = set()
    for public_id, source in Table.objects.filter(circle=circle).values_list("public_id", "source").iterator():
        kind, _colon, own = (source or "").partition(":")
        ids.add(public_id)
        (plays if kind == bgstats.KIND else ids).add(own)
    if parcel.kind == bgstats.KIND:
        known = plays | {make_table_uid(own) for own in ids}
        return tuple(sitting for sitting in parcel.sittings if sitting.source not in known)
    return tuple(
        sitting
        for sitting in parcel.sittings
        if sitting.source not in ids and not (plays and make_table_uid(sitting.source) in plays)
    )


def format_source(parcel: ImportFile, sitting: ImportedTable) -> str:
    """What a table is remembered by, so that it comes in once."""
    return f"{parcel.kind}:{sitting.source}"


def get_external_id(kind: str, stranger: ImportedPlayer) -> str:
    """What a stranger is remembered by. The notation knows no ids, only names."""
    return (fold_text(stranger.id) if kind == notation.KIND else stranger.id)[:LONGEST_OUTSIDE]


def get_external_game_id(name: str) -> str:
    return fold_text(name)[:LONGEST_OUTSIDE]


def _match_players(circle: Circle, kind: str, strangers: Sequence[ImportedPlayer]) -> tuple[PlayerMatch, ...]:
    """One player for everybody, and nobody for two, unless that was chosen before."""
    players = list(Player.objects.filter(circle=circle).order_by("pk"))
    found = _find_remembered(circle, kind, strangers, {player.pk: player for player in players})
    taken = {person.player for person in found.values()}
    free = {player.pk: player for player in players if player not in taken}
    for how, find in _iter_strategies(circle, len(strangers), players):
        for stranger in strangers:
            own = find(stranger, free.values()) if stranger.id not in found else None
            if own is not None:
                found[stranger.id] = PlayerMatch(stranger, how, free.pop(own.pk))
    people = [found.get(stranger.id, PlayerMatch(stranger, Confidence.NEW)) for stranger in strangers]
    return tuple(
        sorted(people, key=lambda person: (list(Confidence).index(person.how), fold_text(person.stranger.name)))
    )


def _find_remembered(
    circle: Circle, kind: str, strangers: Sequence[ImportedPlayer], players: Mapping[int, Player]
) -> dict[str, PlayerMatch]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.PLAYER)
    known = dict(rows.values_list("outside", "player"))
    found = {stranger.id: (stranger, known.get(get_external_id(kind, stranger))) for stranger in strangers}
    return {
        own: PlayerMatch(stranger, Confidence.KNOWN, players[number])
        for own, (stranger, number) in found.items()
        if number is not None and number in players
    }


_Finder = Callable[[ImportedPlayer, Iterable[Player]], Player | None]


def _iter_strategies(circle: Circle, strangers: int, players: Sequence[Player]) -> Iterator[tuple[Confidence, _Finder]]:
    """The ways to find somebody among the players that are left, the surest first."""
    uids = {player.pk: make_player_uid(circle, player) for player in players}
    plain = {player.pk: fold_text(player.name) for player in players}
    are_few = strangers * len(players) <= MAX_COMPARISONS
    yield Confidence.KNOWN, lambda own, free: _find_first(free, lambda player: uids[player.pk] == own.id)
    yield Confidence.KNOWN, lambda own, free: _find_first(free, lambda player: player.name == own.name)
    yield (
        Confidence.SUGGESTED,
        lambda own, free: _find_similar(fold_text(own.name), {plain[p.pk]: p for p in free}, are_few),
    )


def _find_first(players: Iterable[Player], is_it: Callable[[Player], bool]) -> Player | None:
    return next(filter(is_it, players), None)


def _find_similar(name: str, known: Mapping[str, Value], are_few: bool) -> Value | None:
    """The value whose name is the same when folded, or begins alike, or is close."""
    if name in known:
        return known[name]
    begun = [own for own in known if min(len(own), len(name)) >= MIN_PREFIX_LENGTH and _shares_prefix(own, name)]
    if begun:
        return known[max(begun, key=len)]
    close = (
        [(ratio, own) for own in known if (ratio := _compute_similarity(own, name)) >= SIMILARITY_THRESHOLD]
        if are_few
        else []
    )
    return known[max(close)[1]] if close else None


def _shares_prefix(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _compute_similarity(one: str, other: str) -> float:
    """How much of two names is the same; 0 where a quick look says that it is too little."""
    pair = SequenceMatcher(None, one, other, autojunk=False)
    return (
        pair.ratio()
        if pair.real_quick_ratio() >= SIMILARITY_THRESHOLD and pair.quick_ratio() >= SIMILARITY_THRESHOLD
        else 0
    )


def _match_games(circle: Circle, kind: str, names: Sequence[str]) -> tuple[GameMatch, ...]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.GAME)
    remembered = {
        row.outside: GameChoice(row.game, row.called) for row in rows if not row.game or row.game in get_games()
    }
    called = {fold_text(name): GameChoice(called=name) for name in list_named_games(circle)}
    known = {**called, **{name: GameChoice(game.slug) for name, game in games_by_title().items()}}
    are_few = len(names) * len(known) <= MAX_COMPARISONS
    found = [_match_game(name, remembered, known, are_few) for name in names]
    return tuple(sorted(found, key=lambda title: (list(Confidence).index(title.how), fold_text(title.name))))


def _match_game(
    name: str, remembered: Mapping[str, GameChoice], known: Mapping[str, GameChoice], are_few: bool
) -> GameMatch:
    plain, game = fold_text(name), find_game_by_title(name)
    if get_external_game_id(name) in remembered:
        return GameMatch(name, Confidence.KNOWN, remembered[get_external_game_id(name)])
    if game is not None or plain in known:
        return GameMatch(name, Confidence.KNOWN, GameChoice(game.slug) if game else known[plain])
    like = _find_similar(plain, known, are_few)
    return (
        GameMatch(name, Confidence.SUGGESTED, like)
        if like
        else GameMatch(name, Confidence.NEW, GameChoice(called=name))
    )


def list_named_games(circle: Circle) -> list[str]:
    """The games without a folder that a circle has played."""
    rows = SeatResult.objects.filter(circle=circle, game=get_generic_game().slug).exclude(called="")
    return list(rows.values_list("called", flat=True).distinct().order_by("called"))
