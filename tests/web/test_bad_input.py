"""Hostile values for every field of every URL."""

import json
from urllib.parse import urlencode
from zlib import crc32

import pytest
from django.urls import reverse

from companion.history.models import Upload
from companion.people.models import Player
from companion.tables.models import Entry, Table
from tests.exchange.backups import build_shared_play
from tests.exchange.upload_pages import pack_file
from tests.scale import LONG, choose_count
from tests.web.hostile import VALUES
from tests.web.people import Person, assert_all_pages_open, create_mate, dump_database, load_fresh_log, new_key

pytestmark = pytest.mark.hostile

SHARE = choose_count(48, 4)
"""Fields that do not end up in an entry get every SHARE-th hostile value."""
FORM = "application/x-www-form-urlencoded"
PLAY = {"round": "1", "kind": "extend", "seat": "0", "card": "49"}
COUNT = {"round": "2", "count.0.face_up": "2", "count.0.face_down": "3", "count.0.toads": "1"}
PLACE = {"round": "1", "kind": "place", "seat": "0", "card": "50", "row": "up-2"}
LEFT = {"round": "1", "count.all.left": "9"}
SPLIT = {"round": "1", "count.all.hands": "1,2", "count.all.pile": "0"}
AMEND = {"round": "1", "amend": "correct", "target": "2", "kind": "extend", "seat": "2", "card": "42"}
AMEND_COUNT = {
    "round": "1",
    "amend": "correct",
    "target": "4",
    "count.0.face_up": "2",
    "count.0.face_down": "3",
    "count.0.toads": "1",
}
INSIST = {"kind": "insist", "target": "2", "insist": "turn"}
SETUP = {"way": "pad", "seat": "n:Eve", "person": "n:Bo", "order": "n:Eve", "new": "Bo", "action": "open"}

ENTRY_FIELDS = [
    *((PLAY, name) for name in (*PLAY, "key", "place", "seen", "way", "amend", "target", "insist", "penalty", "x")),
    *((COUNT, name) for name in (*COUNT, "count.0.hand", "count.0.x", "count.1.face_up", "count.all.face_up")),
    *((COUNT, name) for name in ("count.0", "x.0.y", ".")),
    *((AMEND, name) for name in (*AMEND, "seen")),
    *((AMEND_COUNT, name) for name in ("target", "count.0.face_up", "count.0.toads")),
    *((INSIST, name) for name in INSIST),
    ({"kind": "undo"}, "target"), ({"kind": "redo"}, "target"), ({"kind": "strike"}, "target"),
    ({"kind": "confirm"}, "round"), ({"kind": "close"}, "round"),
]  # fmt: skip
TEAM_ENTRY_FIELDS = [
    (PLACE, "kind"),
    *((LEFT, name) for name in ("count.all.burnt", "count.0.left")),
    (SPLIT, "count.all.hands"),
]
PREVIEW_FIELDS = [(COUNT, name) for name in (*COUNT, "count.0.hand", "key", "place", "x")]


def format_case_id(case):
    data, name = case
    return f"{'-'.join(data)[:30]}-{name or 'empty'}"


def select_values(name, step=SHARE):
    """Return every `step`-th hostile value, starting at an offset that depends on the field name."""
    return VALUES[crc32(name.encode()) % step :: step]


def generate_bodies(data, name, values=()):
    """Yield the form with each value in the field, with the field duplicated, missing, or under a similar name."""
    for value in values or select_values(name):
        yield [*((field, text) for field, text in data.items() if field != name), (name, value)]
    yield [*data.items(), (name, "1"), (name, "2")]
    yield [(field, text) for field, text in data.items() if field != name]
    digits = "9" * 5_000
    for odd_name in (f"{name}[]", f"{name}[0]", f"{name}.0", f".{name}", name.upper(), f" {name}", f"{name}\x00"):
        yield [*data.items(), (odd_name, "1")]
    for odd_name in (name + digits, f"count.{digits}.toads", f"count.all.{digits}", "٣" + name):
        yield [*data.items(), (odd_name, "1")]


@pytest.fixture
def match(alice: Person) -> Table:
    """A table with three plays in round 1, superseded by counts; round 2 is open."""
    table = alice.open(names=("Ann", "Bo", "Cleo"), rounds="9")
    for index, card in enumerate((34, 41, 49)):
        assert alice.enter(table, kind="extend", seat=(index + 1) % 3, card=card).status_code == 302
    for seat in range(3):
        assert alice.count(table, seat, 12, 10, 1, insist="deal").status_code == 302
    return table


