"""Matching of the players and games in an import file to those of the circle."""

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
from companion.history.models import MAX_EXTERNAL_ID_LENGTH, Alias, SeatResult
from companion.people.models import Circle, Player
from companion.tables.models import Table

MIN_SIMILARITY = 0.8
"""Similarity from which a name is suggested."""
MIN_PREFIX_LENGTH = 2
MAX_COMPARISONS = 40_000
"""Pairs of names to compare by similarity; larger files are matched by prefix only."""


Value = TypeVar("Value")


class Confidence(StrEnum):
    """How reliable a match is; ordered from surest to least sure."""

    KNOWN = "known"
    SUGGESTED = "suggested"
    NEW = "new"


@dataclass(frozen=True)
class PlayerMatch:
    """A player of the file and the matching player of the circle, if any."""

    imported: ImportedPlayer
    confidence: Confidence
    player: Player | None = None


@dataclass(frozen=True)
class GameChoice:
    """A game of the circle: an installed one by slug, or a generic game by name."""

    slug: str = ""
    name: str = ""


@dataclass(frozen=True)
class GameMatch:
    """The name of a game in the file and the matching game."""

    name: str
    confidence: Confidence
    choice: GameChoice


@dataclass(frozen=True)
class Choices:
    """Players by imported id, None for a new one; games by folded name."""

    players: Mapping[str, Player | None]
    games: Mapping[str, GameChoice]


@dataclass(frozen=True)
class FileMatch:
    """The new tables of a file, with the matches for their players and games."""

    players: tuple[PlayerMatch, ...]
    games: tuple[GameMatch, ...]
    new_tables: tuple[ImportedTable, ...]
    known_count: int
    """Number of tables that have been imported before or were played here."""

    @property
    def default_choices(self) -> Choices:
        """The choices that accept every match."""
        return Choices(
            {match.imported.id: match.player for match in self.players},
            {fold_text(match.name): match.choice for match in self.games},
        )


def match_file(circle: Circle, file: ImportFile) -> FileMatch:
    """Match all players and games that the new tables of a file need, surest matches first."""
    new_tables = find_new_tables(circle, file)
    seated_ids = {player_id for table in new_tables for player_id in table.seats if player_id is not None}
    players = [player for player in file.players if player.id in seated_ids]
    names = {fold_text(table.game_name): table.game_name for table in new_tables if table.game is None}
    return FileMatch(
        players=_match_players(circle, file.kind, players),
        games=_match_games(circle, file.kind, tuple(names.values())),
        new_tables=new_tables,
        known_count=len(file.tables) - len(new_tables),
    )


def find_new_tables(circle: Circle, file: ImportFile) -> tuple[ImportedTable, ...]:
    """Return the tables that were neither played here nor imported before, in any format.

    Companion JSON and the notation identify a table by its public id, BG Stats by a UUID derived from it.
    """
    ids: set[str] = set()
    plays: set[str] = set()
    for public_id, source in Table.objects.filter(circle=circle).values_list("public_id", "source").iterator():
        kind, _colon, source_id = (source or "").partition(":")
        ids.add(public_id)
        (plays if kind == bgstats.KIND else ids).add(source_id)
    if file.kind == bgstats.KIND:
        known_ids = plays | {make_table_uid(source_id) for source_id in ids}
        return tuple(table for table in file.tables if table.source not in known_ids)
    return tuple(
        table
        for table in file.tables
        if table.source not in ids and not (plays and make_table_uid(table.source) in plays)
    )


def format_source(file: ImportFile, table: ImportedTable) -> str:
    """Return the `Table.source` that keeps a table from being imported twice."""
    return f"{file.kind}:{table.source}"


def get_external_id(kind: str, player: ImportedPlayer) -> str:
    """Return the key of a player's alias: the id, or the folded name in the notation, which has no ids."""
    return (fold_text(player.id) if kind == notation.KIND else player.id)[:MAX_EXTERNAL_ID_LENGTH]


def get_external_game_id(name: str) -> str:
    return fold_text(name)[:MAX_EXTERNAL_ID_LENGTH]


def _match_players(circle: Circle, kind: str, imported_players: Sequence[ImportedPlayer]) -> tuple[PlayerMatch, ...]:
    """Match each imported player to a different player, except where aliases say otherwise."""
    players = list(Player.objects.filter(circle=circle).order_by("pk"))
    matches = _find_remembered(circle, kind, imported_players, {player.pk: player for player in players})
    matched_players = {match.player for match in matches.values()}
    free_players = {player.pk: player for player in players if player not in matched_players}
    for confidence, find_player in _iter_strategies(circle, len(imported_players), players):
        for imported in imported_players:
            player = find_player(imported, free_players.values()) if imported.id not in matches else None
            if player is not None:
                matches[imported.id] = PlayerMatch(imported, confidence, free_players.pop(player.pk))
    rows = [matches.get(imported.id, PlayerMatch(imported, Confidence.NEW)) for imported in imported_players]
    rows.sort(key=lambda match: (list(Confidence).index(match.confidence), fold_text(match.imported.name)))
    return tuple(rows)


