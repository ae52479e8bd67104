"""Tests of notation, CSV, BG Stats and BoardGameGeek files."""

import csv
import io
import json
import re
import zipfile
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from django.utils import timezone, translation

from companion.core.log import Log
from companion.core.notation import build_options, get_scored_rounds
from companion.exchange.formats import bgg, csv_files, notation
from companion.exchange.formats.bgstats import export as bgstats
from companion.exchange.import_data import BadFile
from companion.games import get_games
from tests.exchange.sample_files import BEGAN, NAMES, SLUGS, build_random_log, build_random_records, build_record

RECORD_COUNT = 12
HOSTILE = [
    "=1+1", "+1", "-1+2", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "\r=1", "\n=1", " =1", "  +1", "\"=1", "'=1", "’=1",
    "\" =1", "' -1", "-", "+", "=", "@", "-5", "+30 210", "=HYPERLINK(\"x\")", "=IMPORTXML(1)", "@@", "--", "=-1", "\t",
    "\r",
    "\u00a0=1", "\u3000+1", "＝1", "＋1", "－1", "＠A", "''=1", "\"\"=1", "\t\t@x", "=\n1", "-x", "+x",
]  # fmt: skip


def build_log(table):
    game = get_games()[table.game]
    log = Log.empty(game, build_options(game, len(table.seats), table.options), len(table.seats))
    return log.extend([imported.entry for imported in table.entries])


# The notation


@pytest.mark.parametrize("slug", SLUGS)
def test_exported_notation_imports_with_the_same_scores(slug):
    for record in build_random_records(slug):
        text = notation.format_table(record)
        parsed_file = notation.parse_file(text.encode(), "match.txt")
        (table,) = parsed_file.tables
        match = build_log(table).match
        actual = {played.number: played.sheet.points for played in match.finished_rounds}
        assert actual == {played.number: played.sheet.points for played in get_scored_rounds(record.match)}
        assert [player.name for player in parsed_file.players] == [seat.name for seat in record.seats]
        assert (table.note, table.place) == (record.table.note, record.place)
        assert (table.began_at, table.ended_at) == (record.table.began_at, record.table.ended_at)
        assert notation.parse_file(text.replace("\n", "\r\n").encode(), "x").tables[0].source == table.source


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1), ("hello", 1), ("game hats\nseats 3\n", 1), ("game take-that\nseats 99\n", 2),
        ("game take-that\nseats 3\nextend seat=1 card=34\nextend seat=1 card=35\n", 4),
        ("game take-that\nseats 3\nextend seat=1 card=34 ! turn\n", 3), ("game take-that\nseats 3\n= 1,2,3\n", 3),
        ("# seat 7: Ann\ngame take-that\nseats 3\n", 1), ("# seat 0: \u200b\ngame take-that\nseats 3\n", 1),
        ("# table x\n# began yesterday\ngame take-that\nseats 3\n", 2),
        ("# table x\n# place " + "x" * 50 + "\ngame take-that\nseats 3", 2),
        ("# seat 0: Ann\n# seat 1: Ann\ngame take-that\nseats 3\n", 2),
        ("game take-that\nseats 3\n" + "extend seat=1 card=34 !\n" * 5_001, 5_003),
    ],
)  # fmt: skip
def test_invalid_notation_is_refused_with_its_line(text, line):
    with pytest.raises(BadFile) as error:
        notation.parse_file(text.encode(), "match.txt")
    assert error.value.where == f"line {line}"


def test_unnamed_seats_get_numbered_names():
    with translation.override("en"):
        parsed_file = notation.parse_file(b"# seat 1: Bo\ngame take-that\nseats 3\n", "match.txt")
    assert [player.name for player in parsed_file.players] == ["Player 1", "Bo", "Player 3"]


def test_handwritten_comments_are_not_metadata():
    before = timezone.now()
    (table,) = notation.parse_file(
        b"# began with a laugh\n# place your bets\ngame take-that\nseats 3\n", "match.txt"
    ).tables
    assert before <= table.began_at <= timezone.now() and table.place == ""


def test_several_tables_become_a_zip_of_files():
    records = build_random_records("the-game", 3)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(notation.write_archive(records))))
    assert archive.namelist() == [f"2024-11-{20 + n}-the-game-table-{n}.txt" for n in range(3)]
    assert archive.read(archive.namelist()[1]).decode() == notation.format_table(records[1])


# Spreadsheets


def read_csv_archive(records):
    """Return the files of the archive as text and as rows."""
    archive = zipfile.ZipFile(io.BytesIO(b"".join(csv_files.write_archive(records))))
    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    return texts, {name: list(csv.DictReader(io.StringIO(t.removeprefix("\ufeff")))) for name, t in texts.items()}


