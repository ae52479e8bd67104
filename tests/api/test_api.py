"""Tests of the API: responses, filters, authentication and documentation."""

import json
import re
from datetime import datetime, timedelta
from typing import get_args, get_origin
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone, translation

from companion.api.schema import ENDPOINTS, ERROR, FILTERS, OBJECT_TYPES
from companion.exchange.export_records import make_player_uid
from companion.exchange.schema import ObjectType
from companion.history.models import ApiKey
from companion.people.models import Circle, Device, Membership, Player
from companion.people.services import remove_device
from companion.tables.models import Place, Table
from tests.rulebook.books import WITH_RULEBOOK
from tests.web.hostile import VALUES
from tests.web.people import create_mate, dump_database, get_device

TYPES_BY_NAME = {object_type.name: object_type for object_type in OBJECT_TYPES}


class Program(Client):
    """An API client, with or without a key."""

    def __init__(self, key: str = "") -> None:
        super().__init__(headers={"Authorization": f"Bearer {key}"} if key else {})

    def ask(self, url: str, status: int = 200, **query: object) -> dict:
        response = self.get(url, query)
        assert response.status_code == status, response.content
        assert response["Content-Type"] == "application/json" and response["Cache-Control"] == "no-store"
        assert "Authorization" in response["Vary"] and not response.cookies
        assert "Access-Control-Allow-Origin" not in response
        return json.loads(response.content)


def create_key(person, label: str = "A program") -> str:
    """Create a key through the form, and return it."""
    answer = person.send(reverse("keys"), {"action": "make", "label": label})
    assert answer.status_code == 200, answer.content
    return re.search(r'id="key"[^>]*value="([^"]*)"', answer.content.decode())[1]


@pytest.fixture
def program(alice) -> Program:
    return Program(create_key(alice))


@pytest.fixture
def finished_table(alice, table) -> Table:
    """Alice's closed table, with a finished round and a place. She has an unfinished one, too."""
    for seat in range(3):
        alice.count(table, seat, 12, 10, seat, insist="deal")
    alice.enter(table, kind="close")
    place = Place.objects.create(circle=table.circle, name="Home & away")
    Table.objects.filter(pk=table.pk).update(place=place)
    alice.send(reverse("note", args=[table.public_id]), {"note": "a *fine* evening"})
    alice.open("muzicando", names=("Ann", "Bo", "Dora", "Eve"))
    table.refresh_from_db()
    return table


def get_uid(name: str) -> str:
    player = Player.objects.select_related("circle").get(name=name)
    return make_player_uid(player.circle, player)


def build_urls(table: Table, player: str = "Ann") -> dict[str, str]:
    """Return the URL of every endpoint by its route."""
    arguments = {
        "api-table": [table.public_id],
        "api-player": [get_uid(player)],
        "api-rulebook": ["take-that", "el"],
        "api-nothing": ["else"],
    }
    names = [endpoint.route for endpoint in ENDPOINTS]
    return {name: reverse(name, args=arguments.get(name, ())) for name in [*names, "api-nothing"]}


def check_object(value: dict, object_type: ObjectType, location: str) -> set[str]:
    """Assert that an object and all nested ones match the documented types, and return the names of these types."""
    assert set(value) == {field.name for field in object_type.fields}, location
    type_names = {object_type.name}
    for field in object_type.fields:
        item, path = value[field.name], f"{location}.{field.name}"
        if item is None:
            assert field.is_optional or field.value_type == list[str], path
        elif field.value_type is datetime:
            assert datetime.fromisoformat(item).utcoffset() == timedelta(0), path
        elif field.value_type is list:
            for index, element in enumerate(item):
                type_names |= check_object(element, TYPES_BY_NAME[field.object_type], f"{path}[{index}]")
        elif field.value_type in (list[str], list[int]):
            assert {type(element) for element in item if element is not None} <= set(get_args(field.value_type)), path
        else:
            assert type(item) is (get_origin(field.value_type) or field.value_type), path
            if field.object_type:
                type_names |= check_object(item, TYPES_BY_NAME[field.object_type], path)
    return type_names


