"""Matching of the players and games in an import file to those of the circle."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cached_property
from typing import Generic, TypeVar

from companion.core.sanitize import fold_text
from companion.core.text import Text, _
from companion.exchange.export_records import make_player_uid, make_table_uid
from companion.exchange.formats import notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import ImportedPlayer, ImportedTable, ImportFile
from companion.games import get_games, get_generic_game
from companion.history.game_titles import games_by_title
from companion.history.models import MAX_EXTERNAL_ID_LENGTH, Alias, SeatResult
from companion.people.models import Circle, Player
from companion.tables.models import Table

MIN_SIMILARITY = 0.8
"""Similarity from which a name is suggested."""
MIN_PREFIX_LENGTH = 2
MAX_COMPARISONS = 40_000
"""Pairs of names to compare by similarity; larger files are matched by prefix only."""


Choice = TypeVar("Choice")


class Confidence(Enum):
    """How reliable a match is, with its sign and label; ordered from surest to least sure."""

    KNOWN = "known", "✓", _("known")
    SUGGESTED = "suggested", "?", _("suggested")
    NEW = "new", "+", _("new")

    def __init__(self, slug: str, sign: str, label: Text) -> None:
        self.slug, self.sign, self.label = slug, sign, label
        self.order = len(type(self).__members__)


@dataclass(frozen=True)
class Match(Generic[Choice]):
    """A player or game of the file, by id and name, and who or what it is here; a game's id is its folded name."""

    id: str
    name: str
    confidence: Confidence
    choice: Choice


@dataclass(frozen=True)
class GameChoice:
    """A game of the circle: an installed one by slug, or a generic game by name."""

    slug: str = ""
    name: str = ""


@dataclass(frozen=True)
class FileMatch:
    """A file, with the matches for the players and games of its new tables; None stands for a new player."""

    circle: Circle
    file: ImportFile
    new_tables: tuple[ImportedTable, ...]
    players: Sequence[Match[Player | None]]
    games: Sequence[Match[GameChoice]]

    @property
    def known_count(self) -> int:
        """Number of tables that have been imported before or were played here."""
        return len(self.file.tables) - len(self.new_tables)

    @cached_property
    def player_by_id(self) -> Mapping[str, Player | None]:
        return {match.id: match.choice for match in self.players}

    @cached_property
    def game_by_name(self) -> Mapping[str, GameChoice]:
        return {match.id: match.choice for match in self.games}


def match_file(circle: Circle, file: ImportFile) -> FileMatch:
    """Match all players and games that the new tables of a file need, surest matches first."""
    new_tables = _find_new_tables(circle, file)
    seated_ids = {player_id for table in new_tables for player_id in table.seats if player_id is not None}
    players = [player for player in file.players if player.id in seated_ids]
    names = {fold_text(table.game_name): table.game_name for table in new_tables if table.game is None}
    return FileMatch(
        circle=circle,
        file=file,
        new_tables=new_tables,
        players=_match_players(circle, file.kind, players),
        games=_match_games(circle, file.kind, tuple(names.values())),
    )


def _find_new_tables(circle: Circle, file: ImportFile) -> tuple[ImportedTable, ...]:
    """Return the tables that were neither played here nor imported before, in any format.

    Companion JSON and the notation identify a table by its public id, BG Stats by a UUID derived from it.
    """
    known_uids: set[str] = set()
    for public_id, source in Table.objects.filter(circle=circle).values_list("public_id", "source").iterator():
        kind, _colon, source_id = (source or "").partition(":")
        known_uids |= {make_table_uid(public_id), _get_uid(kind, source_id)}
    return tuple(table for table in file.tables if _get_uid(file.kind, table.source) not in known_uids)


def _get_uid(kind: str, source_id: str) -> str:
    return source_id if kind == bgstats.KIND else make_table_uid(source_id)


def format_source(file: ImportFile, table: ImportedTable) -> str:
    """Return the `Table.source` that keeps a table from being imported twice."""
    return f"{file.kind}:{table.source}"


def get_external_id(kind: str, player: ImportedPlayer) -> str:
    """Return the key of a player's alias: the id, or the folded name in the notation, which has no ids."""
    return (fold_text(player.id) if kind == notation.KIND else player.id)[:MAX_EXTERNAL_ID_LENGTH]


def get_external_game_id(name: str) -> str:
    return fold_text(name)[:MAX_EXTERNAL_ID_LENGTH]


