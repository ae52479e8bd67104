"""The interface for programs: what each address sends, who is refused, and that the documentation tells every field."""

import json
from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone, translation

from companion.api.filters import FILTER_NAMES as FILTER_NAMES
from companion.api.schema import ENDPOINTS, ERROR, FILTERS, PARTS
from companion.exchange.export_records import make_player_uid
from companion.exchange.schema import FieldType, ObjectType
from companion.games import get_games
from companion.history.models import ApiKey
from companion.people.models import Circle, Device, Membership, Player
from companion.people.services import remove_device
from companion.tables.models import Place, Table
from tests.web.hostile import VALUES
from tests.web.people import device_of, state, with_device_of

BY_NAME = {part.name: part for part in PARTS}
KINDS = {FieldType.TEXT: str, FieldType.NUMBER: int, FieldType.TRUTH: bool, FieldType.WORDS: dict, FieldType.PART: dict}


class Program(Client):
    """A program with a key, or with none."""

    def __init__(self, key: str = "") -> None:
        super().__init__(headers={"Authorization": f"Bearer {key}"} if key else {})

    def ask(self, url: str, status: int = 200, **query: object) -> dict:
        response = self.get(url, query)
        assert response.status_code == status, response.content
        assert response["Content-Type"] == "application/json" and response["Cache-Control"] == "no-store"
        assert "Authorization" in response["Vary"] and not response.cookies
        assert "Access-Control-Allow-Origin" not in response
        return json.loads(response.content)


def key_of(person, label: str = "A program") -> str:
    """A key made by the form of the page, and read off it."""
    answer = person.send(reverse("keys"), {"action": "make", "label": label})
    assert answer.status_code == 200, answer.content
    return answer.content.decode().partition('id="key" readonly')[2].partition('value="')[2].partition('"')[0]


@pytest.fixture
def program(alice) -> Program:
    return Program(key_of(alice))


@pytest.fixture
def full(alice, table) -> Table:
    """Alice's table with a finished round, closed, at a place; and one that is being played."""
    for seat in range(3):
        alice.count(table, seat, 12, 10, seat, insist="deal")
    alice.enter(table, kind="close")
    place = Place.objects.create(circle=table.circle, name="Home & away")
    Table.objects.filter(pk=table.pk).update(place=place)
    alice.send(reverse("note", args=[table.public_id]), {"note": "a *fine* evening"})
    alice.open("muzicando", names=("Ann", "Bo", "Dora", "Eve"))
    table.refresh_from_db()
    return table


def uid(name: str) -> str:
    player = Player.objects.select_related("circle").get(name=name)
    return make_player_uid(player.circle, player)


def urls(table: Table, player: str = "Ann") -> dict[str, str]:
    """The address of every endpoint, by its route."""
    beside = {
        "api-table": [table.public_id],
        "api-player": [uid(player)],
        "api-rulebook": ["take-that", "el"],
        "api-nothing": ["else"],
    }
    names = [endpoint.route for endpoint in ENDPOINTS]
    return {name: reverse(name, args=beside.get(name, ())) for name in [*names, "api-nothing"]}


def check(value: dict, part: ObjectType, where: str) -> set[str]:
    """Holds an object to its documentation, with all in it; gives the kinds of objects that were in it."""
    assert set(value) == {field.name for field in part.fields}, where
    seen = {part.name}
    for field in part.fields:
        own, at = value[field.name], f"{where}.{field.name}"
        if own is None:
            assert field.is_optional or field.shape in (FieldType.TEXTS,), at
        elif field.shape == FieldType.TIME:
            assert datetime.fromisoformat(own).utcoffset() == timedelta(0), at
        elif field.shape == FieldType.LIST:
            for index, one in enumerate(own):
                seen |= check(one, BY_NAME[field.part], f"{at}[{index}]")
        elif field.shape in (FieldType.TEXTS, FieldType.NUMBERS):
            kind = str if field.shape == FieldType.TEXTS else int
            assert all(one is None or type(one) is kind for one in own), at
        else:
            assert type(own) is KINDS[field.shape], at
            if field.part:
                seen |= check(own, BY_NAME[field.part], at)
    return seen


