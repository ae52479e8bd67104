import json
import tracemalloc
from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from companion.exchange.export_records import iter_records
from companion.exchange.formats.companion_json import write_file
from companion.exchange.match_form import MAX_FIELDS
from companion.history.models import Upload
from companion.people.models import Circle, Device, Player
from companion.tables.models import Seat, Table
from tests.exchange import hostile_files
from tests.exchange.backups import build_backup, build_shared_play
from tests.exchange.upload_pages import dump_with_uploads, import_file, submit_matches, upload_file
from tests.scale import LONG
from tests.web.hostile import ORDINARY_NAMES
from tests.web.html import parse_html
from tests.web.people import assert_all_pages_open, create_mate


def get_error_text(response) -> str:
    """Return the error message on the page."""
    return parse_html(response.content.decode()).one("div", role="alert").text


def export_tables(tables: QuerySet[Table]) -> str:
    return "".join(write_file(iter_records(tables), timezone.now()))


def export_counted_table(person, table: Table) -> str:
    """Export the table after its first round."""
    for seat in range(3):
        assert person.count(table, seat, 12, 10, 1, insist="deal").status_code == 302
    return export_tables(Table.objects.filter(pk=table.pk))


def test_importing_a_file_takes_two_steps(alice):
    assert reverse("import") in [link.attrs.get("href") for link in alice.page("history").all("a")]
    match_url = upload_file(alice, build_shared_play())["Location"]
    page = parse_html(alice.get(match_url).content.decode())
    assert "1 table in plays.json: 1 new, 0 already here." in page.one("p", **{"class": "lead"}).text
    history_url = submit_matches(alice, match_url)["Location"]
    assert parse_html(alice.get(history_url).content.decode()).one("div", role="status").text == "1 table imported."
    assert "Ada" in alice.get(history_url).content.decode()
    assert not Upload.objects.exists()


def test_the_first_valid_file_creates_a_circle(nobody):
    assert upload_file(nobody, b"{").status_code == 422
    assert not Device.objects.exists()
    assert import_file(nobody, build_shared_play())["Location"].startswith(reverse("history"))
    assert Table.objects.get().circle == Circle.objects.get()
    assert "Ada" in nobody.get(reverse("history")).content.decode()


def test_matches_are_labelled_in_words(alice):
    content = build_backup(plays=3, players=6, games=3)
    for row, name in zip(content["players"], ("Ann", "BO", "Cle", "Zed", "Yan"), strict=False):
        row["name"] = name
    page = parse_html(alice.get(upload_file(alice, content)["Location"]).content.decode())
    classes = {row.one("label").all("bdi")[0].text: row.attrs["class"] for row in page.all("li") if row.all("select")}
    expected = {"Ann": "known", "BO": "suggested", "Zed": "new"}
    assert {name: classes[name] for name in expected} == expected
    for row in page.all("li"):
        if row.all("select"):
            assert row.attrs["class"] in row.one("label").text


def test_choices_are_applied_and_remembered(alice):
    ann = Player.objects.get(name="Ann")
    import_file(alice, build_shared_play(), person__0=f"p{ann.pk}", person__1="new", game__0="slug:take-that")
    table = Table.objects.get(source__isnull=False)
    assert list(table.seats.values_list("player__name", flat=True)) == ["Ann", "Bob"]
    assert table.options["name"] == "Take That"
    assert import_file(alice, build_shared_play(uuid="other"))["Location"].endswith("?new=1&known=0&left=0")
    assert Seat.objects.filter(player=ann, table__source__isnull=False).count() == 2


def test_a_named_game_of_the_circle_can_be_chosen(alice):
    import_file(alice, build_shared_play())
    alice.get(reverse("statistics"))  # counts the table, so that its game is offered
    games = [{**build_shared_play()["games"][0], "name": "Tiles"}]
    second_play = {**build_shared_play(uuid="other"), "games": games}
    assert import_file(alice, second_play, game__0="called:Azul").status_code == 302
    assert [table.options["name"] for table in Table.objects.filter(source__isnull=False)] == ["Azul", "Azul"]


