"""Hostile values for every field of every address."""

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
"""One of so many hostile values is thrown at a field that has no say in what is recorded."""
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

RECORDED = [
    *((PLAY, name) for name in (*PLAY, "key", "place", "seen", "way", "amend", "target", "insist", "penalty", "x")),
    *((COUNT, name) for name in (*COUNT, "count.0.hand", "count.0.x", "count.1.face_up", "count.all.face_up")),
    *((COUNT, name) for name in ("count.0", "x.0.y", ".")),
    *((AMEND, name) for name in (*AMEND, "seen")),
    *((AMEND_COUNT, name) for name in ("target", "count.0.face_up", "count.0.toads")),
    *((INSIST, name) for name in INSIST),
    ({"kind": "undo"}, "target"), ({"kind": "redo"}, "target"), ({"kind": "strike"}, "target"),
    ({"kind": "confirm"}, "round"), ({"kind": "close"}, "round"),
]  # fmt: skip
TEAM = [
    (PLACE, "kind"),
    *((LEFT, name) for name in ("count.all.burnt", "count.0.left")),
    (SPLIT, "count.all.hands"),
]
PREVIEWED = [(COUNT, name) for name in (*COUNT, "count.0.hand", "key", "place", "x")]


def named(case):
    sent, name = case
    return f"{'-'.join(sent)[:30]}-{name or 'empty'}"


def some(name, of=SHARE):
    """A share of the values, another one for each field: for those that have no say in what is recorded."""
    return VALUES[crc32(name.encode()) % of :: of]


def bodies(sent, name, values=()):
    """The form with each value in the field, and with the field twice, missing, and under names that look like it."""
    for value in values or some(name):
        yield [*((own, word) for own, word in sent.items() if own != name), (name, value)]
    yield [*sent.items(), (name, "1"), (name, "2")]
    yield [(own, word) for own, word in sent.items() if own != name]
    long = "9" * 5_000
    for strange in (f"{name}[]", f"{name}[0]", f"{name}.0", f".{name}", name.upper(), f" {name}", f"{name}\x00"):
        yield [*sent.items(), (strange, "1")]
    for strange in (name + long, f"count.{long}.toads", f"count.all.{long}", "٣" + name):
        yield [*sent.items(), (strange, "1")]


@pytest.fixture
def match(alice: Person) -> Table:
    """A table with three plays in round 1 that counts have taken the place of; round 2 is open."""
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


def throw(person, table, url, cases):
    """Posts all of it; what is refused leaves everything as it was, and what is not must be an honest entry."""
    tried = 0
    before = dump_database()
    for sent in cases:
        if "key" not in dict(sent):
            sent = [("key", new_key()), *sent]
        response = person.send(url, sent, htmx=tried % 4 > 0)
        tried += 1
        shown = ascii(sent)[-300:]
        assert response.status_code in (200, 302, 400, 404, 409, 422), shown
        if response.status_code >= 400:
            assert dump_database() == before, shown
            assert len(response.content.decode().strip()) > 20, shown
        else:
            before = dump_database()
    numbers = list(Entry.objects.filter(table=table).values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert_all_pages_open(person, table)
    return tried


@pytest.mark.parametrize("case", RECORDED, ids=named)
def test_hostile_values_do_not_break_recording_an_entry(alice, match, case):
    is_recorded = case[0] in (PLAY, COUNT) and case[1] in case[0]
    values = some(case[1], choose_count(16, 1)) if is_recorded else some(case[1])
    assert throw(alice, match, reverse("record", args=[match.public_id]), bodies(*case, values)) >= len(values) + 12


@pytest.mark.parametrize("case", TEAM, ids=named)
def test_hostile_values_do_not_break_recording_a_team_entry(alice, team, case):
    throw(alice, team, reverse("record", args=[team.public_id]), bodies(*case))


@pytest.mark.parametrize("case", PREVIEWED, ids=named)
def test_hostile_values_do_not_break_a_preview(alice, match, case):
    before = dump_database()
    throw(alice, match, reverse("preview", args=[match.public_id]), bodies(*case))
    assert dump_database() == before


@pytest.mark.parametrize("name", ["note", "rematch", "bin-table", "unbin-table"])
def test_hostile_values_do_not_break_other_table_forms(alice, match, name):
    throw(alice, match, reverse(name, args=[match.public_id]), bodies({}, "note"))


DETAILS = {"note": "A note", "place": "", "new_place": "Home", "day": "2026-11-01", "time": "20:00", "minutes": "9"}
CHANGES = {"action": "look", "name": "Bo", "colour": "1", "sign": "boat", "other": "1", "sure": "yes"}


@pytest.mark.parametrize("name", [*DETAILS, "x"])
def test_hostile_values_do_not_break_table_details(alice, match, name):
    throw(alice, match, reverse("details", args=[match.public_id]), bodies(DETAILS, name))


@pytest.mark.parametrize("name", [*CHANGES, "x"])
def test_hostile_values_do_not_break_the_player_page(alice, match, name):
    url = reverse("change-player", args=[Player.objects.get(name="Bo").pk])
    sent = CHANGES if name != "name" else {**CHANGES, "action": "rename"}
    throw(alice, match, url, bodies(sent if name != "other" else {**CHANGES, "action": "merge"}, name))
    for player in Player.objects.all():
        assert alice.get(reverse("player", args=[player.pk])).status_code == 200


# The options of every game, and the fields of its plays and counts, are those of test_every_game.
OF_A_GAME = [
    *(("take-that", name) for name in (*SETUP, "count.0.face_up", "x")),
    ("take-that", "option.x"),
    *(("the-game", name) for name in ("seat", "count.all.left", "count.all.hands")),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "name"), OF_A_GAME)