# What is sent


def test_every_field_that_is_sent_is_documented_and_every_documented_field_is_sent(program, full):
    seen = {"error"}
    for endpoint in ENDPOINTS:
        url = urls(full)[endpoint.route]
        seen |= check(program.ask(url), BY_NAME[endpoint.part], url)
    assert seen == set(BY_NAME)
    routes = {p.name for p in get_resolver("companion.api.urls").url_patterns if str(p.pattern).startswith("api/")}
    assert routes == {endpoint.route for endpoint in ENDPOINTS} | {"api-nothing"}
    assert [own.name for own in FILTERS] == list(FILTER_NAMES)


@pytest.mark.parametrize("language", ["en", "el"])
def test_the_documentation_prints_every_address_field_and_filter(client, language):
    with translation.override(language):
        html = client.get(reverse("programs")).content.decode()
    for part in PARTS:
        section = html.partition(f'id="{part.name}"')[2].partition("</section>")[0]
        assert all(f'<code lang="en">{field.name}</code>' in section for field in part.fields), part.name
    assert all(f"<code>{own.path}</code>" in html for own in ENDPOINTS)
    assert all(f"<code>{own.name}</code>" in html for own in FILTERS)


def test_a_table_is_the_one_of_our_own_file(alice, program, full):
    file = b"".join(alice.get(reverse("export-table", args=[full.public_id, "json"])).streaming_content)
    sent = program.ask(reverse("api-table", args=[full.public_id]))
    assert sent == json.loads(file)["tables"][0]
    assert len(sent["entries"]) == 4 and sent["result"]["rounds"] == 1
    assert sent["seats"] == [own["id"] for own in json.loads(file)["players"]]


def test_a_player_is_told_in_the_numbers_of_their_page(program, full):
    sent = program.ask(reverse("api-player", args=[uid("Ann")]))
    assert (sent["name"], sent["plays"], sent["unread"]) == ("Ann", 1, 0)
    assert {line["player"]: line["plays"] for line in sent["against"]} == {uid("Bo"): 1, uid("Cleo"): 1}
    assert sent["games"][0]["game"] == "take-that"


@pytest.mark.parametrize("language", ["en", "el"])
@pytest.mark.parametrize("slug", list(get_games()))
def test_every_rulebook_can_be_read(program, slug, language):
    books = program.ask(reverse("api-rulebooks"))["rulebooks"]
    (line,) = [own for own in books if (own["game"], own["language"]) == (slug, language)]
    book = program.ask(line["url"])
    check(book, BY_NAME["rulebook"], line["url"])
    assert {str(rule) for rule in get_games()[slug].rules} <= {section["id"] for section in book["sections"]}
    assert all(section["text"] or section["examples"] for section in book["sections"])
    assert "\u2068" not in json.dumps(book, ensure_ascii=False)


# The list


def test_the_pages_of_the_list_have_every_table_once(alice, program, table):
    one = timezone.now()
    rows = [
        Table(circle=table.circle, game="take-that", game_version=1, mode="pad", began_at=one, public_id=f"t-{n:08d}")
        for n in range(45)
    ]
    Table.objects.bulk_create(rows)
    for own in Table.objects.filter(public_id__startswith="t-"):
        own.seats.create(number=0, player=Player.objects.get(name="Ann"))
        own.seats.create(number=1, player=Player.objects.get(name="Bo"))
    found, url = [], f"{reverse('api-tables')}?{urlencode({'game': 'take-that', 'player': uid('Ann')})}"
    while url:
        page = program.ask(url)
        assert len(page["tables"]) <= 20
        found += [own["id"] for own in page["tables"]]
        url = page["next"]
    assert len(found) == 46 and len(set(found)) == 46