def test_a_player_of_another_circle_cannot_be_chosen(alice, stranger):
    xena = Player.objects.get(name="Xena")
    url = upload_file(alice, build_shared_play())["Location"]
    before = dump_with_uploads()
    for value in (f"p{xena.pk}", "p", "p999999", "", "x" * 500):
        response = submit_matches(alice, url, person__0=value)
        assert response.status_code == 422 and "There is no such player here." in get_error_text(response)
    for value in ("slug:chess", "called:Chess", "", "x"):
        assert submit_matches(alice, url, game__0=value).status_code == 422
    assert dump_with_uploads() == before


def test_a_player_cannot_be_chosen_twice_at_a_table(alice):
    ann = f"p{Player.objects.get(name='Ann').pk}"
    url = upload_file(alice, build_shared_play())["Location"]
    before = dump_with_uploads()
    response = submit_matches(alice, url, person__0=ann, person__1=ann)
    assert response.status_code == 422 and "they can’t both be Ann" in get_error_text(response)
    assert dump_with_uploads() == before
    page = parse_html(response.content.decode())
    assert [o.attrs["value"] for o in page.all("option") if "selected" in o.attrs][:2] == [ann, ann]


def test_uploads_are_private_to_their_circle(alice, stranger):
    url = upload_file(alice, build_shared_play())["Location"]
    before = dump_with_uploads()
    assert stranger.get(url).status_code == stranger.send(url, {}).status_code == 404
    assert dump_with_uploads() == before
    assert create_mate(alice).get(url).status_code == 200


def test_players_beyond_the_page_limit_are_imported(alice):
    content = build_shared_play()
    numbers = range(1, 301)
    content["players"] = [{"id": n, "uuid": f"own-{n}", "name": f"Person {n}"} for n in numbers]
    content["games"] = [{"id": n, "name": f"Game {n}"} for n in numbers]
    content["plays"] = [
        {**content["plays"][0], "uuid": f"play-{n}", "gameRefId": n, "playerScores": [{"playerRefId": n, "score": "1"}]}
        for n in numbers
    ]
    url = upload_file(alice, content)["Location"]
    page = parse_html(alice.get(url).content.decode())
    assert len(page.all("select")) == 2 * MAX_FIELDS < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    assert submit_matches(alice, url)["Location"].endswith("?new=300&known=0&left=0")
    assert Player.objects.filter(name__startswith="Person").count() == 300


def test_uploads_are_limited_in_number_and_age(alice, stranger):
    Upload.objects.create(circle=Circle.objects.first(), content=b"", made_at=timezone.now() - timedelta(days=2))
    for number in range(5):
        upload_file(alice, build_shared_play(), f"{number}.json")
    assert set(Upload.objects.values_list("name", flat=True)) == {"2.json", "3.json", "4.json"}
    upload_file(stranger, build_shared_play(), "theirs.json")
    assert Upload.objects.count() == 4


def test_an_exported_table_imports_unchanged(alice, table, nobody):
    content = export_counted_table(alice, table)
    assert import_file(alice, content.encode())["Location"].endswith("?new=0&known=1&left=0")
    import_file(nobody, content.encode())
    copy = Table.objects.exclude(pk=table.pk).get()
    table.refresh_from_db()
    names = ("game", "options", "mode", "note", "version", "is_over", "result", "began_at")
    assert [getattr(copy, name) for name in names] == [getattr(table, name) for name in names]
    columns = ("number", "key", "kind", "round", "words", "overruled", "at")
    assert list(copy.entries.values(*columns)) == list(table.entries.values(*columns))
    assert_all_pages_open(nobody, copy)


def test_a_notation_file_is_imported_once(alice):
    text = b"# seat 0: Ann\n# seat 1: Zoe\ngame take-that\nseats 2\nextend seat=1 card=34\n"
    assert import_file(alice, text, "match.txt")["Location"].endswith("?new=1&known=0&left=0")
    assert import_file(alice, text, "again.txt")["Location"].endswith("?new=0&known=1&left=0")
    assert Player.objects.filter(name="Zoe").count() == 1


CASES = [*hostile_files.iter_unknown_files(), *hostile_files.iter_bgstats_files(), *hostile_files.iter_notation_files()]