@pytest.mark.parametrize("slug", SLUGS)
def test_csv_has_every_table_result_and_round(slug):
    records = build_random_records(slug, RECORD_COUNT)
    texts, rows = read_csv_archive(records)
    for name, text in texts.items():
        assert text.startswith("\ufeff" + ",".join(csv_files.COLUMNS[name]) + "\r\n")
    assert [row["table"] for row in rows["tables.csv"]] == [record.table.public_id for record in records]
    for record in records:
        results = [row for row in rows["results.csv"] if row["table"] == record.table.public_id]
        totals = [record.get_total(seat) for seat in range(len(record.seats))] if record.match.finished_rounds else []
        assert [int(row["total"]) for row in results] == totals
        points = [int(row["points"]) for row in rows["rounds.csv"] if row["table"] == record.table.public_id]
        assert points == [score for played in record.match.finished_rounds for score in played.sheet.points]


@pytest.mark.parametrize("cell", HOSTILE)
def test_csv_escapes_formulas(cell):
    ended = next(number for number in range(99) if build_random_log("take-that", number).match.finished_rounds)
    _texts, rows = read_csv_archive([build_record(build_random_log("take-that", ended), note=cell, place=cell)])
    assert rows["tables.csv"][0]["note"] == rows["tables.csv"][0]["place"] == f"'{cell}"


def test_csv_keeps_negative_numbers():
    texts, rows = read_csv_archive(build_random_records("any-game"))
    points = [row["points"] for row in rows["rounds.csv"]]
    assert any(text.startswith("-") for text in points) and all(re.fullmatch("-?[0-9]+", text) for text in points)
    assert re.search(r",-[0-9]+,", texts["results.csv"])
    assert {row["player"] for row in rows["results.csv"]} & {"'=1+1"}


# BG Stats: the fields of its files and their types

GAME = {
    "id": int, "uuid": str, "name": str, "bggId": int, "bggName": str, "bggYear": int, "highestWins": bool,
    "noPoints": bool, "cooperative": bool, "usesTeams": bool, "isBaseGame": int, "isExpansion": int,
    "minPlayerCount": int, "maxPlayerCount": int, "minPlayTime": int, "maxPlayTime": int, "minAge": int, "rating": int,
    "preferredImage": int, "previouslyPlayedAmount": int, "copies": list, "modificationDate": str,
}  # fmt: skip
PLAYER = {"id": int, "uuid": str, "name": str, "isAnonymous": bool, "bggUsername": str, "modificationDate": str}
LOCATION = {"id": int, "uuid": str, "name": str, "modificationDate": str}
PLAY = {
    "uuid": str, "gameRefId": int, "playDate": str, "playDateYmd": int, "entryDate": str, "modificationDate": str,
    "durationMin": int, "rounds": int, "usesTeams": bool, "ignored": bool, "manualWinner": bool, "scoringSetting": int,
    "rating": int, "bggId": int, "importPlayId": int, "nemestatsId": int, "comments": str, "expansionPlays": list,
    "playImages": str, "playerScores": list,
}  # fmt: skip
SCORE = {
    "playerRefId": int, "score": str, "winner": bool, "newPlayer": bool, "startPlayer": bool, "rank": int,
    "seatOrder": int,
}  # fmt: skip
OPTIONAL = {"locationRefId": int, "board": str, "team": str}
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def check_fields(row, fields):
    actual = {name: type(value) for name, value in row.items() if name not in OPTIONAL or name in fields}
    assert actual == fields
    assert all(type(row[name]) is type_ for name, type_ in OPTIONAL.items() if name in row)
    assert all(DATE.fullmatch(row[name]) for name in row if name.endswith("Date"))
    assert row.get("uuid", "").isupper() or "uuid" not in fields


@pytest.mark.parametrize("slug", SLUGS)
def test_bgstats_plays_have_the_right_fields_and_types(slug):
    records = build_random_records(slug, RECORD_COUNT)
    file = json.loads("".join(bgstats.write_plays(records)))
    assert set(file) == {"about", "players", "locations", "games", "plays", "userInfo"}
    for name, fields in (("games", GAME), ("players", PLAYER), ("locations", LOCATION), ("plays", PLAY)):
        for row in file[name]:
            check_fields(row, fields)
        if name != "plays":
            assert [row["id"] for row in file[name]] == list(range(1, len(file[name]) + 1))
            assert len({row["uuid"] for row in file[name]}) == len(file[name])
    for record, play in zip(records, file["plays"], strict=True):
        assert play["ignored"] is not record.is_finished
        assert {play["gameRefId"]} <= {row["id"] for row in file["games"]}
        for seat, score in enumerate(play["playerScores"]):
            check_fields(score, SCORE)
            assert file["players"][score["playerRefId"] - 1]["name"] == NAMES[seat]
            assert score["score"] == (str(record.get_total(seat)) if record.match.finished_rounds else "")
            assert score["winner"] is record.has_won(seat)
    assert json.loads("".join(bgstats.write_plays(records))) == file, "a second export differs"