def _find_remembered(
    circle: Circle, kind: str, imported_players: Sequence[ImportedPlayer], players: Mapping[int, Player]
) -> dict[str, PlayerMatch]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.PLAYER)
    player_ids = dict(rows.values_list("external_id", "player"))
    candidates = {
        imported.id: (imported, player_ids.get(get_external_id(kind, imported))) for imported in imported_players
    }
    return {
        imported_id: PlayerMatch(imported, Confidence.KNOWN, players[player_id])
        for imported_id, (imported, player_id) in candidates.items()
        if player_id is not None and player_id in players
    }


_Finder = Callable[[ImportedPlayer, Iterable[Player]], Player | None]


def _iter_strategies(
    circle: Circle, imported_count: int, players: Sequence[Player]
) -> Iterator[tuple[Confidence, _Finder]]:
    """Yield the ways to find a player among those still free, the surest first."""
    uids = {player.pk: make_player_uid(circle, player) for player in players}
    folded_names = {player.pk: fold_text(player.name) for player in players}
    compare_all = imported_count * len(players) <= MAX_COMPARISONS
    yield (
        Confidence.KNOWN,
        lambda imported, free_players: _find_first(free_players, lambda player: uids[player.pk] == imported.id),
    )
    yield (
        Confidence.KNOWN,
        lambda imported, free_players: _find_first(free_players, lambda player: player.name == imported.name),
    )
    yield (
        Confidence.SUGGESTED,
        lambda imported, free_players: _find_similar(
            fold_text(imported.name), {folded_names[p.pk]: p for p in free_players}, compare_all
        ),
    )


def _find_first(players: Iterable[Player], predicate: Callable[[Player], bool]) -> Player | None:
    return next(filter(predicate, players), None)


def _find_similar(name: str, candidates: Mapping[str, Value], compare_all: bool) -> Value | None:
    """Return the value whose folded name is equal, shares a prefix, or is similar."""
    if name in candidates:
        return candidates[name]
    prefixed = [
        other for other in candidates if min(len(other), len(name)) >= MIN_PREFIX_LENGTH and _shares_prefix(other, name)
    ]
    if prefixed:
        return candidates[max(prefixed, key=len)]
    if not compare_all:
        return None
    similar = [(ratio, other) for other in candidates if (ratio := _compute_similarity(other, name)) >= MIN_SIMILARITY]
    return candidates[max(similar)[1]] if similar else None


def _shares_prefix(first: str, second: str) -> bool:
    return first.startswith(second) or second.startswith(first)


def _compute_similarity(first: str, second: str) -> float:
    """Return the similarity of two names, or 0 if an upper bound is already below the threshold."""
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return (
        matcher.ratio()
        if matcher.real_quick_ratio() >= MIN_SIMILARITY and matcher.quick_ratio() >= MIN_SIMILARITY
        else 0
    )


def _match_games(circle: Circle, kind: str, names: Sequence[str]) -> tuple[GameMatch, ...]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.GAME)
    aliases = {
        row.external_id: GameChoice(row.game, row.called) for row in rows if not row.game or row.game in get_games()
    }
    named_games = {fold_text(name): GameChoice(name=name) for name in list_named_games(circle)}
    candidates = {**named_games, **{name: GameChoice(game.slug) for name, game in games_by_title().items()}}
    compare_all = len(names) * len(candidates) <= MAX_COMPARISONS
    matches = [_match_game(name, aliases, candidates, compare_all) for name in names]
    return tuple(sorted(matches, key=lambda match: (list(Confidence).index(match.confidence), fold_text(match.name))))


def _match_game(
    name: str, aliases: Mapping[str, GameChoice], candidates: Mapping[str, GameChoice], compare_all: bool
) -> GameMatch:
    folded_name, game = fold_text(name), find_game_by_title(name)
    if get_external_game_id(name) in aliases:
        return GameMatch(name, Confidence.KNOWN, aliases[get_external_game_id(name)])
    if game is not None or folded_name in candidates:
        return GameMatch(name, Confidence.KNOWN, GameChoice(game.slug) if game else candidates[folded_name])
    suggestion = _find_similar(folded_name, candidates, compare_all)
    return (
        GameMatch(name, Confidence.SUGGESTED, suggestion)
        if suggestion
        else GameMatch(name, Confidence.NEW, GameChoice(name=name))
    )


def list_named_games(circle: Circle) -> list[str]:
    """Return the names of the generic games that a circle has played."""
    rows = SeatResult.objects.filter(circle=circle, game=get_generic_game().slug).exclude(called="")
    return list(rows.values_list("called", flat=True).distinct().order_by("called"))