def test_hostile_values_do_not_break_the_new_table_form(alice, table, slug, name):
    url = reverse("new-table", args=[slug])
    before = dump_database()
    for sent in bodies(SETUP, name):
        response = alice.send(url, sent)
        shown = ascii(sent)[-300:]
        assert response.status_code in (200, 302, 400, 422), shown
        if response.status_code >= 400:
            assert dump_database() == before, shown
        before = dump_database()
    for own in Table.objects.order_by("-pk")[:3]:
        load_fresh_log(own)
        assert alice.get(reverse("table", args=[own.public_id])).status_code == 200
    for page in ("home", "history", "new-table"):
        assert alice.get(url if page == "new-table" else reverse(page)).status_code == 200


@pytest.mark.parametrize("name", ["action", "key", "label"])
def test_hostile_values_do_not_break_the_api_key_page(alice, table, name):
    for sent in bodies({"action": "make", "label": "A program", "key": "1"}, name):
        response = alice.send(reverse("keys"), sent)
        assert response.status_code in (200, 302, 400, 422), ascii(sent)[-300:]
    assert alice.get(reverse("keys")).status_code == 200


@pytest.mark.parametrize("name", ["language", "theme", "next"])
def test_hostile_values_do_not_break_or_redirect_the_settings(nobody, name):
    for sent in bodies({"language": "el", "theme": "dark", "next": "/"}, name):
        response = nobody.send(reverse("change-settings"), sent)
        assert response.status_code in (302, 400)
        if response.status_code == 302:
            where = response["Location"]
            assert where.startswith("/") and not where.startswith(("//", "/\\")), where
            assert nobody.get(reverse("home")).status_code == 200


@pytest.mark.parametrize("name", ["person.0", "person.1", "game.0", "x"])
def test_hostile_values_do_not_break_player_matching(alice, match, name):
    before = dump_database()
    for sent in bodies({"person.0": "new", "person.1": "new", "game.0": "new"}, name):
        upload = Upload.objects.create(circle=match.circle, content=pack_file(build_shared_play()))
        response = alice.send(reverse("import-match", args=[upload.pk]), sent)
        shown = ascii(sent)[-300:]
        assert response.status_code in (302, 400, 422), shown
        if response.status_code >= 400:
            assert dump_database() == before, shown
        before = dump_database()
    for page in ("home", "history", "players"):
        assert alice.get(reverse(page)).status_code == 200


