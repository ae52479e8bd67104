import pytest
from django.urls import reverse

from companion.exchange.export_records import make_player_uid, make_table_uid
from companion.exchange.import_data import ImportedPlayer, ImportedTable, ImportFile
from companion.exchange.name_matching import Confidence, GameChoice, match_file
from companion.history.models import Alias, SeatResult, Upload
from companion.history.players import merge
from companion.people.models import Circle, Player
from companion.people.services import get_or_create_player
from companion.tables.models import Table


@pytest.fixture
def circle(alice) -> Circle:
    return Circle.objects.get()


def build_file(
    *names: str, kind: str = "bgstats", game: str | None = None, source: str = "s", ids: tuple[str, ...] = ()
):
    player_ids = ids or tuple(f"id-{n}" for n, _name in enumerate(names))
    players = tuple(ImportedPlayer(player_id, name) for player_id, name in zip(player_ids, names, strict=True))
    return ImportFile(kind, players, (ImportedTable(source, None, game or "Azul", {}, "pad", player_ids, ()),))


def match_players(circle: Circle, *names: str, **more) -> dict[str, tuple[Confidence, str | None]]:
    result = match_file(circle, build_file(*names, **more)).players
    return {match.name: (match.confidence, match.choice.name if match.choice else None) for match in result}


def match_game(circle: Circle, name: str) -> tuple[Confidence, GameChoice]:
    (result,) = match_file(circle, build_file("Ann", game=name)).games
    return result.confidence, result.choice


def test_equal_names_are_known_and_similar_ones_suggested(circle):
    for name in ("Μαρία", "Alexander", "Jonathan"):
        get_or_create_player(circle, name)
    assert match_players(circle, "Ann", "ΜΑΡΙΑ", "Alex", "Jonatan", "Q") == {
        "Ann": (Confidence.KNOWN, "Ann"),
        "ΜΑΡΙΑ": (Confidence.SUGGESTED, "Μαρία"),
        "Alex": (Confidence.SUGGESTED, "Alexander"),
        "Jonatan": (Confidence.SUGGESTED, "Jonathan"),
        "Q": (Confidence.NEW, None),
    }


def test_each_player_is_matched_once_and_surest_first(circle):
    assert match_players(circle, "ann", "Ann", "Annie") == {
        "Ann": (Confidence.KNOWN, "Ann"),
        "ann": (Confidence.NEW, None),
        "Annie": (Confidence.NEW, None),
    }


def test_an_id_from_here_is_known_despite_its_name(circle):
    ann = Player.objects.get(name="Ann")
    assert match_players(circle, "Anastasia", ids=(make_player_uid(circle, ann),)) == {
        "Anastasia": (Confidence.KNOWN, "Ann")
    }


def test_aliases_beat_names_and_belong_to_one_format(circle):
    bo = Player.objects.get(name="Bo")
    Alias.objects.create(circle=circle, source="bgstats", kind="player", external_id="id-0", player=bo)
    assert match_players(circle, "Ann") == {"Ann": (Confidence.KNOWN, "Bo")}
    assert match_players(circle, "Ann", kind="companion") == {"Ann": (Confidence.KNOWN, "Ann")}


def test_players_of_other_circles_do_not_match(circle, stranger):
    assert match_players(circle, "Xena") == {"Xena": (Confidence.NEW, None)}


def test_a_game_matches_by_title_slug_or_custom_name(circle, table):
    SeatResult.objects.create(
        table=table, circle=circle, seat=0, game="any-game", called="Wingspan", began_at=table.began_at,
        side=0, sides=1, total=1, is_high_good=True, rank=0, is_won=False, is_shared=False,
    )  # fmt: skip
    assert match_game(circle, "TAKE THAT") == (Confidence.KNOWN, GameChoice(slug="take-that"))
    assert match_game(circle, "the-game") == (Confidence.KNOWN, GameChoice(slug="the-game"))
    assert match_game(circle, "Wíngspan") == (Confidence.KNOWN, GameChoice(name="Wingspan"))
    assert match_game(circle, "Wingspan: Oceania") == (Confidence.SUGGESTED, GameChoice(name="Wingspan"))
    assert match_game(circle, "Sidebords") == (Confidence.SUGGESTED, GameChoice(slug="sideboards"))
    assert match_game(circle, "Azul") == (Confidence.NEW, GameChoice(name="Azul"))


def test_a_table_is_known_by_its_source_or_any_id(circle, table):
    assert match_file(circle, build_file("Ann", source=table.public_id, kind="companion")).known_count == 1
    assert match_file(circle, build_file("Ann", source=make_table_uid(table.public_id))).known_count == 1
    assert match_file(circle, build_file("Ann", source="s")).known_count == 0
    Table.objects.filter(pk=table.pk).update(source="bgstats:s")
    result = match_file(circle, build_file("Ann", source="s"))
    assert (result.known_count, result.new_tables, result.players, result.games) == (1, (), [], [])


def test_tables_of_other_circles_are_not_known(circle, stranger):
    theirs = Table.objects.exclude(circle=circle).get()
    assert match_file(circle, build_file("Ann", source=theirs.public_id, kind="companion")).known_count == 0


def create_alias(circle: Circle, name: str) -> None:
    player = Player.objects.get(circle=circle, name=name)
    Alias.objects.create(circle=circle, source="bgstats", kind="player", external_id=f"id of {name}", player=player)


def test_erasing_a_player_deletes_aliases_and_uploads(circle, alice, stranger):
    other = Circle.objects.exclude(pk=circle.pk).get()
    create_alias(circle, "Ann")
    create_alias(circle, "Bo")
    Alias.objects.create(circle=circle, source="bgstats", kind="game", external_id="ann’s game", called="Ann’s game")
    for owner in (circle, other):
        Upload.objects.create(circle=owner, content=b"Ann")
    ann = Player.objects.get(circle=circle, name="Ann")
    alice.send(reverse("change-player", args=[ann.pk]), {"action": "erase", "sure": "yes"})
    assert list(Alias.objects.values_list("external_id", flat=True)) == ["id of Bo"]
    assert [upload.circle for upload in Upload.objects.all()] == [other]


def test_aliases_of_a_merged_player_name_the_other(circle):
    create_alias(circle, "Ann")
    zoe = get_or_create_player(circle, "Zoe")
    merge.merge_players(zoe, Player.objects.get(name="Ann"), by=None)
    assert Alias.objects.get().player == zoe