@pytest.fixture
def team(alice: Person) -> Table:
    table = alice.open("the-game", names=("Ann", "Bo"), way="referee")
    assert alice.enter(table, kind="place", seat=0, card=10, row="up-1").status_code == 302
    return table


def post_hostile_values(person, table, url, cases):
    """Post all bodies. A refused one must change nothing, an accepted one must be a consistent entry."""
    count = 0
    before = dump_database()
    for data in cases:
        if "key" not in dict(data):
            data = [("key", new_key()), *data]
        response = person.send(url, data, htmx=count % 4 > 0)
        count += 1
        details = ascii(data)[-300:]
        assert response.status_code in (200, 302, 400, 404, 409, 422), details
        if response.status_code >= 400:
            assert dump_database() == before, details
            assert len(response.content.decode().strip()) > 20, details
        else:
            before = dump_database()
    numbers = list(Entry.objects.filter(table=table).values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert_all_pages_open(person, table)
    return count


@pytest.mark.parametrize("case", ENTRY_FIELDS, ids=format_case_id)
def test_hostile_values_do_not_break_recording_an_entry(alice, match, case):
    is_recorded = case[0] in (PLAY, COUNT) and case[1] in case[0]
    values = select_values(case[1], choose_count(16, 1)) if is_recorded else select_values(case[1])
    assert (
        post_hostile_values(alice, match, reverse("record", args=[match.public_id]), generate_bodies(*case, values))
        >= len(values) + 12
    )


@pytest.mark.parametrize("case", TEAM_ENTRY_FIELDS, ids=format_case_id)
def test_hostile_values_do_not_break_recording_a_team_entry(alice, team, case):
    post_hostile_values(alice, team, reverse("record", args=[team.public_id]), generate_bodies(*case))


@pytest.mark.parametrize("case", PREVIEW_FIELDS, ids=format_case_id)
def test_hostile_values_do_not_break_a_preview(alice, match, case):
    before = dump_database()
    post_hostile_values(alice, match, reverse("preview", args=[match.public_id]), generate_bodies(*case))
    assert dump_database() == before


@pytest.mark.parametrize("name", ["note", "rematch", "bin-table", "unbin-table"])
def test_hostile_values_do_not_break_other_table_forms(alice, match, name):
    post_hostile_values(alice, match, reverse(name, args=[match.public_id]), generate_bodies({}, "note"))


DETAILS = {"note": "A note", "place": "", "new_place": "Home", "day": "2026-11-01", "time": "20:00", "minutes": "9"}
CHANGES = {"action": "look", "name": "Bo", "colour": "1", "sign": "boat", "other": "1", "sure": "yes"}


@pytest.mark.parametrize("name", [*DETAILS, "x"])
def test_hostile_values_do_not_break_table_details(alice, match, name):
    post_hostile_values(alice, match, reverse("details", args=[match.public_id]), generate_bodies(DETAILS, name))


@pytest.mark.parametrize("name", [*CHANGES, "x"])
def test_hostile_values_do_not_break_the_player_page(alice, match, name):
    url = reverse("change-player", args=[Player.objects.get(name="Bo").pk])
    data = CHANGES if name != "name" else {**CHANGES, "action": "rename"}
    post_hostile_values(
        alice, match, url, generate_bodies(data if name != "other" else {**CHANGES, "action": "merge"}, name)
    )
    for player in Player.objects.all():
        assert alice.get(reverse("player", args=[player.pk])).status_code == 200


# Options of games and fields of their plays and counts are covered by test_every_game.
NEW_TABLE_FIELDS = [
    *(("take-that", name) for name in (*SETUP, "count.0.face_up", "x")),
    ("take-that", "option.x"),
    *(("the-game", name) for name in ("seat", "count.all.left", "count.all.hands")),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "name"), NEW_TABLE_FIELDS)
