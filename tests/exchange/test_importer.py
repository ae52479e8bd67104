import json
from collections import Counter
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import pytest
from django.db.models import Count, Sum
from django.utils import timezone

from companion.core.errors import Malformed
from companion.exchange import import_views, importer, name_matching
from companion.exchange.export_records import get_record, iter_records, make_table_uid
from companion.exchange.formats import companion_json, notation
from companion.exchange.formats.bgstats import export as bgstats
from companion.exchange.formats.bgstats import parse
from companion.exchange.import_data import ImportedEntry, ImportedPlayer, ImportedTable, ImportFile
from companion.exchange.name_matching import FileMatch
from companion.exchange.safe_json import parse_json
from companion.history.models import Alias, Fact, SeatResult
from companion.history.statistics import aggregation
from companion.people.models import Circle, Player
from companion.people.services import get_or_create_player
from companion.tables.log_cache import load_log
from companion.tables.models import Entry, Place, Seat, Table
from tests.crowd import create_tables
from tests.exchange.backups import build_backup, build_shared_play
from tests.exchange.upload_pages import dump_with_uploads, import_file, submit_matches, upload_file
from tests.web.people import assert_all_pages_open


def parse_backup(content: dict) -> ImportFile:
    return parse.parse_document(parse_json(json.dumps(content).encode()))


def import_tables(circle: Circle, parsed_file: ImportFile) -> importer.ImportResult:
    return importer.import_tables(name_matching.match_file(circle, parsed_file))


def choose_matches(file_match: FileMatch, players: dict[str, Player], *games: name_matching.GameChoice) -> FileMatch:
    """Return the match with other players, by name in the file, and other games, in order."""
    return replace(
        file_match,
        players=[replace(match, choice=players[match.name]) for match in file_match.players],
        games=[replace(match, choice=choice) for match, choice in zip(file_match.games, games, strict=False)],
    )


@pytest.fixture
def circle(alice) -> Circle:
    return Circle.objects.get()


def evaluate_score(text: str) -> int | None:
    """Evaluate a score without the importer’s code."""
    if not text:
        return None
    total = sum(Decimal(part) for part in text.replace("-", "+-").split("+") if part)
    return int(total.quantize(Decimal(1), ROUND_HALF_UP))


def compute_player_stats(content: dict) -> dict[str, tuple[int, int]]:
    """Return the number of plays that count and the sum of totals, by player UUID."""
    games = {game["id"]: game for game in content["games"]}
    uuids = {row["id"]: None if row["isAnonymous"] else row["uuid"].lower() for row in content["players"]}
    plays, sums = Counter(), Counter()
    for play in content["plays"]:
        for number, total in compute_totals(play, games[play["gameRefId"]]).items():
            plays[uuids[number]] += 1
            sums[uuids[number]] += total
    return {uuid: (plays[uuid], sums[uuid]) for uuid in plays}


def compute_totals(play: dict, game: dict) -> dict[int, int]:
    """Return the total of each player of a play; empty if the play does not count."""
    rows, setting = play["playerScores"], play.get("scoringSetting", 0)
    scores = {row["playerRefId"]: evaluate_score(row["score"]) for row in rows}
    is_cooperative = bool(setting & 4) if setting else game["cooperative"]
    has_no_points = (bool(setting & 2) if setting else game["noPoints"]) or set(scores.values()) == {None}
    won = {row["playerRefId"]: row["winner"] for row in rows}
    teams = {row["playerRefId"]: row.get("team", "") for row in rows}
    sizes = Counter(teams.values())
    in_teams = play.get("usesTeams") and len(sizes) > 1 and len(set(sizes.values())) == 1 and max(sizes.values()) > 1
    side = {player: "all" if is_cooperative else teams[player] if in_teams else player for player in scores}
    if play.get("ignored") or (has_no_points and not any(won.values()) and (not is_cooperative or setting & 8)):
        return {}
    results = {}
    for name in set(side.values()):
        members = [player for player in side if side[player] == name]
        known_scores = [scores[player] for player in members if scores[player] is not None]
        if has_no_points:
            results[name] = int(any(won[player] for player in members))
        elif not known_scores and any(won.values()):  # then only wins count
            return compute_totals({**play, "scoringSetting": 2 | setting}, {**game, "noPoints": True})
        elif not known_scores:
            return {}
        else:
            results[name] = known_scores[0] if len(set(known_scores)) == 1 else sum(known_scores)
    return {player: results[side[player]] for player in scores}