# Responses


def test_responses_have_exactly_the_documented_fields(program, finished_table):
    type_names = {"error"}
    for endpoint in ENDPOINTS:
        url = build_urls(finished_table)[endpoint.route]
        type_names |= check_object(program.ask(url), TYPES_BY_NAME[endpoint.object_type], url)
    assert type_names == set(TYPES_BY_NAME)
    routes = {p.name for p in get_resolver("companion.api.urls").url_patterns if str(p.pattern).startswith("api/")}
    assert routes == {endpoint.route for endpoint in ENDPOINTS} | {"api-nothing"}


@pytest.mark.parametrize("language", ["en", "el"])
def test_docs_page_lists_every_endpoint_field_and_filter(client, language):
    with translation.override(language):
        html = client.get(reverse("programs")).content.decode()
    for object_type in OBJECT_TYPES:
        section = html.partition(f'id="{object_type.name}"')[2].partition("</section>")[0]
        assert all(f'<code lang="en">{field.name}</code>' in section for field in object_type.fields), object_type.name
    assert all(f"<code>{item.path}</code>" in html for item in ENDPOINTS)
    assert all(f"<code>{name}</code>" in html for name in FILTERS)


def test_table_equals_its_export(alice, program, finished_table):
    file = b"".join(alice.get(reverse("export-table", args=[finished_table.public_id, "json"])).streaming_content)
    response = program.ask(reverse("api-table", args=[finished_table.public_id]))
    assert response == json.loads(file)["tables"][0]
    assert len(response["entries"]) == 4 and response["result"]["rounds"] == 1
    assert response["seats"] == [exported["id"] for exported in json.loads(file)["players"]]


def test_player_has_the_statistics_of_their_page(program, finished_table):
    player = program.ask(reverse("api-player", args=[get_uid("Ann")]))
    assert (player["name"], player["plays"], player["unread"]) == ("Ann", 1, 0)
    assert {line["player"]: line["plays"] for line in player["against"]} == {get_uid("Bo"): 1, get_uid("Cleo"): 1}
    assert player["games"][0]["game"] == "take-that"


@pytest.mark.parametrize("language", ["en", "el"])
@pytest.mark.parametrize("game", WITH_RULEBOOK, ids=lambda game: game.slug)
def test_every_rulebook_is_served_whole(program, game, language):
    books = program.ask(reverse("api-rulebooks"))["rulebooks"]
    (line,) = [summary for summary in books if (summary["game"], summary["language"]) == (game.slug, language)]
    book = program.ask(line["url"])
    check_object(book, TYPES_BY_NAME["rulebook"], line["url"])
    assert {str(rule) for rule in game.rules} <= {section["id"] for section in book["sections"]}
    assert all(section["text"] or section["examples"] for section in book["sections"])
    assert "\u2068" not in json.dumps(book, ensure_ascii=False)


# The table list


def test_pages_have_every_table_once(alice, program, table):
    now = timezone.now()
    rows = [
        Table(circle=table.circle, game="take-that", game_version=1, mode="pad", began_at=now, public_id=f"t-{n:08d}")
        for n in range(45)
    ]
    Table.objects.bulk_create(rows)
    for item in Table.objects.filter(public_id__startswith="t-"):
        item.seats.create(number=0, player=Player.objects.get(name="Ann"))
        item.seats.create(number=1, player=Player.objects.get(name="Bo"))
    ids, url = [], f"{reverse('api-tables')}?{urlencode({'game': 'take-that', 'player': get_uid('Ann')})}"
    while url:
        page = program.ask(url)
        assert len(page["tables"]) <= 20
        ids += [item["id"] for item in page["tables"]]
        url = page["next"]
    assert len(ids) == 46 and len(set(ids)) == 46