@pytest.mark.parametrize(
    ("name", "word", "count"),
    [
        ("game", "take-that", 1), ("game", "muzicando", 1), ("game", "sideboards", 0), ("place", "Home & away", 1),
        ("period", "recent", 2), ("period", str(timezone.now().year), 2), ("period", "2001", 0),
        ("q", "dora", 1), ("q", "fine", 1), ("before", "1-1", 0), ("game", "", 2),
    ],
)  # fmt: skip
def test_the_list_is_narrowed_as_the_history_is(program, full, name, word, count):
    assert len(program.ask(reverse("api-tables"), **{name: word})["tables"]) == count


def test_a_filter_that_means_nothing_is_an_error_and_not_the_whole_list(program, full, stranger):
    for name, word in (("game", "hats"), ("place", "Nowhere"), ("period", "soon"), ("before", "x"), ("hat", "1")):
        check(program.ask(reverse("api-tables"), 400, **{name: word}), ERROR, name)
    theirs, none = (program.ask(reverse("api-tables"), 400, player=own) for own in (uid("Xena"), "x"))
    assert theirs == none


@pytest.mark.parametrize("name", [*FILTER_NAMES, "x", "[]"])
@pytest.mark.hostile
def test_no_value_of_a_filter_breaks_the_list(program, full, name):
    before = state()
    for value in VALUES:
        query = urlencode({name: value}, errors="surrogatepass")
        response = program.get(f"{reverse('api-tables')}?{query}")
        assert response.status_code in (200, 400), ascii(value)[:80]
    assert state() == before


def test_no_word_in_the_path_breaks_an_address(program, full):
    for path in ("tables/{}/", "players/{}/", "rulebooks/{}/el/", "rulebooks/take-that/{}/", "{}"):
        for word in ("x", "%00", "%ff", "..", "%F0%9F%A6%8A", "x" * 5_000, "%E2%80%AE", full.public_id.swapcase()):
            sent = program.ask(f"/api/v1/{path.format(word)}", 404)
            assert sent == program.ask("/api/v1/none", 404)


def test_counts_that_are_a_secret_stay_one(alice, program, table):
    alice.count(table, 0, 12, 10, 1, insist="deal")
    Table.objects.filter(pk=table.pk).update(hides_counts=True)
    assert program.ask(reverse("api-tables"))["tables"] == []
    program.ask(reverse("api-table", args=[table.public_id]), 404)
    for seat in (1, 2):
        alice.count(table, seat, 12, 10, 1, insist="deal")
    assert len(program.ask(reverse("api-tables"))["tables"]) == 1
    program.ask(reverse("api-table", args=[table.public_id]))


def test_a_table_in_the_bin_is_not_there(alice, program, table):
    alice.send(reverse("bin-table", args=[table.public_id]), {})
    assert program.ask(reverse("api-tables"))["tables"] == []
    program.ask(reverse("api-table", args=[table.public_id]), 404)


# Who is answered


def refused(program: Program, table: Table, player: str = "Ann") -> None:
    for url in urls(table, player).values():
        response = program.get(url)
        assert response.status_code == 401 and response["WWW-Authenticate"] == "Bearer", url
        check(json.loads(response.content), ERROR, url)


def test_without_the_right_key_there_is_nothing_whatever_the_cookies(alice, program, full):
    refused(Program(), full)
    with_cookies = Program()
    with_cookies.cookies = alice.cookies
    refused(with_cookies, full)
    key = program.defaults["HTTP_AUTHORIZATION"]
    for sent in ("Bearer", "Bearer  ", key + "x", key[:-1], key.swapcase(), f"Basic {key[7:]}", key[7:]):
        answer = Client(headers={"Authorization": sent}).get(reverse("api"))
        assert answer.status_code == 401, sent
    assert Client().get(reverse("api"), {"key": key[7:], "access_token": key[7:]}).status_code == 401