def test_imported_statistics_match_a_second_implementation(circle):
    content = build_backup()
    expected = compute_player_stats(content)
    assert import_tables(circle, parse_backup(content)) == importer.ImportResult(1_000, 0, 0)
    while aggregation.catch_up(circle, limit=1_000):
        pass
    aliases = dict(Alias.objects.filter(kind="player").values_list("player", "external_id"))
    rows = SeatResult.objects.values("player").annotate(plays=Count("pk"), sums=Sum("total"))
    assert {aliases.get(row["player"]): (row["plays"], row["sums"]) for row in rows} == expected
    assert Player.objects.count() == 3 + 62
    assert SeatResult.objects.filter(game="take-that").exists()


def test_importing_a_file_twice_changes_nothing(alice):
    content = build_backup(plays=200)
    assert import_file(alice, content)["Location"].endswith("?new=200&known=0&left=0")
    before = dump_with_uploads()
    for row in [*content["players"], *content["plays"]]:
        row["uuid"] = row["uuid"].swapcase()
    assert import_file(alice, content)["Location"].endswith("?new=0&known=200&left=0")
    assert dump_with_uploads() == before


def test_all_pages_of_imported_tables_open(alice):
    import_file(alice, build_backup(plays=12))
    for table in Table.objects.filter(source__isnull=False):
        assert_all_pages_open(alice, table)


def test_a_later_import_finds_the_same_players(circle):
    first, later = build_backup(plays=30), build_backup(plays=40)
    import_tables(circle, parse_backup(first))
    for person in later["players"]:
        person["name"] = f"{person['name']} (renamed)"
    before = Player.objects.count()
    assert import_tables(circle, parse_backup(later)).new == 10
    new = set(Player.objects.order_by("pk")[before:].values_list("name", flat=True))
    assert not any(matched.player is None for matched in name_matching.match_file(circle, parse_backup(later)).players)
    assert all("(renamed)" in name for name in new)


def test_imported_totals_of_an_installed_game_count_in_its_statistics(circle):
    for number, name in enumerate(("take that", "TAKE-THAT", "Take That")):
        content = build_shared_play(uuid=f"own-{number}")
        content["games"][0]["name"] = name
        import_tables(circle, parse_backup(content))
    aggregation.catch_up(circle)
    table = Table.objects.filter(source="bgstats:own-0").get()
    assert table.game == "any-game"
    assert set(SeatResult.objects.values_list("game", "called", "table__source")) == {
        ("take-that", "", f"bgstats:own-{number}") for number in range(3)
    }
    assert not Fact.objects.filter(table=table).exists()


def test_totals_with_other_winners_stay_separate(circle):
    content = build_shared_play()
    content["games"][0] |= {"name": "Take That", "highestWins": False}
    import_tables(circle, parse_backup(content))
    aggregation.catch_up(circle)
    assert set(SeatResult.objects.values_list("game", "called")) == {("any-game", "Take That")}


def test_players_of_one_table_cannot_become_the_same(circle):
    file_match = name_matching.match_file(circle, parse_backup(build_shared_play()))
    ann = Player.objects.get(name="Ann")
    before = dump_with_uploads()
    with pytest.raises(Malformed, match="Ada and Bob sat at the same table"):
        importer.import_tables(choose_matches(file_match, {"Ada": ann, "Bob": ann}))
    assert dump_with_uploads() == before


def test_players_of_the_same_name_stay_apart(circle):
    content = build_shared_play()
    content["players"][1]["name"] = "Ada"
    import_tables(circle, parse_backup(content))
    assert set(Seat.objects.filter(table__source__isnull=False).values_list("player__name", flat=True)) == {
        "Ada",
        "Ada 2",
    }


def test_places_match_regardless_of_case_and_accents(circle, alice, table):
    place = Place.objects.create(circle=circle, name="Στης Μαρίας")
    names = ["στης μαριας", "home", "Home", "ΣΤΗΣ ΜΑΡΙΑΣ", "Home", "Στης Μαρίας", ""]
    tables = [
        ImportedTable(f"t-{n}", "take-that", "", {}, "pad", ("p",) * 3, (), place=name) for n, name in enumerate(names)
    ]
    places = importer.get_or_create_places(circle, tables)
    home = Place.objects.get(circle=circle, name="Home")
    assert Place.objects.count() == 2
    assert [places.get(name) for name in names] == [place, home, home, place, home, place, None]


def test_an_exact_place_name_wins(circle):
    places = {name: Place.objects.create(circle=circle, name=name) for name in ("Home", "home")}
    tables = [
        ImportedTable(name, "take-that", "", {}, "pad", ("p",) * 3, (), place=name) for name in ("HOME", "Home", "home")
    ]
    assert importer.get_or_create_places(circle, tables) == {**places, "HOME": places["home"]}
    assert Place.objects.count() == 2


