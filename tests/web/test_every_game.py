"""Pages of every game: rendering, query limits, hostile values."""

import re
from itertools import cycle, islice
from zlib import crc32

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.http import urlencode

from companion.core.entry import EntryKind
from companion.core.match import iter_count_slots
from companion.core.schema import encode, field_names
from companion.games import get_games
from companion.tables.forms.pad import encode_box_values
from companion.tables.models import Table
from tests.games.random_play import build_cases, build_entry, random_logs, random_play, random_tally, sample_cases
from tests.scale import choose_count
from tests.web.hostile import VALUES
from tests.web.html import parse_html
from tests.web.people import PEOPLE, Person, assert_all_pages_open, dump_database, load_fresh_log, new_key, store_log

SHARE = choose_count(48, 7)
"""Each field of every game gets every SHARE-th hostile value."""
TAG = re.compile(r"""<(?:"[^"]*"|'[^']*'|[^>"'])*>""")
PAGES = choose_count(1, 6)
"""Points of a match at which its pages are rendered."""


def select_values(field: str) -> list[str]:
    """Return a selection of hostile values that depends on the field."""
    return [*VALUES[crc32(field.encode()) % SHARE :: SHARE], "", "x" * 2_000, "1,2", "yes", "\ud800"]


def open_table(person: Person, case) -> Table:
    """Open a table with the options of a case through the form."""
    options = {f"option.{name}": value for name, value in encode(case.options).items()}
    seats = [("seat", f"n:{name}") for name in PEOPLE[: case.seats]]
    mode = "referee" if case.game.plays else "pad"
    form = [("way", mode), *seats, *options.items(), ("action", "open")]
    response = person.send(reverse("new-table", args=[case.game.slug]), form)
    assert response.status_code == 302, response.content.decode()[-2_000:]
    return Table.objects.get(public_id=response["Location"].strip("/").split("/")[-1])


@pytest.mark.parametrize("slug", get_games())
def test_every_page_renders_at_every_point_of_a_match(nobody, slug):
    """In alternating languages."""
    languages = cycle(("en", "el"))
    for case in sample_cases(slug, 3):
        chance = case.random("pages")
        logs = random_logs(case, chance, counted=0.2)
        for log in [*chance.sample(logs, min(PAGES, len(logs))), logs[-1]]:
            next(languages)
            table = open_table(nobody, case)
            store_log(table, log)
            url = reverse("table", args=[table.public_id])
            pages = [url, f"{url}?way=pad", f"{url}?way=referee", reverse("log", args=[table.public_id])]
            steps = [step for step in load_fresh_log(table).match.steps if step.action.kind != EntryKind.CONFIRM]
            for step in chance.sample(steps, min(2, len(steps))):
                correct = reverse("correct", args=[table.public_id, step.action.number])
                pages += [correct, f"{correct}?forgotten"]
            for page, language in zip(pages, languages, strict=False):
                response = nobody.get(page, headers={"Accept-Language": language})
                assert response.status_code == 200, page
                text = TAG.sub("", response.content.decode())
                assert "{" not in text.replace("{}", "") and "None" not in text and "Text(" not in text, page


@pytest.mark.parametrize("slug", get_games())
def test_pages_stay_within_their_query_limit(nobody, slug):
    case = sample_cases(slug, 0)[0]
    table = open_table(nobody, case)
    store_log(table, random_logs(case, case.random("queries"), counted=0.5)[-1])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert nobody.get(reverse("table", args=[table.public_id])).status_code == 200
    assert len(queries) <= 6


def find_play(slug, kind):
    """Return a case, plays of a round, and a legal play of that kind that follows them."""
    for attempt, case in enumerate(build_cases(slug) * 5):
        chance = case.random(f"hostile {kind} {attempt}")
        state, plays = case.setup(), []
        while not state.is_over:
            play = random_play(case.game, state, chance)
            if case.game.get_kind(play) == kind:
                return case, plays, play
            plays.append(play)
            state = case.game.referee.apply(state, play)
    raise AssertionError(f"no legal play of kind {kind} was found")


KINDS = [(slug, kind) for slug, game in get_games().items() for kind in game.plays]


