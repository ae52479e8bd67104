"""Who is who, and which game is which, in a file that has been read. Nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TypeVar

from companion.core.sanitize import fold_text
from companion.exchange.export_records import player_uid, table_uid
from companion.exchange.formats import notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import Incoming, Parcel, Stranger
from companion.games import get_games, get_generic_game
from companion.history.game_titles import find_game_by_title, games_by_title
from companion.history.models import LONGEST_OUTSIDE, Alias, Outcome
from companion.people.models import Circle, Player
from companion.tables.models import Table

ALIKE = 0.8
"""How much of two names must be the same for one to be suggested for the other."""
SHORTEST = 2
"""Letters of the beginning of a name."""
MOST_COMPARED = 40_000
"""Pairs of names that are compared letter by letter; in larger files only what begins alike is found."""


Value = TypeVar("Value")


class How(StrEnum):
    """How sure it is who somebody is."""

    KNOWN = "known"
    SUGGESTED = "suggested"
    NEW = "new"


@dataclass(frozen=True)
class Person:
    """Somebody in the file, and who that is here; None where nobody is like that."""

    stranger: Stranger
    how: How
    player: Player | None = None


@dataclass(frozen=True)
class Chosen:
    """What a game is here: one with a folder, or one that is called so."""

    slug: str = ""
    called: str = ""


@dataclass(frozen=True)
class Title:
    """The name of a game in the file, and what that is here."""

    name: str
    how: How
    chosen: Chosen


@dataclass(frozen=True)
class Matching:
    """What a file would bring: only who sits at a new table is asked for."""

    people: tuple[Person, ...]
    titles: tuple[Title, ...]
    fresh: tuple[Incoming, ...]
    known: int
    """Tables that are here already."""


def matched(circle: Circle, parcel: Parcel) -> Matching:
    """All names that the new tables of a file need, those who are surest first."""
    fresh = fresh_of(circle, parcel)
    seated = {own for sitting in fresh for own in sitting.seats if own is not None}
    strangers = [stranger for stranger in parcel.people if stranger.id in seated]
    names = {fold_text(sitting.game_name): sitting.game_name for sitting in fresh if sitting.game is None}
    return Matching(
        people=_people(circle, parcel.kind, strangers),
        titles=_titles(circle, parcel.kind, tuple(names.values())),
        fresh=fresh,
        known=len(parcel.sittings) - len(fresh),
    )


def fresh_of(circle: Circle, parcel: Parcel) -> tuple[Incoming, ...]:
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
        known = plays | {table_uid(own) for own in ids}
        return tuple(sitting for sitting in parcel.sittings if sitting.source not in known)
    return tuple(
        sitting
        for sitting in parcel.sittings
        if sitting.source not in ids and not (plays and table_uid(sitting.source) in plays)
    )


def source_of(parcel: Parcel, sitting: Incoming) -> str:
    """What a table is remembered by, so that it comes in once."""
    return f"{parcel.kind}:{sitting.source}"


def outside_of(kind: str, stranger: Stranger) -> str:
    """What a stranger is remembered by. The notation knows no ids, only names."""
    return (fold_text(stranger.id) if kind == notation.KIND else stranger.id)[:LONGEST_OUTSIDE]


def outside_of_game(name: str) -> str:
    return fold_text(name)[:LONGEST_OUTSIDE]


def _people(circle: Circle, kind: str, strangers: Sequence[Stranger]) -> tuple[Person, ...]:
    """One player for everybody, and nobody for two, unless that was chosen before."""
    players = list(Player.objects.filter(circle=circle).order_by("pk"))
    found = _remembered(circle, kind, strangers, {player.pk: player for player in players})
    taken = {person.player for person in found.values()}
    free = {player.pk: player for player in players if player not in taken}
    for how, find in _ways(circle, len(strangers), players):
        for stranger in strangers:
            own = find(stranger, free.values()) if stranger.id not in found else None
            if own is not None:
                found[stranger.id] = Person(stranger, how, free.pop(own.pk))
    people = [found.get(stranger.id, Person(stranger, How.NEW)) for stranger in strangers]
    return tuple(sorted(people, key=lambda person: (list(How).index(person.how), fold_text(person.stranger.name))))


def _remembered(
    circle: Circle, kind: str, strangers: Sequence[Stranger], players: Mapping[int, Player]
) -> dict[str, Person]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.PLAYER)
    known = dict(rows.values_list("outside", "player"))
    found = {stranger.id: (stranger, known.get(outside_of(kind, stranger))) for stranger in strangers}
    return {
        own: Person(stranger, How.KNOWN, players[number])
        for own, (stranger, number) in found.items()
        if number is not None and number in players
    }


_Find = Callable[[Stranger, Iterable[Player]], Player | None]


def _ways(circle: Circle, strangers: int, players: Sequence[Player]) -> Iterator[tuple[How, _Find]]:
    """The ways to find somebody among the players that are left, the surest first."""
    uids = {player.pk: player_uid(circle, player) for player in players}
    plain = {player.pk: fold_text(player.name) for player in players}
    are_few = strangers * len(players) <= MOST_COMPARED
    yield How.KNOWN, lambda own, free: _first(free, lambda player: uids[player.pk] == own.id)
    yield How.KNOWN, lambda own, free: _first(free, lambda player: player.name == own.name)
    yield How.SUGGESTED, lambda own, free: _likest(fold_text(own.name), {plain[p.pk]: p for p in free}, are_few)


def _first(players: Iterable[Player], is_it: Callable[[Player], bool]) -> Player | None:
    return next(filter(is_it, players), None)


def _likest(name: str, known: Mapping[str, Value], are_few: bool) -> Value | None:
    """The value whose name is the same when folded, or begins alike, or is close."""
    if name in known:
        return known[name]
    begun = [own for own in known if min(len(own), len(name)) >= SHORTEST and _begins(own, name)]
    if begun:
        return known[max(begun, key=len)]
    close = [(ratio, own) for own in known if (ratio := _ratio(own, name)) >= ALIKE] if are_few else []
    return known[max(close)[1]] if close else None


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _ratio(one: str, other: str) -> float:
    """How much of two names is the same; 0 where a quick look says that it is too little."""
    pair = SequenceMatcher(None, one, other, autojunk=False)
    return pair.ratio() if pair.real_quick_ratio() >= ALIKE and pair.quick_ratio() >= ALIKE else 0


def _titles(circle: Circle, kind: str, names: Sequence[str]) -> tuple[Title, ...]:
    rows = Alias.objects.filter(circle=circle, source=kind, kind=Alias.Kind.GAME)
    remembered = {row.outside: Chosen(row.game, row.called) for row in rows if not row.game or row.game in get_games()}
    called = {fold_text(name): Chosen(called=name) for name in called_in(circle)}
    known = {**called, **{name: Chosen(game.slug) for name, game in games_by_title().items()}}
    are_few = len(names) * len(known) <= MOST_COMPARED
    found = [_title(name, remembered, known, are_few) for name in names]
    return tuple(sorted(found, key=lambda title: (list(How).index(title.how), fold_text(title.name))))


def _title(name: str, remembered: Mapping[str, Chosen], known: Mapping[str, Chosen], are_few: bool) -> Title:
    plain, game = fold_text(name), find_game_by_title(name)
    if outside_of_game(name) in remembered:
        return Title(name, How.KNOWN, remembered[outside_of_game(name)])
    if game is not None or plain in known:
        return Title(name, How.KNOWN, Chosen(game.slug) if game else known[plain])
    like = _likest(plain, known, are_few)
    return Title(name, How.SUGGESTED, like) if like else Title(name, How.NEW, Chosen(called=name))


def called_in(circle: Circle) -> list[str]:
    """The games without a folder that a circle has played."""
    rows = Outcome.objects.filter(circle=circle, game=get_generic_game().slug).exclude(called="")
    return list(rows.values_list("called", flat=True).distinct().order_by("called"))