def test_an_anonymous_player_leaves_the_seat_empty(circle):
    content = build_shared_play()
    content["players"][1]["isAnonymous"] = True
    import_tables(circle, parse_backup(content))
    table = Table.objects.get(source__isnull=False)
    assert list(table.seats.values_list("player__name", flat=True)) == ["Ada", None]


def build_file(public_id: str, *, seats: tuple[str | None, ...] = ("a", "b")) -> ImportFile:
    """Return a Companion file with one play by a named device."""
    entry = ImportedEntry(1, "extend", {"seat": "1", "card": "34"}, 1, key="key-of-it", device="Alice’s phone")
    table = ImportedTable(
        public_id, "take-that", "take-that", {}, "referee", seats, (entry,), note="Ünder", place="Home"
    )
    return ImportFile(
        "companion", (ImportedPlayer("a", "Ann", 3, "fox"), ImportedPlayer("b", "Zoe", 3, "fox")), (table,)
    )


def test_a_table_of_another_circle_is_not_overwritten(circle, stranger):
    theirs = Table.objects.exclude(circle=circle).get()
    before = Table.objects.filter(pk=theirs.pk).values().get(), list(theirs.entries.values())
    assert import_tables(circle, build_file(theirs.public_id)).new == 1
    imported = Table.objects.get(circle=circle, source=f"companion:{theirs.public_id}")
    assert imported.public_id != theirs.public_id
    assert (Table.objects.filter(pk=theirs.pk).values().get(), list(theirs.entries.values())) == before


def test_only_free_and_valid_public_ids_are_kept(circle):
    import_tables(circle, build_file("abcDEF_-1234"))
    import_tables(circle, build_file("new"))
    ids = dict(Table.objects.filter(source__isnull=False).values_list("source", "public_id"))
    assert ids["companion:abcDEF_-1234"] == "abcDEF_-1234"
    assert ids["companion:new"] != "new"


def test_imported_entries_have_no_device(circle):
    import_tables(circle, build_file("abcDEF_-1234"))
    entry = Entry.objects.get(table__public_id="abcDEF_-1234")
    assert (entry.device, entry.key, entry.at) == (None, "key-of-it", entry.table.began_at)


def test_an_existing_table_is_recognized_by_its_id(circle, table):
    assert import_tables(circle, build_file(table.public_id)) == importer.ImportResult(0, 1, 0)


def test_notation_of_an_existing_table_changes_nothing(circle, table, stranger):
    text = notation.format_table(get_record(Table.objects.filter(pk=table.pk)))
    parsed_file = notation.parse_file(text.encode(), "match.txt")
    assert import_tables(circle, parsed_file) == importer.ImportResult(0, 1, 0)
    other = Circle.objects.exclude(pk=circle.pk).get()
    assert [import_tables(other, parsed_file) for _time in range(2)] == [
        importer.ImportResult(1, 0, 0),
        importer.ImportResult(0, 1, 0),
    ]
    by_hand = notation.parse_file(text.partition("\n")[2].encode(), "match.txt")
    assert [import_tables(circle, by_hand) for _time in range(2)] == [
        importer.ImportResult(1, 0, 0),
        importer.ImportResult(0, 1, 0),
    ]


def test_an_imported_table_is_recognized_in_every_format(circle, table, stranger):
    records = [get_record(Table.objects.filter(pk=table.pk))]
    files = [
        companion_json.parse_document(parse_json("".join(companion_json.write_file(records, timezone.now())).encode())),
        notation.parse_file(notation.format_table(records[0]).encode(), "match.txt"),
        parse.parse_document(parse_json("".join(bgstats.write_plays(records)).encode())),
    ]
    for first in files:
        other = Circle.objects.create()
        assert import_tables(other, first).new == 1
        assert [import_tables(other, parsed_file) for parsed_file in files] == [importer.ImportResult(0, 1, 0)] * 3


def test_an_unknown_game_becomes_a_generic_game_with_totals(circle, stranger, alice):
    other = Circle.objects.exclude(pk=circle.pk).get()
    create_tables(other, each=1)
    table = Table.objects.of(other).filter(is_over=True, game="take-that").first()
    file = json.loads(export_tables(Table.objects.filter(pk=table.pk), companion_json.write_file))
    file["tables"][0] |= {"game": "hopscotch", "options": {"hats": "3"}}
    assert import_tables(
        circle, companion_json.parse_document(parse_json(json.dumps(file).encode()))
    ) == importer.ImportResult(1, 0, 0)
    imported = Table.objects.get(circle=circle, source=f"companion:{table.public_id}")
    assert (imported.game, imported.is_over) == ("any-game", True)
    assert imported.options == {"name": "hopscotch", "wins": "highest", "rounds": "1"}
    assert list(get_totals_by_player(imported).values()) == list(get_totals_by_player(table).values())
    assert_all_pages_open(alice, imported)