def test_a_full_bgstats_export_has_all_lists():
    file = json.loads("".join(bgstats.write_full_export(build_random_records("take-that", 2), BEGAN)))
    lists = {"challenges", "deletedObjects", "games", "groups", "locations", "players", "plays", "tags"}
    assert set(file) == {*lists, "userInfo"}
    assert all(type(file[name]) is list for name in lists)
    assert set(file["userInfo"]) == {"meRefId", "appVersion", "device", "systemVersion", "exportDate"}


def test_first_ranks_win_only_at_finished_tables():
    shared = 0
    for record in build_random_records("any-game") + build_random_records("take-that"):
        winners = [seat for seat in range(len(record.seats)) if record.has_won(seat)]
        firsts = [seat for seat in range(len(record.seats)) if record.get_rank(seat) == 1]
        assert winners == (firsts if record.is_finished else [])
        shared += len(winners) > 1
    assert shared


@pytest.mark.parametrize("slug", SLUGS)
def test_the_bgstats_link_has_the_required_fields(slug):
    for record in [record for record in build_random_records(slug) if record.is_finished][:RECORD_COUNT]:
        link = bgstats.build_link(record)
        assert re.fullmatch(r"https://app\.bgstatsapp\.com/createPlay\.html\?data=[A-Za-z0-9_.~%-]+", link)
        assert len(link) <= bgstats.MAX_LINK_LENGTH or len(record.seats) > 6
        data = json.loads(unquote(link.partition("=")[2]))
        assert DATE.fullmatch(data["playDate"]) and data["playDate"].startswith(f"{record.table.began_at:%Y-%m-%d %H}")
        assert {type(data["game"][name]) for name in ("highestWins", "noPoints")} == {bool}
        assert data["game"]["name"] and data["game"]["sourceGameId"].startswith(slug)
        for seat, player in enumerate(data["players"]):
            assert (type(player["winner"]), type(player["startPlayer"])) == (bool, bool)
            assert (type(player["score"]), player["score"]) == (int, record.get_total(seat))
            assert player.get("rank", 0) == record.get_rank(seat)
            assert player["name"] and player["sourcePlayerId"]


def test_a_long_link_drops_only_the_note():
    log = next(
        log
        for log in (build_random_log("take-that", n) for n in range(99))
        if log.is_closed and log.match.finished_rounds
    )
    link = bgstats.build_link(build_record(log, note="ώ" * 500))
    data = json.loads(unquote(link.partition("=")[2]))
    assert len(link) <= bgstats.MAX_LINK_LENGTH
    assert "ώ" not in data["comments"] and "1: " in data["comments"]


def test_bgstats_exports_teams_and_cooperative_games():
    team_records = [record for record in build_random_records("any-game") if record.uses_teams]
    play = json.loads("".join(bgstats.write_plays(team_records)))["plays"][0]
    assert play["usesTeams"] and {score["team"] for score in play["playerScores"]} >= {"1", "2"}
    games = json.loads("".join(bgstats.write_plays(build_random_records("the-game", RECORD_COUNT))))["games"]
    assert [(game["cooperative"], game["highestWins"]) for game in games] == [(True, False)]


# BoardGameGeek


@pytest.mark.parametrize("slug", SLUGS)
def test_boardgamegeek_xml_matches_its_json(slug):
    records = build_random_records(slug, RECORD_COUNT)
    plays = json.loads("".join(bgg.write_json(records)))["plays"]
    root = ElementTree.fromstring("".join(bgg.write_xml(records)).encode())
    assert (root.tag, root.attrib["total"], root.attrib["page"]) == ("plays", str(len(records)), "1")
    for element, play in zip(root, plays, strict=True):
        item = element.find("item")
        attributes = {
            name: element.attrib[name] for name in ("length", "location", "quantity", "incomplete", "nowinstats")
        }
        attributes |= {"playdate": element.attrib["date"], "comments": element.findtext("comments")}
        attributes |= {"objectid": item.attrib["objectid"], "objecttype": item.attrib["objecttype"]}
        attributes |= {"objectname": item.attrib["name"]}
        assert attributes == {name: str(value) for name, value in play.items() if name != "players"}
        for player_element, player in zip(element.find("players"), play["players"], strict=True):
            renamed = {"startposition" if name == "position" else name: str(v) for name, v in player.items()}
            assert player_element.attrib == {**renamed, "userid": "0"}


def test_user_input_is_escaped_in_xml():
    log = build_random_log("any-game", 1)
    for number, text in enumerate(['"><x a="', "</plays>", "<![CDATA[", "]]>", "&amp;", "\n\t", "🦊", "'"]):
        record = build_record(log, number, note=text, place=text)
        root = ElementTree.fromstring("".join(bgg.write_xml([record])).encode())
        assert root[0].attrib["location"] == text and root[0].findtext("comments").count(text) == 1