def test_hostile_values_do_not_break_the_new_table_form(alice, table, slug, name):
    url = reverse("new-table", args=[slug])
    before = dump_database()
    for data in generate_bodies(SETUP, name):
        response = alice.send(url, data)
        details = ascii(data)[-300:]
        assert response.status_code in (200, 302, 400, 422), details
        if response.status_code >= 400:
            assert dump_database() == before, details
        before = dump_database()
    for opened in Table.objects.order_by("-pk")[:3]:
        load_fresh_log(opened)
        assert alice.get(reverse("table", args=[opened.public_id])).status_code == 200
    for page in ("home", "history", "new-table"):
        assert alice.get(url if page == "new-table" else reverse(page)).status_code == 200


@pytest.mark.parametrize("name", ["action", "key", "label"])
def test_hostile_values_do_not_break_the_api_key_page(alice, table, name):
    for data in generate_bodies({"action": "make", "label": "A program", "key": "1"}, name):
        response = alice.send(reverse("keys"), data)
        assert response.status_code in (200, 302, 400, 422), ascii(data)[-300:]
    assert alice.get(reverse("keys")).status_code == 200


@pytest.mark.parametrize("name", ["language", "theme", "next"])
def test_hostile_values_do_not_break_or_redirect_the_settings(nobody, name):
    for data in generate_bodies({"language": "el", "theme": "dark", "next": "/"}, name):
        response = nobody.send(reverse("change-settings"), data)
        assert response.status_code in (302, 400)
        if response.status_code == 302:
            location = response["Location"]
            assert location.startswith("/") and not location.startswith(("//", "/\\")), location
            assert nobody.get(reverse("home")).status_code == 200


@pytest.mark.parametrize("name", ["person.0", "person.1", "game.0", "x"])
def test_hostile_values_do_not_break_player_matching(alice, match, name):
    before = dump_database()
    for data in generate_bodies({"person.0": "new", "person.1": "new", "game.0": "new"}, name):
        upload = Upload.objects.create(circle=match.circle, content=pack_file(build_shared_play()))
        response = alice.send(reverse("import-match", args=[upload.pk]), data)
        details = ascii(data)[-300:]
        assert response.status_code in (302, 400, 422), details
        if response.status_code >= 400:
            assert dump_database() == before, details
        before = dump_database()
    for page in ("home", "history", "players"):
        assert alice.get(reverse(page)).status_code == 200


QUERY_FIELDS = [
    *(("table", name) for name in ("round", "way", "x")),
    *(("log", name) for name in ("before", "round")),
    *(("correct", name) for name in ("forgotten", "x")),
    *(("history", name) for name in ("q", "game", "player", "place", "period", "unfinished", "before")),
    *(("bin", name) for name in ("player", "before")),
    *(("history", name) for name in ("new", "known", "left")),
    ("import", "x"),
    ("game-statistics", "called"),
    *(("export", name) for name in ("q", "game", "player", "place", "period", "unfinished", "before")),
    *(("export-history", name) for name in ("q", "game", "player")),
    ("share", "x"),
    ("export-table", "x"),
    *(("new-table", name) for name in ("option.rounds", "option.professional", "count.0.face_up", "x")),
    ("settings", "next"),
    ("home", "x"),
    ("keys", "x"),
    ("api", "x"),
    *(("api-tables", name) for name in ("game", "player", "before", "x")),
]
CALCULATOR_FIELDS = [
    *(("take-that", name) for name in ("seats", *COUNT, "count.0.hand", "x")),
    *(("the-game", name) for name in ("seats", *LEFT, *SPLIT, "count.all.burnt")),
]


@pytest.mark.parametrize(("slug", "field"), CALCULATOR_FIELDS)
def test_hostile_values_do_not_break_the_calculator(nobody, slug, field):
    boxes = COUNT if slug == "take-that" else SPLIT
    for data in generate_bodies(boxes, field):
        query = urlencode(data, errors="surrogatepass")
        response = nobody.get(f"{reverse('calculator', args=[slug])}?{query}", headers={"HX-Request": "true"})
        assert response.status_code in (200, 400), ascii(data)[-300:]


@pytest.mark.parametrize(("name", "field"), QUERY_FIELDS)
def test_hostile_query_values_do_not_break_a_page(alice, match, name, field):
    table = match
    args = {"new-table": ["take-that"], "game-statistics": ["any-game"], "correct": [table.public_id, 1]}
    args |= {"export-history": ["json"], "export-table": [table.public_id, "json"]}
    args = args.get(name, [table.public_id])
    pages_without_arguments = ("history", "bin", "settings", "home", "export", "import", "keys", "api", "api-tables")
    url = reverse(name, args=[] if name in pages_without_arguments else args)
    before = dump_database()
    for query in generate_bodies({}, field):
        response = alice.get(f"{url}?{urlencode(query, errors='surrogatepass')}")
        assert response.status_code in ((401,) if name.startswith("api") else (200, 400, 422)), ascii(query)[-300:]
    assert dump_database() == before