def test_a_key_opens_its_own_circle_alone(alice, program, full, stranger):
    theirs = Table.objects.get(seats__player__name="Xena")
    foreign = Program(key_of(stranger))
    assert {own["name"] for own in foreign.ask(reverse("api-players"))["players"]} == {"Xena", "Yannis"}
    for asking, url in (
        (foreign, reverse("api-table", args=[full.public_id])), (foreign, reverse("api-player", args=[uid("Ann")])),
        (program, reverse("api-table", args=[theirs.public_id])), (program, reverse("api-player", args=[uid("Xena")])),
    ):  # fmt: skip
        assert asking.ask(url, 404) == asking.ask("/api/v1/players/none/", 404)


def test_a_key_that_was_taken_back_opens_nothing(alice, program, full):
    program.ask(reverse("api"))
    alice.send(reverse("keys"), {"action": "back", "key": ApiKey.objects.get().pk})
    refused(program, full)


def test_a_key_dies_with_the_membership_of_its_device_and_stays_dead(alice, full):
    mate = with_device_of(alice)
    program, circle, device = Program(key_of(mate)), full.circle, device_of(mate)
    program.ask(reverse("api"))
    remove_device(device, circle=circle, by=None)
    refused(program, full)
    Membership.objects.create(circle=circle, device=device)
    Device.objects.filter(pk=device.pk).update(circle=circle)
    refused(program, full)
    assert "A program" not in mate.get(reverse("keys")).content.decode()
    Program(key_of(mate, "Another")).ask(reverse("api"))
    assert [key.label for key in ApiKey.objects.all()] == ["Another"]


def test_nothing_can_be_changed(program, full):
    program.ask(reverse("api-player", args=[uid("Ann")]))  # what has been played is counted in, as by its page
    before = state()
    for url in urls(full).values():
        for method in ("post", "put", "patch", "delete", "options"):
            response = getattr(Client(enforce_csrf_checks=True), method)(url, headers=program.defaults)
            assert response.status_code == 405 and response["Allow"] == "GET, HEAD", (url, method)
            check(json.loads(response.content), ERROR, url)
        assert program.head(url).content == b""
    assert state() == before


def test_a_program_that_never_stops_is_told_to_wait_and_takes_nobody_s_tries(alice, program, full):
    wrong = Program("x" * 27)
    answers = [wrong.get(reverse("api")) for _try in range(32)]
    assert [answer.status_code for answer in answers] == [401] * 30 + [429] * 2
    assert int(answers[-1]["Retry-After"]) > 0
    check(json.loads(answers[-1].content), ERROR, "429")
    program.ask(reverse("api"))
    assert alice.send(reverse("join"), {"code": "ACDEFG"}).status_code == 404


# The page


def test_a_key_is_shown_once_and_kept_as_a_hash(alice):
    key = key_of(alice, "The <b>screen</b>")
    assert len(key) == 27 and ApiKey.objects.get().key_hash not in ("", key)
    page = alice.get(reverse("keys")).content.decode()
    assert key not in page and "The &lt;b&gt;screen&lt;/b&gt;" in page and "not used yet" in page
    Program(key).ask(reverse("api"))
    assert "last used" in alice.get(reverse("keys")).content.decode()


def test_a_device_has_five_keys_at_most_and_takes_back_its_own_alone(alice, mate):
    for number in range(5):
        key_of(alice, f"No. {number}")
    answer = alice.send(reverse("keys"), {"action": "make", "label": "one more"})
    assert answer.status_code == 422 and ApiKey.objects.count() == 5
    own = ApiKey.objects.first().pk
    for value in (own, "", "x", "9" * 5_000, -1):
        assert mate.send(reverse("keys"), {"action": "back", "key": value}).status_code == 302
    assert ApiKey.objects.count() == 5
    alice.send(reverse("keys"), {"action": "back", "key": own})
    assert key_of(alice, "one more")
    assert mate.send(reverse("keys"), {"action": "make", "label": " "}).status_code == 422


def test_there_are_no_keys_without_a_circle(nobody, alice, table):
    assert nobody.get(reverse("keys")).status_code == 404
    assert nobody.send(reverse("keys"), {"action": "make", "label": "x"}).status_code == 404
    assert ApiKey.objects.count() == 0 and Circle.objects.count() == 1