@pytest.mark.parametrize(("slug", "kind"), KINDS)
def test_hostile_values_do_not_break_recording_a_play(nobody, slug, kind):
    case, earlier_plays, play = find_play(slug, kind)
    table = open_table(nobody, case)
    log = case.log()
    for earlier_play in earlier_plays:
        log = log.append(build_entry(log, earlier_play))
    store_log(table, log)
    form = {"round": "1", "kind": kind, **encode(play)}
    for field in (*field_names(type(play)), "kind", "round"):
        post_hostile_values(nobody, table, form, field)
    assert nobody.get(reverse("table", args=[table.public_id])).status_code == 200
    assert nobody.get(reverse("log", args=[table.public_id])).status_code == 200


COUNTS = [(slug, kind) for slug, game in get_games().items() for kind in game.pad.counts]


@pytest.mark.parametrize(("slug", "kind"), COUNTS)
def test_hostile_values_do_not_break_recording_a_count(nobody, slug, kind):
    case = sample_cases(slug, 0)[0]
    table = open_table(nobody, case)
    cls = case.game.pad.counts[kind]
    count = random_tally(case, case.random("hostile"))[0]
    boxes = encode_box_values(case.game, kind, encode(count))
    seat = (
        "all"
        if "seat" not in field_names(cls)
        else str(next(iter(iter_count_slots(case.game, case.options, case.seats)))[1])
    )
    form = {"round": "1", **{name: ",".join(values) for name, values in boxes.items()}}
    for field in field_names(cls):
        if field != "seat":
            post_hostile_values(nobody, table, form, f"{kind}.{seat}.{field}")
    assert_all_pages_open(nobody, table)


def post_hostile_values(person, table, form, field):
    """Post the form with each value in the field. A refusal must give a reason and change nothing."""
    before = dump_database()
    for value in select_values(field):
        data = {**form, field: value, "key": new_key(), "way": "referee"}
        response = person.send(reverse("record", args=[table.public_id]), data, htmx=True)
        assert response.status_code in (200, 400, 409, 422), ascii((field, value))[:300]
        if response.status_code == 200:
            before = dump_database()
        else:
            assert dump_database() == before
            assert len(response.content.decode().strip()) > 20


OPTIONS = [(slug, name) for slug, game in get_games().items() for name in field_names(game.options.cls)]


@pytest.mark.parametrize(("slug", "name"), OPTIONS)
def test_hostile_options_do_not_break_new_table_form_or_calculator(nobody, slug, name):
    game = get_games()[slug]
    seats = [("seat", f"n:{player}") for player in PEOPLE[: game.about.seats[0]]]
    for value in select_values(name)[::2]:
        form = [("way", "pad"), *seats, (f"option.{name}", value), ("action", "open")]
        before = dump_database()
        response = nobody.send(reverse("new-table", args=[slug]), form)
        assert response.status_code in (302, 400, 422), ascii(value)[:300]
        if response.status_code == 302:
            assert nobody.get(response["Location"]).status_code == 200
        else:
            assert dump_database() == before
        query = f"{reverse('calculator', args=[slug])}?seats={game.about.seats[0]}"
        response = nobody.get(f"{query}&option.{name}={urlencode({'': value[:1_000].encode('utf-8', 'replace')})[1:]}")
        assert response.status_code in (200, 400)


@pytest.mark.parametrize("slug", get_games())
def test_calculator_scores_like_a_table(nobody, slug):
    for case in islice(sample_cases(slug, 3), 4):
        tally = random_tally(case, case.random("calculator"))
        query = [("seats", str(case.seats))]
        query += [(f"option.{name}", value) for name, value in encode(case.options).items()]
        for count in tally:
            boxes = encode_box_values(case.game, case.game.get_kind(count), encode(count))
            query += [(name, value) for name, values in boxes.items() for value in values]
        response = nobody.get(f"{reverse('calculator', args=[slug])}?{urlencode(query)}")
        assert response.status_code == 200
        sheet = case.game.scoring.score(case.options, tally)
        cells = parse_html(response.content.decode()).one("tfoot").all("td")
        expected = ["?" if points is None else str(points).replace("-", "−") for points in sheet.points]
        assert [cell.text for cell in cells] == expected