@pytest.mark.parametrize(
    "path",
    [
        "players/{}/",
        "statistics/{}/",
        "tables/new/{}/",
        "calculate/{}/",
        "en/rules/{}/",
        "el/rules/{}/",
        "rules/{}/",
        "tables/{}/",
        "tables/{}/log/",
        "tables/{}/entries/{}/",
        "tables/{}/share/",
        "tables/{}/export/{}/",
        "history/export/{}/",
        "b/{}",
        "{}",
    ],
)
def test_hostile_path_segments_do_not_break_a_url(alice, match, path):
    from urllib.parse import quote

    for value in select_values(path):
        segment = quote(value, safe="", errors="surrogatepass")
        url = "/" + path.format(*[match.public_id, segment][-path.count("{}") :])
        assert alice.get(url).status_code in (200, 302, 400, 404), url[:200]


# Malformed bodies


def generate_malformed_bodies():
    encoded_form = urlencode({"key": "key-of-the-body", **PLAY})
    multipart = "multipart/form-data; boundary=b"
    part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    yield "json", json.dumps(PLAY).encode(), "application/json"
    yield "json as a form", json.dumps(PLAY).encode(), FORM
    yield "text", encoded_form.encode(), "text/plain"
    yield "no type", encoded_form.encode(), ""
    yield "xml", b"<a/>", "application/xml"
    yield "nothing", b"", FORM
    yield "nothing in parts", b"", multipart
    yield "no boundary", b"--b\r\n", "multipart/form-data"
    yield "empty boundary", b"--\r\n", "multipart/form-data; boundary="
    yield "strange boundary", b"--\r\n", "multipart/form-data; boundary=" + "x" * 500
    yield "never closed", part % (b"kind", b"extend"), multipart
    yield "cut off", b"--b\r\nContent-Disposition: form-data; na", multipart
    yield "no headers", b"--b\r\n\r\nx\r\n--b--\r\n", multipart
    yield "bad header", b"--b\r\nContent-Disposition\r\n\r\nx\r\n--b--\r\n", multipart
    yield (
        "a file for a field",
        b'--b\r\nContent-Disposition: form-data; name="card"; filename="x"\r\n\r\n49\r\n--b--\r\n',
        multipart,
    )
    yield (
        "two files",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n49\r\n' * 2 + b"--b--\r\n",
        multipart,
    )
    yield (
        "bad encoding",
        part.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n") % (b"card", b"!") + b"--b--\r\n",
        multipart,
    )
    yield "nul", b"\x00" * 500, FORM
    yield "noise", bytes(range(256)) * 20, FORM
    yield "percents", b"%" * 500 + b"&%zz=%", FORM
    yield "ampersands", b"&" * 10_000, FORM
    yield "many fields", b"&".join(b"f%d=1" % n for n in range(600)), FORM
    yield "many in parts", b"".join(part % (b"f%d" % n, b"1") for n in range(600)) + b"--b--\r\n", multipart
    yield "not quite too large", b"x=" + b"x" * 65_000, FORM
    yield "too large", b"x=" + b"x" * 70_000, FORM
    yield "a megabyte", b"x=" + b"x" * 1_000_000, FORM
    yield "five megabytes", b"x" * 5_000_000, FORM
    yield "a megabyte in parts", part % (b"note", b"x" * 1_000_000) + b"--b--\r\n", multipart
    yield "latin-1", "note=\xe9".encode("latin-1"), FORM
    charsets = ["utf-16", "latin-1", "utf-7", "idna", "punycode", "hex", "rot13", "zlib", "undefined", "mbcs"]
    for charset in (*charsets, "raw_unicode_escape", "x" * 500, ";", "\xe9"):
        yield f"form in {charset[:9]}", encoded_form.encode(), f"{FORM}; charset={charset}"
        yield (
            f"parts in {charset[:9]}",
            part % (b"card", b"49") + part % (b"key", b"key-of-parts") + b"--b--\r\n",
            f"{multipart}; charset={charset}",
        )


