"""Whatever breaks inside: the page says so in words, tells nothing of how it is built, and nothing is half done."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

from tests.test_settings import POLICY
from tests.web.html import read
from tests.web.people import FIRST_PLAY, Person, new_key, state

BROKEN = [
    ("companion.tables.stage.table_context", "get", "table"),
    ("companion.tables.views.sitting_of", "get", "log"),
    ("companion.tables.services.Entry.objects.bulk_create", "post", "record"),
    ("companion.tables.services.folded", "post", "record"),
    ("companion.tables.setup_views.services.open_table", "post", "new-table"),
    ("companion.history.lists.tables_of", "get", "history"),
    ("companion.history.statistics.views.render", "get", "statistics"),
    ("companion.people.views.services.invite", "post", "invite"),
    ("companion.tables.details.place_named", "post", "details"),
    ("companion.history.players.views.render", "get", "players"),
]
FORMS = {
    "record": lambda: {**FIRST_PLAY, "key": new_key(), "round": 1},
    "new-table": lambda: [("way", "pad"), ("seat", "n:Eve"), ("seat", "n:Fay"), ("action", "open")],
    "details": lambda: {"note": "x", "new_place": "Here", "day": "2026-11-01", "time": "20:00"},
    "invite": dict,
}


class Unforeseen(Exception):
    """With all in it that nobody may read."""


@pytest.mark.parametrize(("target", "method", "name"), BROKEN, ids=[case[0].partition(".")[2] for case in BROKEN])
def test_a_failure_says_nothing_of_the_inside_and_leaves_nothing_half_done(
    alice, table, monkeypatch, target, method, name
):
    def broken(*_args, **_words):
        raise Unforeseen(f"SELECT secret FROM {settings.DATA} {settings.SECRET_KEY}")

    args = {"new-table": ["take-that"]}.get(name, [table.public_id])
    url = reverse(name, args=[] if name in ("history", "statistics", "invite", "players") else args)
    person = Person(raise_request_exception=False)
    person.cookies = alice.cookies
    before = state()
    monkeypatch.setattr(target, broken)
    answer = person.send(url, FORMS[name]()) if method == "post" else person.get(url)
    html = answer.content.decode()
    assert answer.status_code == 500
    assert read(html).one("p", **{"class": "verdict"}).text
    assert not re.search(r"SELECT|Unforeseen|Traceback|\.py\b|site-packages|SECRET", html)
    assert settings.SECRET_KEY not in html and str(settings.DATA) not in html and str(settings.ROOT) not in html
    assert sorted(answer["Content-Security-Policy"].split("; ")) == sorted(POLICY.split("; "))
    assert state() == before