@pytest.mark.parametrize(
    ("name", "word", "count"),
    [
        ("game", "take-that", 1), ("game", "muzicando", 1), ("game", "sideboards", 0), ("place", "Home & away", 1),
        ("period", "recent", 2), ("period", str(timezone.now().year), 2), ("period", "2001", 0),
        ("q", "dora", 1), ("q", "fine", 1), ("before", "1-1", 0), ("game", "", 2),
    ],
)  # fmt: skip
def test_filters_work_as_in_the_history(program, finished_table, name, word, count):
    assert len(program.ask(reverse("api-tables"), **{name: word})["tables"]) == count


def test_invalid_filter_is_an_error(program, finished_table, stranger):
    for name, value in (("game", "hats"), ("place", "Nowhere"), ("period", "soon"), ("before", "x"), ("hat", "1")):
        check_object(program.ask(reverse("api-tables"), 400, **{name: value}), ERROR, name)
    foreign, unknown = (
        program.ask(reverse("api-tables"), 400, player=player_id) for player_id in (get_uid("Xena"), "x")
    )
    assert foreign == unknown


@pytest.mark.parametrize("name", [*FILTERS, "x", "[]"])
@pytest.mark.hostile
def test_hostile_filter_values_do_not_break_the_list(program, finished_table, name):
    before = dump_database()
    for value in VALUES:
        query = urlencode({name: value}, errors="surrogatepass")
        response = program.get(f"{reverse('api-tables')}?{query}")
        assert response.status_code in (200, 400), ascii(value)[:80]
    assert dump_database() == before


def test_hostile_paths_are_not_found(program, finished_table):
    for path in ("tables/{}/", "players/{}/", "rulebooks/{}/el/", "rulebooks/take-that/{}/", "{}"):
        for segment in (
            "x",
            "%00",
            "%ff",
            "..",
            "%F0%9F%A6%8A",
            "x" * 5_000,
            "%E2%80%AE",
            finished_table.public_id.swapcase(),
        ):
            response = program.ask(f"/api/v1/{path.format(segment)}", 404)
            assert response == program.ask("/api/v1/none", 404)


def test_table_with_hidden_counts_is_not_served(alice, program, table):
    alice.count(table, 0, 12, 10, 1, insist="deal")
    Table.objects.filter(pk=table.pk).update(hides_counts=True)
    assert program.ask(reverse("api-tables"))["tables"] == []
    program.ask(reverse("api-table", args=[table.public_id]), 404)
    for seat in (1, 2):
        alice.count(table, seat, 12, 10, 1, insist="deal")
    assert len(program.ask(reverse("api-tables"))["tables"]) == 1
    program.ask(reverse("api-table", args=[table.public_id]))


def test_binned_table_is_not_served(alice, program, table):
    alice.send(reverse("bin-table", args=[table.public_id]), {})
    assert program.ask(reverse("api-tables"))["tables"] == []
    program.ask(reverse("api-table", args=[table.public_id]), 404)


# Authentication


def assert_refused(program: Program, table: Table, player: str = "Ann") -> None:
    for url in build_urls(table, player).values():
        response = program.get(url)
        assert response.status_code == 401 and response["WWW-Authenticate"] == "Bearer", url
        check_object(json.loads(response.content), ERROR, url)


def test_requests_need_a_key_and_cookies_do_not_count(alice, program, finished_table):
    assert_refused(Program(), finished_table)
    with_cookies = Program()
    with_cookies.cookies = alice.cookies
    assert_refused(with_cookies, finished_table)
    key = program.defaults["HTTP_AUTHORIZATION"]
    for header in ("Bearer", "Bearer  ", key + "x", key[:-1], key.swapcase(), f"Basic {key[7:]}", key[7:]):
        answer = Client(headers={"Authorization": header}).get(reverse("api"))
        assert answer.status_code == 401, header
    assert Client().get(reverse("api"), {"key": key[7:], "access_token": key[7:]}).status_code == 401


