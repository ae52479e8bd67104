"""Headers, markup and accessibility of every page."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from tests.test_settings import POLICY
from tests.web.html import Element, get_accessible_name, is_hidden, parse_html
from tests.web.people import FIRST_PLAY, Person, load_fresh_log, new_key

ROOT = Path(settings.ROOT)


def open_tables_in_every_stage(person):
    """Open tables in every stage, and return them by the name of the stage."""
    fresh, played, unsettled, over, closed = (person.open(names=("Ann", "Bo", "Cleo")) for _ in range(5))
    for table in (played, unsettled):
        for index, card in enumerate((34, 41, 49)):
            person.enter(table, kind="extend", seat=(index + 1) % 3, card=card)
    person.enter(unsettled, amend="correct", target=2, kind="extend", seat=2, card=24)
    for number in (1, 2):
        for seat in range(3):
            person.count(over, seat, 2, 3, 1, round=number, insist="deal")
    person.count(closed, 1, 2, 3, 1)
    person.enter(closed, kind="close")
    game, tally = (person.open("the-game", names=("Ann", "Bo"), on_fire="yes", way="referee") for _ in range(2))
    person.enter(game, kind="place", seat=0, card=22, row="up-1")
    person.enter(game, kind="place", seat=0, card=90, row="down-1")
    person.enter(game, kind="undo", target=2)
    person.enter(tally, kind="place", seat=0, card=90, row="down-1")
    person.enter(tally, kind="stuck", seat=0)
    assert load_fresh_log(tally).match.get_round(1).is_over and load_fresh_log(over).match.standing.is_over
    return {
        "fresh": fresh,
        "played": played,
        "unsettled": unsettled,
        "over": over,
        "closed": closed,
        "game": game,
        "tally": tally,
    }


def generate_responses(person):
    """Yield every kind of response with its name."""
    tables = open_tables_in_every_stage(person)
    for stage, table in tables.items():
        for way in ("pad", "referee"):
            yield f"{stage} {way}", person.get(reverse("table", args=[table.public_id]), {"way": way})
        yield f"{stage} log", person.get(reverse("log", args=[table.public_id]))
        if load_fresh_log(table).match.last_number and stage not in ("fresh",):
            yield f"{stage} correct", person.get(reverse("correct", args=[table.public_id, 1]))
            yield f"{stage} forgotten", person.get(reverse("correct", args=[table.public_id, 1]) + "?forgotten")
    played, over = tables["played"], tables["over"]
    yield "one more round", person.get(reverse("table", args=[over.public_id]), {"round": 3})
    yield "refusal", person.enter(played, kind="extend", seat=1, card=80, way="referee")
    yield "misfit", person.enter(played, card=12, way="referee")
    yield "question", person.enter(played, kind="take", seat=0, way="referee", insist="turn")
    yield "clash", person.count(over, 0, 4, 3, 1)
    yield "malformed", person.count(tables["fresh"], 0, "x", 3, 1)
    yield "already", person.count(over, 0, 2, 3, 1)
    yield (
        "correction refused",
        person.enter(
            over, amend="correct", target=1, **{"count.0.face_up": 3, "count.0.face_down": 1, "count.0.toads": 0}
        ),
    )
    yield "part", person.count(over, 0, 4, 3, 1, htmx=True)
    yield "table part", person.enter(played, htmx=True, kind="extend", seat=1, card=51)
    yield "preview", person.send(reverse("preview", args=[played.public_id]), {"key": new_key(), "count.0.face_up": 3})
    yield "redirect", person.enter(played, kind="extend", seat=2, card=58)
    for slug in ("take-that", "the-game"):
        yield f"new {slug}", person.get(reverse("new-table", args=[slug]))
        seats = [("way", "pad"), ("seat", "n:Eve"), ("seat", "n:Bo")]
        yield f"new {slug} filled", person.send(reverse("new-table", args=[slug]), seats)
        yield (
            f"new {slug} refused",
            person.send(reverse("new-table", args=[slug]), [*seats, ("new", "\x07"), ("action", "open")]),
        )
        yield f"calculator {slug}", person.get(reverse("calculator", args=[slug]))
        yield f"rules {slug}", person.get(f"/en/rules/{slug}/")
        yield f"rules {slug} el", person.get(f"/el/rules/{slug}/")
    full = {f"count.{seat}.{name}": 2 for seat in range(3) for name in ("face_up", "face_down", "toads")}
    yield "calculator filled", person.get(reverse("calculator", args=["take-that"]), full)
    yield "calculator wrong", person.get(reverse("calculator", args=["take-that"]), {"seats": "x"})
    person.send(reverse("bin-table", args=[tables["closed"].public_id]), [])
    for name in ("home", "history", "bin", "settings", "keys"):
        yield name, person.get(reverse(name))
    yield "new key", person.send(reverse("keys"), {"action": "make", "label": "A screen"})
    yield "key refused", person.send(reverse("keys"), {"action": "make", "label": " "})
    yield "not found", person.get("/nowhere/")
    yield "no such game", person.get("/en/rules/chess/")
    yield "wrong method", person.get(reverse("record", args=[played.public_id]))
    csrf_checked = Person(enforce_csrf_checks=True)
    csrf_checked.cookies = person.cookies
    yield "forged", csrf_checked.post(reverse("record", args=[played.public_id]))
    yield (
        "too large",
        person.post(
            reverse("record", args=[played.public_id]), "x" * 70_000, content_type="application/x-www-form-urlencoded"
        ),
    )
    yield "redirect to rules", person.get("/rules/take-that/")


@pytest.fixture(params=["en", "el"])
def language(request):
    return request.param


@cache
def get_responses(language):
    """Return all responses in a language by name. They are read only, so all tests share them."""
    person = Person()
    person.cookies["django_language"] = language
    responses = dict(generate_responses(person))
    assert all(response.status_code < 500 for response in responses.values())
    return responses


@cache
def get_pages(language):
    return {
        name: parse_html(r.content.decode())
        for name, r in get_responses(language).items()
        if "text/html" in r.get("Content-Type", "") and r.content
    }


@pytest.fixture
def all_responses(db, language):
    return get_responses(language)


@pytest.fixture
def all_pages(db, language):
    return get_pages(language)


def test_every_response_has_the_security_headers(all_responses):
    for name, response in all_responses.items():
        assert sorted(response["Content-Security-Policy"].split("; ")) == sorted(POLICY.split("; ")), name
        assert response["X-Content-Type-Options"] == "nosniff", name
        assert response["Referrer-Policy"] == "same-origin", name
        assert response["Cross-Origin-Opener-Policy"] == "same-origin", name
        assert response["Cross-Origin-Resource-Policy"] == "same-origin", name
        assert response["X-Frame-Options"] == "DENY", name


def test_private_pages_are_not_cached(all_responses):
    public = re.compile("rules|not found|no such game|wrong method|forged|too large")
    for name, response in all_responses.items():
        if not public.search(name):
            assert "no-store" in response["Cache-Control"], name
            assert "private" in response["Cache-Control"], name


def test_pages_have_language_title_and_one_heading(all_pages, language):
    for name, page in all_pages.items():
        if page.all("html"):
            is_in_address = name.startswith("rules") or name == "no such game"
            expected = ("el" if name.endswith(" el") else "en") if is_in_address else language
            assert page.one("html").attrs["lang"] == expected, name
            assert page.one("head").one("title").text, name
            assert [h.text for h in page.all("h1") if h.text], name
            assert page.one("main"), name


def test_pages_have_no_inline_script_or_style(all_pages):
    for name, page in all_pages.items():
        for element in page:
            handlers = [a for a in element.attrs if a.startswith("on") or a.startswith("hx-on") or a == "style"]
            assert not handlers, (name, element.tag, handlers)
            assert element.tag != "style", name
            assert element.tag != "script" or (element.attrs.get("src") and not element.text), name
            for attr in ("href", "src", "action", "formaction", "hx-get", "hx-post"):
                url = element.attrs.get(attr, "/")
                assert url.startswith(("/", "#", "?")) and not url.startswith("//"), (name, url)


def test_ids_are_unique(all_pages):
    for name, page in all_pages.items():
        counts = Counter(element.attrs["id"] for element in page if "id" in element.attrs)
        assert [element_id for element_id, times in counts.items() if times > 1] == [], name


def test_id_references_resolve(all_pages):
    for name, page in all_pages.items():
        if not page.all("html"):
            continue
        ids = {element.attrs["id"] for element in page if "id" in element.attrs}
        for element in page:
            for attr in ("for", "form", "aria-labelledby", "aria-describedby"):
                assert set(element.attrs.get(attr, "").split()) <= ids, (name, element.tag, attr, element.attrs[attr])
            href = element.attrs.get("href", "")
            assert not href.startswith("#") or href[1:] in ids, (name, href)


def is_control(element: Element) -> bool:
    if is_hidden(element) or element.attrs.get("type") == "hidden":
        return False
    return element.tag in ("input", "select", "textarea", "button", "summary") or (
        element.tag == "a" and "href" in element.attrs
    )


def test_controls_have_accessible_names(all_pages):
    for name, page in all_pages.items():
        for element in filter(is_control, page):
            assert get_accessible_name(page, element), (name, element.tag, element.attrs)


def test_groups_and_images_have_accessible_names(all_pages):
    for name, page in all_pages.items():
        for element in page.all("fieldset"):
            assert element.all("legend") and element.all("legend")[0].text, (name, element.attrs)
        for element in [e for e in page if e.attrs.get("role") == "group"]:
            assert get_accessible_name(page, element), (name, element.attrs)
        for image in page.all("img"):
            assert "alt" in image.attrs, (name, image.attrs)


def test_controls_are_not_nested(all_pages):
    for name, page in all_pages.items():
        for element in filter(is_control, page):
            assert not [e.tag for e in element.ancestors if e.tag in ("a", "button", "summary")], (name, element.attrs)
        for form in page.all("form"):
            assert not [e for e in form.ancestors if e.tag == "form"], (name, form.attrs)


def test_game_templates_do_not_use_htmx():
    for path in (ROOT / "companion" / "games").rglob("*.html"):
        assert "hx-" not in path.read_text(), path


def test_htmx_configuration_is_json_without_eval(alice, table):
    page = alice.page("table", table.public_id)
    configuration = json.loads(page.one("meta", name="htmx-config").attrs["content"])
    assert (
        configuration["allowEval"] is False
        and configuration["allowScriptTags"] is False
        and configuration["selfRequestsOnly"] is True
    )


def test_same_log_renders_the_same_page(alice, table):
    alice.enter(table, **FIRST_PLAY)
    url = reverse("table", args=[table.public_id])
    pages = {
        re.sub(r'name="(key|csrfmiddlewaretoken)" value="[\w-]+"', "", alice.get(url).content.decode())
        for _ in range(3)
    }
    assert len(pages) == 1


def test_404_page_is_translated(nobody):
    texts = set()
    for language in ("en", "el"):
        nobody.cookies["django_language"] = language
        response = nobody.get("/nowhere/")
        assert response.status_code == 404
        texts.add(parse_html(response.content.decode()).one("html").attrs["lang"])
    assert texts == {"en", "el"}


def test_500_page_has_a_message_and_headers(alice, table, monkeypatch):
    monkeypatch.setattr("companion.tables.presenters.table_page.build_table_page", lambda *_, **__: 1 / 0)
    broken = Person(raise_request_exception=False)
    broken.cookies = alice.cookies
    response = broken.get(reverse("table", args=[table.public_id]))
    assert response.status_code == 500
    assert parse_html(response.content.decode()).one("p", **{"class": "verdict"}).text
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
    assert "Traceback" not in response.content.decode() and "ZeroDivision" not in response.content.decode()