@pytest.mark.parametrize(
    ("body", "kind"),
    [case[1:] for case in generate_malformed_bodies()],
    ids=[case[0] for case in generate_malformed_bodies()],
)
def test_malformed_body_is_rejected_and_changes_nothing(alice, match, body, kind):
    args = [match.public_id]
    urls = [reverse(name, args=args) for name in ("record", "preview")] + [reverse("new-table", args=["take-that"])]
    before = initial = dump_database()
    for url in [*urls, reverse("change-settings")]:
        response = alice.generic("POST", url, body, content_type=kind)
        assert response.status_code in (200, 302, 400, 403, 409, 413, 422), url
        if url == urls[0]:
            is_well_formed = body.startswith(b"key=key-of-the-body") and response.status_code in (200, 302)
            assert response.status_code >= 400 or is_well_formed
        if response.status_code >= 400:
            assert dump_database() == before
        before = dump_database()
        assert alice.generic("GET", url, body, content_type=kind).status_code in (200, 302, 400, 405)
    if LONG or before != initial:
        assert_all_pages_open(alice, match)
    else:
        assert alice.get(reverse("table", args=args)).status_code == 200


HEADERS = ["Accept-Language", "Cookie", "User-Agent", "HX-Request", "HX-Current-URL", "HX-Target", "Referer"]
HEADERS += ["If-Modified-Since", "If-None-Match", "X-Forwarded-For", "Accept-Encoding", "Range", "Content-Length"]


@pytest.mark.parametrize("header", HEADERS)
def test_hostile_headers_do_not_break_a_page(alice, match, header):
    values = ["", "x", "\xd9\xa3", "\xff\xfe", "x" * 5_000, "el;q=x", "el;q=" + "9" * 400, ",".join(["el"] * 500)]
    values += ["http://[", "bytes=9-1", "-1", "W/", "true", "false", "*", "gzip;q=nan", "a=b; " * 300, "\t", "zz-ZZ-zz"]
    token = alice.cookies.output(header="", sep=";").split(";")[0].strip()
    for value in values if LONG else values[len(header) % 3 :: 3]:
        person = Person()
        extra = {header: f"{token}; {value}" if header == "Cookie" else value}
        if header != "Cookie":
            person.cookies = alice.cookies
        response = person.get(reverse("table", args=[match.public_id]), headers=extra)
        assert response.status_code in (200, 304, 400, 404), value[:50]


# Rows that an older or newer version may have left in the database


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("dance", {}), ("extend", {}), ("extend", {"seat": "x", "card": "99"}),
        ("extend", {"seat": "99", "card": "-1"}), ("extend", {"hat": "1"}),
        ("count", {"seat": "0"}), ("count", {"seat": "9", "face_up": "2", "face_down": "0", "toads": "0"}),
        ("count", {"face_up": "x"}), ("undo", {"target": "99"}),
        ("correct", {"target": "1", "kind": "dance"}), ("correct", {"target": "99", "kind": "extend"}),
        ("strike", {"target": "-1"}), ("confirm", {}),
    ],
)  # fmt: skip
def test_undecodable_entry_is_shown_and_breaks_no_page(alice, match, kind, words):
    number = match.entries.count() + 1
    Entry.objects.create(table=match, number=number, key="old", kind=kind, round=2, words=words, game_version=1)
    Table.objects.filter(pk=match.pk).update(version=number)
    assert_all_pages_open(alice, match)
    assert alice.count(match, 0, 2, 3, 1, round=2, insist="deal").status_code in (302, 409)
    assert_all_pages_open(create_mate(alice), match)


def test_table_with_removed_options_can_be_shown(alice, match):
    Table.objects.filter(pk=match.pk).update(
        options={"hats": "yes", "rounds": "-5"}, result={"totals": [1], "rounds": 3}
    )
    assert_all_pages_open(alice, match)
    assert alice.send(reverse("rematch", args=[match.public_id]), []).status_code < 500


def test_table_of_a_removed_game_does_not_break_the_history(alice, match):
    Table.objects.filter(pk=match.pk).update(game="gone")
    for name in ("home", "history"):
        assert alice.get(reverse(name)).status_code == 200
    assert alice.get(reverse("table", args=[match.public_id])).status_code == 409