def _match_players(circle: Circle, kind: str, imported_players: Sequence[ImportedPlayer]) -> list[Match[Player | None]]:
    """Match each imported player to a different player, except where aliases say otherwise."""
    players = {player.pk: player for player in Player.objects.filter(circle=circle).order_by("pk")}
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.PLAYER)
    remembered = {external_id: players.get(pk or 0) for external_id, pk in rows.values_list("external_id", "player")}
    matches: dict[str, Match[Player | None]] = {
        imported.id: Match(imported.id, imported.name, Confidence.KNOWN, player)
        for imported in imported_players
        if (player := remembered.get(get_external_id(kind, imported)))
    }
    matched_players = {match.choice for match in matches.values()}
    free = {player.pk: player for player in players.values() if player not in matched_players}
    by_uid = {make_player_uid(circle, player): player for player in free.values()}
    by_name = {player.name: player for player in free.values()}
    folded_names = {player.pk: fold_text(player.name) for player in free.values()}
    compare_all = len(imported_players) * len(players) <= MAX_COMPARISONS

    def find_similar(imported: ImportedPlayer) -> Player | None:
        candidates = {folded_names[player.pk]: player for player in free.values()}
        return _find_similar(fold_text(imported.name), candidates, compare_all)

    strategies: tuple[tuple[Confidence, Callable[[ImportedPlayer], Player | None]], ...] = (
        (Confidence.KNOWN, lambda imported: by_uid.get(imported.id)),
        (Confidence.KNOWN, lambda imported: by_name.get(imported.name)),
        (Confidence.SUGGESTED, find_similar),
    )
    for confidence, find_player in strategies:  # the surest first, as each player is matched once
        for imported in imported_players:
            player = find_player(imported) if imported.id not in matches else None
            if player is not None and player.pk in free:
                matches[imported.id] = Match(imported.id, imported.name, confidence, free.pop(player.pk))
    return _sort(matches.get(row.id, Match(row.id, row.name, Confidence.NEW, None)) for row in imported_players)


def _sort(matches: Iterable[Match[Choice]]) -> list[Match[Choice]]:
    return sorted(matches, key=lambda match: (match.confidence.order, fold_text(match.name)))


def _find_similar(name: str, candidates: Mapping[str, Choice], compare_all: bool) -> Choice | None:
    """Return the value whose folded name is equal, shares a prefix, or is similar."""
    if name in candidates:
        return candidates[name]
    prefixed = [
        other
        for other in candidates
        if min(len(other), len(name)) >= MIN_PREFIX_LENGTH and (name.startswith(other) or other.startswith(name))
    ]
    if prefixed:
        return candidates[max(prefixed, key=len)]
    similar = get_close_matches(name, candidates, n=1, cutoff=MIN_SIMILARITY) if compare_all else []
    return candidates[similar[0]] if similar else None


def _match_games(circle: Circle, kind: str, names: Sequence[str]) -> list[Match[GameChoice]]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.GAME)
    aliases = {
        row.external_id: GameChoice(row.game, row.called) for row in rows if not row.game or row.game in get_games()
    }
    named_games = {fold_text(name): GameChoice(name=name) for name in list_named_games(circle)}
    candidates = {**named_games, **{name: GameChoice(game.slug) for name, game in games_by_title().items()}}
    compare_all = len(names) * len(candidates) <= MAX_COMPARISONS
    return _sort(_match_game(name, aliases, candidates, compare_all) for name in names)


def _match_game(
    name: str, aliases: Mapping[str, GameChoice], candidates: Mapping[str, GameChoice], compare_all: bool
) -> Match[GameChoice]:
    folded_name = fold_text(name)
    known = aliases.get(get_external_game_id(name)) or candidates.get(folded_name)
    if known:
        return Match(folded_name, name, Confidence.KNOWN, known)
    suggestion = _find_similar(folded_name, candidates, compare_all)
    if suggestion:
        return Match(folded_name, name, Confidence.SUGGESTED, suggestion)
    return Match(folded_name, name, Confidence.NEW, GameChoice(name=name))


def list_named_games(circle: Circle) -> list[str]:
    """Return the names of the generic games that a circle has played."""
    rows = SeatResult.objects.filter(circle=circle, game=get_generic_game().slug).exclude(called="")
    return list(rows.values_list("called", flat=True).distinct().order_by("called"))