@pytest.mark.parametrize(("content", "where"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.hostile
def test_hostile_uploads_are_refused_and_write_nothing(alice, content, where):
    before = dump_with_uploads()
    began = timezone.now()
    response = upload_file(alice, content)
    assert response.status_code == 422
    assert where in get_error_text(response)
    assert timezone.now() - began < timedelta(seconds=10)
    assert dump_with_uploads() == before


def test_forged_companion_files_are_refused_and_write_nothing(alice, table):
    valid_file = export_counted_table(alice, table)
    before = dump_with_uploads()
    for name, content, where in hostile_files.iter_companion_files(valid_file):
        response = upload_file(alice, content)
        assert response.status_code == 422, name
        assert where in get_error_text(response), name
    assert dump_with_uploads() == before


def test_submitting_no_file_is_an_error(alice):
    for data in ({}, {"file": "text"}):
        response = alice.post(reverse("import"), data)
        assert response.status_code == 422 and "Choose a file first." in get_error_text(response)


@pytest.mark.parametrize("size", [10_000_001, 50_000_000])
def test_a_too_large_file_is_refused_by_its_size(alice, size):
    before = dump_with_uploads()
    response = upload_file(alice, b" " * size)
    assert response.status_code == 422 and "too large: at most 10 MB" in get_error_text(response)
    assert dump_with_uploads() == before


def build_large_file(kind: str) -> bytes:
    """Return a file that takes as much memory as possible."""
    content = build_shared_play()
    play = content["plays"][0]
    if kind == "plays":
        content["plays"] = [{**play, "uuid": f"{n:036}", "comments": "x" * 2_000} for n in range(4_000)]
    elif kind == "comments":
        content["plays"] = [{**play, "uuid": f"{n:036}", "comments": "🙂" + "x" * 90_000} for n in range(100)]
    else:
        content["games"] = [{**content["games"][0], "id": n, "x": [{}] * 70_000} for n in range(1, 11)]
    return json.dumps(content, ensure_ascii=False).encode()


@pytest.mark.parametrize("kind", ["plays", "comments", "objects"] if LONG else ["objects"])
def test_the_largest_file_is_parsed_in_little_memory(alice, kind):
    content = build_large_file(kind)
    assert 2_500_000 < len(content) < 10_000_000
    tracemalloc.start()
    try:
        response = upload_file(alice, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert response.status_code == 302
    assert peak < 150_000_000


ODD_TEXTS = [
    *ORDINARY_NAMES,
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\u202eevil",
    "constructor",
    "<svg/onload=x>",
]


def build_odd_file() -> dict:
    """Return a file with a play for each odd text, which is the value of all its text fields."""
    content = build_shared_play(board="x", locationRefId=1)
    play, player, game = content["plays"][0], content["players"][0], content["games"][0]
    numbered = list(enumerate(ODD_TEXTS, 1))
    content["about"] = ODD_TEXTS[-1]
    content["locations"] = [{"id": n, "uuid": "x", "name": text} for n, text in numbered]
    content["games"] = [{**game, "id": n, "name": text} for n, text in numbered]
    content["players"] = [{**player, "id": n, "uuid": f"odd-{n}", "name": text} for n, text in numbered]
    content["plays"] = [
        {
            **play, "uuid": f"odd-{n}", "gameRefId": n, "locationRefId": n, "board": text, "comments": text,
            "usesTeams": True, text: {text: text},
            "playerScores": [{"playerRefId": n, "team": text, "role": text, "score": text}],
        }
        for n, text in numbered
    ]  # fmt: skip
    return content


def test_imported_texts_are_escaped(alice):
    url = upload_file(alice, build_odd_file(), "<b>=1+1.json")["Location"]
    page = parse_html(alice.get(url).content.decode())
    assert len([row for row in page.all("li") if row.all("select")]) > len(ODD_TEXTS)
    assert not {"svg", "b", "img"} & {e.tag for row in page.all("li") for e in row}
    assert submit_matches(alice, url)["Location"].endswith(f"?new={len(ODD_TEXTS)}&known=0&left=0")
    assert upload_file(alice, build_odd_file()).status_code == 302
    names = set(Player.objects.values_list("name", flat=True))
    assert {"__proto__", "=1+1", "<script>alert(1)</script>", "evil"} <= names
    for name in ("history", "players", "statistics", "import", "home", "circle"):
        html = alice.get(reverse(name)).content.decode()
        assert "<script>alert" not in html and "<svg/onload" not in html
    for table in Table.objects.filter(source__isnull=False)[:: len(ODD_TEXTS) // 6]:
        assert_all_pages_open(alice, table)
