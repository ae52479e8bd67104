import hashlib

import pytest
from django.urls import reverse

from companion.people.auth import COOKIE_AGE, COOKIE_NAME
from companion.people.models import Circle, Device
from tests.test_settings import manage
from tests.web.people import FIRST_PLAY, Person, dump_database


def test_looking_around_makes_nobody_a_device(nobody):
    for name, *args in (["home"], ["history"], ["new-table", "take-that"], ["calculator", "the-game"], ["settings"]):
        assert COOKIE_NAME not in nobody.get(reverse(name, args=args)).cookies
    assert not Device.objects.exists() and not Circle.objects.exists()


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(nobody):
    nobody.open_by_form()
    cookie = nobody.cookies[COOKIE_NAME]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/"
    assert cookie["max-age"] == COOKIE_AGE >= 365 * 86_400
    assert not cookie["secure"] and not cookie["domain"]


def test_the_other_cookies_are_kept_from_scripts_too(nobody):
    nobody.get(reverse("settings"))
    nobody.send(reverse("change-settings"), {"language": "el", "theme": "dark"})
    assert {"csrftoken", "django_language", "theme"} <= set(nobody.cookies)
    for cookie in nobody.cookies.values():
        assert cookie["httponly"] and cookie["samesite"] == "Lax", cookie.key


def test_where_the_address_is_https_every_cookie_is_secure(tmp_path):
    expression = (
        "from django.http import HttpResponse; from companion.people.auth import COOKIE_NAME, set_device_cookie\n"
        "response = HttpResponse(); set_device_cookie(response, 'x')\n"
        "print(COOKIE_NAME, response.cookies[COOKIE_NAME]['secure'])"
    )
    shell = ("shell", "--verbosity", "0", "--command", expression)
    done = manage(tmp_path, *shell, PUBLIC_URL="https://cards.example.org")
    assert done.stdout.split() == ["__Host-device", "True"], done.stderr


def test_the_database_holds_only_the_hash_of_a_long_secret(alice):
    token = alice.cookies[COOKIE_NAME].value
    assert len(token) == 43  # 32 bytes
    assert Device.objects.get().token_hash == hashlib.sha256(token.encode()).hexdigest()
    assert token not in str(dump_database())


def test_no_page_says_the_secret(alice, table):
    token = alice.cookies[COOKIE_NAME].value
    for url in (reverse("home"), reverse("table", args=[table.public_id]), reverse("history"), reverse("settings")):
        assert token.encode() not in alice.get(url).content


@pytest.mark.django_db
def test_every_browser_gets_a_secret_of_its_own():
    people = [Person() for _ in range(3)]
    for person in people:
        person.open_by_form()
    assert len({person.cookies[COOKIE_NAME].value for person in people}) == 3


def test_a_device_keeps_its_secret_when_it_opens_another_table(alice):
    token = alice.cookies[COOKIE_NAME].value
    alice.open(names=("Ann", "Bo"))
    assert alice.cookies[COOKIE_NAME].value == token


@pytest.mark.parametrize(
    "token",
    ["", "x", "m" * 42, "m" * 44, "m" * 43, "m" * 4_000, "' OR 1=1 --", "%00" * 14 + "x", "é" * 43, '"m"', "../" * 15],
)
def test_a_cookie_that_nobody_was_given_is_nobody(alice, table, token):
    visitor = Person()
    visitor.cookies[COOKIE_NAME] = token
    assert visitor.get(reverse("table", args=[table.public_id])).status_code == 404
    assert visitor.get(reverse("history")).status_code == 200


def test_the_hash_is_no_key(alice, table):
    visitor = Person()
    visitor.cookies[COOKIE_NAME] = Device.objects.get().token_hash[:43]
    assert visitor.get(reverse("table", args=[table.public_id])).status_code == 404


def test_the_label_of_a_device_is_one_of_ours_whatever_the_browser_says(nobody):
    nobody.defaults["HTTP_USER_AGENT"] = "<script>alert(1)</script> Linux; Android 14"
    nobody.open_by_form()
    assert Device.objects.get().label == "Android"


def test_another_secret_key_leaves_every_phone_where_it_is(alice, table, settings):
    settings.SECRET_KEY = "another" * 10
    assert alice.get(reverse("table", args=[table.public_id])).status_code == 200
    assert alice.enter(table, **FIRST_PLAY).status_code == 302