def test_key_reads_only_its_own_circle(alice, program, finished_table, stranger):
    foreign_table = Table.objects.get(seats__player__name="Xena")
    foreign = Program(create_key(stranger))
    assert {player["name"] for player in foreign.ask(reverse("api-players"))["players"]} == {"Xena", "Yannis"}
    for client, url in (
        (foreign, reverse("api-table", args=[finished_table.public_id])),
        (foreign, reverse("api-player", args=[get_uid("Ann")])),
        (program, reverse("api-table", args=[foreign_table.public_id])),
        (program, reverse("api-player", args=[get_uid("Xena")])),
    ):
        assert client.ask(url, 404) == client.ask("/api/v1/players/none/", 404)


def test_revoked_key_is_rejected(alice, program, finished_table):
    program.ask(reverse("api"))
    alice.send(reverse("keys"), {"action": "back", "key": ApiKey.objects.get().pk})
    assert_refused(program, finished_table)


def test_key_of_a_removed_device_stays_invalid_after_it_rejoins(alice, finished_table):
    mate = create_mate(alice)
    program, circle, device = Program(create_key(mate)), finished_table.circle, get_device(mate)
    program.ask(reverse("api"))
    remove_device(device, circle=circle, by=None)
    assert_refused(program, finished_table)
    Membership.objects.create(circle=circle, device=device)
    Device.objects.filter(pk=device.pk).update(circle=circle)
    assert_refused(program, finished_table)
    assert "A program" not in mate.get(reverse("keys")).content.decode()
    Program(create_key(mate, "Another")).ask(reverse("api"))
    assert [key.label for key in ApiKey.objects.all()] == ["Another"]


def test_api_is_read_only(program, finished_table):
    program.ask(reverse("api-player", args=[get_uid("Ann")]))  # updates the statistics, as the page does
    before = dump_database()
    for url in build_urls(finished_table).values():
        for method in ("post", "put", "patch", "delete", "options"):
            response = getattr(Client(enforce_csrf_checks=True), method)(url, headers=program.defaults)
            assert response.status_code == 405 and response["Allow"] == "GET, HEAD", (url, method)
            check_object(json.loads(response.content), ERROR, url)
        assert program.head(url).content == b""
    assert dump_database() == before


def test_wrong_keys_are_rate_limited_apart_from_join_codes(alice, program, finished_table):
    intruder = Program("x" * 27)
    answers = [intruder.get(reverse("api")) for _attempt in range(32)]
    assert [answer.status_code for answer in answers] == [401] * 30 + [429] * 2
    assert int(answers[-1]["Retry-After"]) > 0
    check_object(json.loads(answers[-1].content), ERROR, "429")
    program.ask(reverse("api"))
    assert alice.send(reverse("join"), {"code": "ACDEFG"}).status_code == 404


# The keys page


def test_key_is_shown_once_and_stored_as_a_hash(alice):
    key = create_key(alice, "The <b>screen</b>")
    assert len(key) == 27 and ApiKey.objects.get().key_hash not in ("", key)
    page = alice.get(reverse("keys")).content.decode()
    assert key not in page and "The &lt;b&gt;screen&lt;/b&gt;" in page and "not used yet" in page
    Program(key).ask(reverse("api"))
    assert "last used" in alice.get(reverse("keys")).content.decode()


def test_device_has_at_most_five_keys_and_revokes_only_its_own(alice, mate):
    for number in range(5):
        create_key(alice, f"No. {number}")
    answer = alice.send(reverse("keys"), {"action": "make", "label": "one more"})
    assert answer.status_code == 422 and ApiKey.objects.count() == 5
    key_id = ApiKey.objects.first().pk
    for value in (key_id, "", "x", "9" * 5_000, -1):
        assert mate.send(reverse("keys"), {"action": "back", "key": value}).status_code == 302
    assert ApiKey.objects.count() == 5
    alice.send(reverse("keys"), {"action": "back", "key": key_id})
    assert create_key(alice, "one more")
    assert mate.send(reverse("keys"), {"action": "make", "label": " "}).status_code == 422


def test_keys_need_a_circle(nobody, alice, table):
    assert nobody.get(reverse("keys")).status_code == 404
    assert nobody.send(reverse("keys"), {"action": "make", "label": "x"}).status_code == 404
    assert ApiKey.objects.count() == 0 and Circle.objects.count() == 1