def test_new_players_keep_their_colour_and_sign(circle):
    import_tables(circle, build_file("abcDEF_-1234"))
    zoe = Player.objects.get(name="Zoe")
    assert (zoe.colour, zoe.seated_at) == (3, Table.objects.get(public_id="abcDEF_-1234").began_at)
    assert Player.objects.filter(name="Ann").count() == 1


def test_aliases_follow_a_merged_player(circle):
    file_match = name_matching.match_file(circle, parse_backup(build_shared_play()))
    ann, bo = (get_or_create_player(circle, name) for name in ("Ann", "Bo"))
    importer.import_tables(choose_matches(file_match, {"Ada": ann, "Bob": bo}, name_matching.GameChoice(name="Tiles")))
    assert Table.objects.get(source__isnull=False).options["name"] == "Tiles"
    result = name_matching.match_file(circle, parse_backup(build_shared_play(uuid="another")))
    assert {(match.name, match.confidence, match.choice) for match in result.players} == {
        ("Ada", name_matching.Confidence.KNOWN, ann),
        ("Bob", name_matching.Confidence.KNOWN, bo),
    }
    assert [(match.confidence, match.choice.name) for match in result.games] == [
        (name_matching.Confidence.KNOWN, "Tiles")
    ]


def export_tables(tables, write) -> bytes:
    """Return the tables as a file."""
    return "".join(write(iter_records(tables), timezone.now())).encode()


def list_seat_results(circle: Circle) -> list[tuple]:
    """Return the seat results of a circle, without ids."""
    while aggregation.catch_up(circle, limit=1_000):
        pass
    rows = SeatResult.objects.filter(circle=circle).order_by("began_at", "seat")
    names = ("player__name", "game", "called", "began_at", "seat", "side", "total", "rank", "is_won", "minutes")
    return list(rows.values_list(*names))


def test_a_whole_circle_imports_into_another_unchanged(circle, stranger):
    other = Circle.objects.exclude(pk=circle.pk).get()
    create_tables(circle, each=2)
    ended = Table.objects.of(circle).exclude(ended_at=None)
    content = export_tables(ended, companion_json.write_file)
    assert import_tables(other, companion_json.parse_document(parse_json(content))).new == ended.count()
    assert list_seat_results(other) == list_seat_results(circle)
    assert import_tables(other, companion_json.parse_document(parse_json(content))).new == 0
    exported_again = companion_json.parse_document(
        parse_json(export_tables(Table.objects.of(other).filter(source__isnull=False), companion_json.write_file))
    )
    exported = companion_json.parse_document(parse_json(content))
    assert [(table.entries, table.options, table.note, table.place) for table in exported_again.tables] == [
        (tuple(replace(entry, device="") for entry in table.entries), table.options, table.note, table.place)
        for table in exported.tables
    ]


def test_bgstats_exports_are_recognized_and_keep_their_totals(circle, stranger):
    other = Circle.objects.exclude(pk=circle.pk).get()
    create_tables(circle, each=2)
    content = export_tables(Table.objects.of(circle).filter(is_over=True), bgstats.write_full_export)
    parsed_file = parse.parse_document(parse_json(content))
    assert import_tables(circle, parsed_file) == importer.ImportResult(
        0, len(parsed_file.tables), len(parsed_file.skipped)
    )
    assert import_tables(other, parsed_file).new == len(parsed_file.tables)
    for table in Table.objects.filter(circle=other, source__isnull=False):
        original = next(
            row for row in Table.objects.of(circle) if f"bgstats:{make_table_uid(row.public_id)}" == table.source
        )
        totals = {name: total for name, total in get_totals_by_player(table).items() if name}
        assert {name: get_totals_by_player(original)[name] for name in totals} == totals


def get_totals_by_player(table: Table) -> dict[str, int]:
    """Return the total of each player by name."""
    log = load_log(table, table.seats.count())
    sides = log.game.scoring.sides(log.match.options, log.match.seats)
    names = {seat.number: seat.player.name if seat.player else "" for seat in table.seats.select_related("player")}
    totals = log.match.standing.totals
    return {names[seat]: total for side, total in zip(sides, totals, strict=True) for seat in side}


def test_simultaneous_imports_write_each_table_once(circle, alice, monkeypatch):
    url = upload_file(alice, build_shared_play())["Location"]

    def import_later(match: FileMatch, *args, **more):
        """Import tables that another import has written meanwhile."""
        import_tables(circle, match.file)
        return importer.import_tables(match, *args, **more)

    monkeypatch.setattr(import_views, "import_tables", import_later)
    assert submit_matches(alice, url)["Location"].endswith("?new=0&known=1&left=0")
    assert Table.objects.filter(source__isnull=False).count() == 1
