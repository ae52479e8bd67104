"""Generated BG Stats exports with all the oddities of a real one."""

from __future__ import annotations

import json
import random
from typing import Any
from uuid import UUID

SEED = 20260101
TIMESTAMP = "2026-01-10 18:30:00"
TITLES = ("Take That", "Azul", "Über Land", "Ωκεανός", "Two, three & four", "=SUM(A1)", "<b>Bold</b>", "The Quay")


def build_backup(*, plays: int = 1_000, games: int = 60, players: int = 63) -> dict[str, Any]:
    """Return a full export; its last player is anonymous."""
    chance = random.Random(SEED)
    return {
        "challenges": [],
        "deletedObjects": [{"objectType": "Play", "uuid": _random_uuid(chance), "externalId": 0}],
        "groups": [{"anything": {"at": ["all", 1.5]}}],
        "tags": [],
        "userInfo": {"meRefId": 1, "appVersion": "6.8.2", "exportDate": TIMESTAMP},
        "locations": [_build_row(n, f"Place {n}", chance) for n in range(1, 15)],
        "players": [
            {**_build_row(n, f"Person {n}", chance), "isAnonymous": n == players, "bggUsername": ""}
            for n in range(1, players + 1)
        ],
        "games": [_build_game(n, chance) for n in range(1, games + 1)],
        "plays": [_build_play(chance, games, players) for _ in range(plays)],
    }


def build_shared_play(**fields: Any) -> dict[str, Any]:
    """Return a shared play with two players; `fields` are changed fields of the play."""
    chance = random.Random(SEED)
    play = {
        "uuid": "F00D0000-0000-0000-0000-00000000ABCD",
        "gameRefId": 1,
        "playDate": "2025-11-20 19:30:00",
        "playDateYmd": 20251120,
        "durationMin": 45,
        "rounds": 5,
        "ignored": False,
        "playImages": "[]",
        "playerScores": [_build_score(1, "42", winner=True), _build_score(2, "-3")],
        **fields,
    }
    people = [{**_build_row(n, name, chance), "isAnonymous": False} for n, name in ((1, "Ada"), (2, "Bob"))]
    game = {**_build_row(1, "Azul", chance), "highestWins": True, "noPoints": False, "cooperative": False}
    return {"about": "A play.", "players": people, "games": [game], "plays": [play], "userInfo": {"meRefId": 1}}


def _build_row(number: int, name: str, chance: random.Random) -> dict[str, Any]:
    return {"id": number, "uuid": _random_uuid(chance), "name": name, "modificationDate": TIMESTAMP}


def _random_uuid(chance: random.Random) -> str:
    uuid = str(UUID(int=chance.getrandbits(128)))
    return uuid.upper() if chance.random() < 0.5 else uuid


def _build_game(number: int, chance: random.Random) -> dict[str, Any]:
    name = TITLES[number - 1] if number <= len(TITLES) else f"Game {number}"
    return {
        **_build_row(number, name, chance),
        "bggId": 0,
        "highestWins": number % 7 != 3,
        "noPoints": number % 11 == 5,
        "cooperative": number % 6 == 4,
        "usesTeams": number % 5 == 2,
        "isBaseGame": 1,
        "rating": 88,
        "urlThumb": "https://nowhere.example/x.jpg",
        "copies": [{"uuid": _random_uuid(chance), "metaData": json.dumps({"GameNotes": "x"})}],
    }


def _build_play(chance: random.Random, games: int, players: int) -> dict[str, Any]:
    game = chance.randint(1, games)
    count = chance.choice((1, 2, 2, 3, 4, 4, 5, 6))
    seated = chance.sample(range(1, players + 1), count)
    in_teams = game % 5 == 2 and chance.random() < 0.7
    texts = [_random_score(chance) for _ in seated] if chance.random() < 0.85 else [""] * count
    if texts[0] and chance.random() < 0.1:
        texts[-1] = texts[0]  # a tie
    scores = [_build_score(player, text) for player, text in zip(seated, texts, strict=True)]
    for seat, score in enumerate(scores):
        score["rank"] = chance.choice((0, 1, 1, 2, 3))
        score["winner"] = chance.random() < 0.3
        if in_teams:
            score["team"] = "AB"[seat % 2] if chance.random() < 0.95 else "C"
        if chance.random() < 0.3:
            score["seatOrder"] = 0
    day = f"{chance.randint(2015, 2025)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    play = {
        "uuid": _random_uuid(chance),
        "gameRefId": game,
        "playDate": f"{day} {chance.randint(0, 23):02}:{chance.choice((0, 30)):02}:00",
        "playDateYmd": int(day.replace("-", "")),
        "durationMin": chance.choice((0, 0, 45, 120)),
        "usesTeams": in_teams,
        "ignored": chance.random() < 0.05,
        "scoringSetting": 0 if chance.random() < 0.8 else chance.choice((1, 3, 4, 6, 9, 11, 12, 14)),
        "playImages": "[]",
        "metaData": json.dumps({"playUsedGameCopy": True}),
        "playerScores": scores,
        "expansionPlays": [],
    }
    if chance.random() < 0.9:
        play["locationRefId"] = chance.randint(1, 14)
    if chance.random() < 0.05:
        play |= {"board": "The long one", "comments": "Rain all day.\r\n" * chance.choice((1, 80))}
    for name in ("durationMin", "usesTeams", "ignored", "scoringSetting", "metaData"):
        if not play[name] and chance.random() < 0.5:
            del play[name]
    return play


def _random_score(chance: random.Random) -> str:
    points = str(chance.randint(-20, 150))
    return chance.choice((points,) * 12 + (f"{points}.5", "3+6+2", "10-12", "0", "", "7.25+1"))


def _build_score(player: int, text: str, *, winner: bool = False) -> dict[str, Any]:
    return {
        "playerRefId": player,
        "score": text,
        "winner": winner,
        "newPlayer": False,
        "startPlayer": False,
        "rank": 0,
        "seatOrder": 0,
    }
