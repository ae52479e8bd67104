import hashlib

import pytest
from django.urls import reverse

from companion.people.auth import COOKIE_AGE, COOKIE_NAME
from companion.people.models import Circle, Device
from tests.test_settings import run_manage
from tests.web.people import FIRST_PLAY, Person, dump_database


def test_browsing_creates_no_device(nobody):
    for name, *args in (["home"], ["history"], ["new-table", "take-that"], ["calculator", "the-game"], ["settings"]):
        assert COOKIE_NAME not in nobody.get(reverse(name, args=args)).cookies
    assert not Device.objects.exists() and not Circle.objects.exists()


def test_device_cookie_is_httponly_and_samesite(nobody):
    nobody.open_by_form()
    cookie = nobody.cookies[COOKIE_NAME]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/"
    assert cookie["max-age"] == COOKIE_AGE >= 365 * 86_400
    assert not cookie["secure"] and not cookie["domain"]


def test_other_cookies_are_httponly_too(nobody):
    nobody.get(reverse("settings"))
    nobody.send(reverse("change-settings"), {"language": "el", "theme": "dark"})
    assert {"csrftoken", "django_language", "theme"} <= set(nobody.cookies)
    for cookie in nobody.cookies.values():
        assert cookie["httponly"] and cookie["samesite"] == "Lax", cookie.key


def test_cookies_are_secure_over_https(tmp_path):
    expression = (
        "from django.http import HttpResponse; from companion.people.auth import COOKIE_NAME, set_device_cookie\n"
        "response = HttpResponse(); set_device_cookie(response, 'x')\n"
        "print(COOKIE_NAME, response.cookies[COOKIE_NAME]['secure'])"
    )
    shell = ("shell", "--verbosity", "0", "--command", expression)
    process = run_manage(tmp_path, *shell, PUBLIC_URL="https://cards.example.org")
    assert process.stdout.split() == ["__Host-device", "True"], process.stderr


def test_only_the_hash_of_the_token_is_stored(alice):
    token = alice.cookies[COOKIE_NAME].value
    assert len(token) == 43  # 32 bytes
    assert Device.objects.get().token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert token not in str(dump_database())


def test_no_page_contains_the_token(alice, table):
    token = alice.cookies[COOKIE_NAME].value
    for url in (reverse("home"), reverse("table", args=[table.public_id]), reverse("history"), reverse("settings")):
        assert token.encode() not in alice.get(url).content


@pytest.mark.django_db
def test_every_browser_gets_its_own_token():
    people = [Person() for _ in range(3)]
    for person in people:
        person.open_by_form()
    assert len({person.cookies[COOKIE_NAME].value for person in people}) == 3


def test_opening_another_table_keeps_the_token(alice):
    token = alice.cookies[COOKIE_NAME].value
    alice.open(names=("Ann", "Bo"))
    assert alice.cookies[COOKIE_NAME].value == token


@pytest.mark.parametrize(
    "token",
    ["", "x", "m" * 42, "m" * 44, "m" * 43, "m" * 4_000, "' OR 1=1 --", "%00" * 14 + "x", "é" * 43, '"m"', "../" * 15],
)
def test_an_unknown_cookie_grants_nothing(alice, table, token):
    visitor = Person()
    visitor.cookies[COOKIE_NAME] = token
    assert visitor.get(reverse("table", args=[table.public_id])).status_code == 404
    assert visitor.get(reverse("history")).status_code == 200


def test_the_stored_hash_does_not_work_as_a_token(alice, table):
    visitor = Person()
    visitor.cookies[COOKIE_NAME] = Device.objects.get().token_hash[:43]
    assert visitor.get(reverse("table", args=[table.public_id])).status_code == 404


def test_device_labels_never_contain_the_user_agent(nobody):
    nobody.defaults["HTTP_USER_AGENT"] = "<script>alert(1)</script> Linux; Android 14"
    nobody.open_by_form()
    assert Device.objects.get().label == "Android"


def test_changing_the_secret_key_logs_nobody_out(alice, table, settings):
    settings.SECRET_KEY = "another" * 10
    assert alice.get(reverse("table", args=[table.public_id])).status_code == 200
    assert alice.enter(table, **FIRST_PLAY).status_code == 302