GETS = [
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
CALCULATED = [
    *(("take-that", name) for name in ("seats", *COUNT, "count.0.hand", "x")),
    *(("the-game", name) for name in ("seats", *LEFT, *SPLIT, "count.all.burnt")),
]


@pytest.mark.parametrize(("slug", "field"), CALCULATED)
def test_hostile_values_do_not_break_the_calculator(nobody, slug, field):
    boxes = COUNT if slug == "take-that" else SPLIT
    for sent in bodies(boxes, field):
        query = urlencode(sent, errors="surrogatepass")
        response = nobody.get(f"{reverse('calculator', args=[slug])}?{query}", headers={"HX-Request": "true"})
        assert response.status_code in (200, 400), ascii(sent)[-300:]


@pytest.mark.parametrize(("name", "field"), GETS)
def test_hostile_query_values_do_not_break_a_page(alice, match, name, field):
    table = match
    args = {"new-table": ["take-that"], "game-statistics": ["any-game"], "correct": [table.public_id, 1]}
    args |= {"export-history": ["json"], "export-table": [table.public_id, "json"]}
    args = args.get(name, [table.public_id])
    alone = ("history", "bin", "settings", "home", "export", "import", "keys", "api", "api-tables")
    url = reverse(name, args=[] if name in alone else args)
    before = dump_database()
    for sent in bodies({}, field):
        response = alice.get(f"{url}?{urlencode(sent, errors='surrogatepass')}")
        assert response.status_code in ((401,) if name.startswith("api") else (200, 400, 422)), ascii(sent)[-300:]
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

    for value in some(path):
        word = quote(value, safe="", errors="surrogatepass")
        url = "/" + path.format(*[match.public_id, word][-path.count("{}") :])
        assert alice.get(url).status_code in (200, 302, 400, 404), url[:200]


# Bodies that are no form


def odd_bodies():
    sent = urlencode({"key": "key-of-the-body", **PLAY})
    mixed = "multipart/form-data; boundary=b"
    part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    yield "json", json.dumps(PLAY).encode(), "application/json"
    yield "json as a form", json.dumps(PLAY).encode(), FORM
    yield "text", sent.encode(), "text/plain"
    yield "no type", sent.encode(), ""
    yield "xml", b"<a/>", "application/xml"
    yield "nothing", b"", FORM
    yield "nothing in parts", b"", mixed
    yield "no boundary", b"--b\r\n", "multipart/form-data"
    yield "empty boundary", b"--\r\n", "multipart/form-data; boundary="
    yield "strange boundary", b"--\r\n", "multipart/form-data; boundary=" + "x" * 500
    yield "never closed", part % (b"kind", b"extend"), mixed
    yield "cut off", b"--b\r\nContent-Disposition: form-data; na", mixed
    yield "no headers", b"--b\r\n\r\nx\r\n--b--\r\n", mixed
    yield "bad header", b"--b\r\nContent-Disposition\r\n\r\nx\r\n--b--\r\n", mixed
    yield (
        "a file for a field",
        b'--b\r\nContent-Disposition: form-data; name="card"; filename="x"\r\n\r\n49\r\n--b--\r\n',
        mixed,
    )
    yield (
        "two files",
        b'--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n49\r\n' * 2 + b"--b--\r\n",
        mixed,
    )
    yield (
        "bad encoding",
        part.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n") % (b"card", b"!") + b"--b--\r\n",
        mixed,
    )
    yield "nul", b"\x00" * 500, FORM
    yield "noise", bytes(range(256)) * 20, FORM
    yield "percents", b"%" * 500 + b"&%zz=%", FORM
    yield "ampersands", b"&" * 10_000, FORM
    yield "many fields", b"&".join(b"f%d=1" % n for n in range(600)), FORM
    yield "many in parts", b"".join(part % (b"f%d" % n, b"1") for n in range(600)) + b"--b--\r\n", mixed
    yield "not quite too large", b"x=" + b"x" * 65_000, FORM
    yield "too large", b"x=" + b"x" * 70_000, FORM
    yield "a megabyte", b"x=" + b"x" * 1_000_000, FORM
    yield "five megabytes", b"x" * 5_000_000, FORM
    yield "a megabyte in parts", part % (b"note", b"x" * 1_000_000) + b"--b--\r\n", mixed
    yield "latin-1", "note=\xe9".encode("latin-1"), FORM
    charsets = ["utf-16", "latin-1", "utf-7", "idna", "punycode", "hex", "rot13", "zlib", "undefined", "mbcs"]
    for charset in (*charsets, "raw_unicode_escape", "x" * 500, ";", "\xe9"):
        yield f"form in {charset[:9]}", sent.encode(), f"{FORM}; charset={charset}"
        yield (
            f"parts in {charset[:9]}",
            part % (b"card", b"49") + part % (b"key", b"key-of-parts") + b"--b--\r\n",
            f"{mixed}; charset={charset}",
        )


@pytest.mark.parametrize(("body", "kind"), [case[1:] for case in odd_bodies()], ids=[case[0] for case in odd_bodies()])
def test_malformed_body_is_rejected_and_changes_nothing(alice, match, body, kind):
    own = [match.public_id]
    urls = [reverse(name, args=own) for name in ("record", "preview")] + [reverse("new-table", args=["take-that"])]
    before = at_first = dump_database()
    for url in [*urls, reverse("change-settings")]:
        response = alice.generic("POST", url, body, content_type=kind)
        assert response.status_code in (200, 302, 400, 403, 409, 413, 422), url
        if url == urls[0]:
            honest = body.startswith(b"key=key-of-the-body") and response.status_code in (200, 302)
            assert response.status_code >= 400 or honest
        if response.status_code >= 400:
            assert dump_database() == before
        before = dump_database()
        assert alice.generic("GET", url, body, content_type=kind).status_code in (200, 302, 400, 405)
    if LONG or before != at_first:
        assert_all_pages_open(alice, match)
    else:
        assert alice.get(reverse("table", args=own)).status_code == 200


HEADERS = ["Accept-Language", "Cookie", "User-Agent", "HX-Request", "HX-Current-URL", "HX-Target", "Referer"]
HEADERS += ["If-Modified-Since", "If-None-Match", "X-Forwarded-For", "Accept-Encoding", "Range", "Content-Length"]


@pytest.mark.parametrize("header", HEADERS)
def test_hostile_headers_do_not_break_a_page(alice, match, header):
    values = ["", "x", "\xd9\xa3", "\xff\xfe", "x" * 5_000, "el;q=x", "el;q=" + "9" * 400, ",".join(["el"] * 500)]
    values += ["http://[", "bytes=9-1", "-1", "W/", "true", "false", "*", "gzip;q=nan", "a=b; " * 300, "\t", "zz-ZZ-zz"]
    token = alice.cookies.output(header="", sep=";").split(";")[0].strip()
    for value in values if LONG else values[len(header) % 3 :: 3]:
        own = Person()
        extra = {header: f"{token}; {value}" if header == "Cookie" else value}
        if header != "Cookie":
            own.cookies = alice.cookies
        response = own.get(reverse("table", args=[match.public_id]), headers=extra)
        assert response.status_code in (200, 304, 400, 404), value[:50]


# Poison: what an older or newer version may have left in the database


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
