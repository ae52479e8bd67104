"""The app on a phone: what each phone chooses for itself."""

import re

import pytest
from django.test import Client


@pytest.fixture
def phone(db) -> Client:
    return Client()


@pytest.mark.parametrize(("size", "attribute"), [("large", "large"), ("very-large", "very-large"), ("usual", "")])
def test_each_phone_has_its_own_size_of_text(phone, size, attribute):
    answer = phone.post("/settings/change/", {"text": size, "next": "/"})
    assert answer.cookies["text"].value == size and answer.cookies["text"]["httponly"]
    page = phone.get("/settings/").content.decode()
    assert re.findall(r'<html[^>]* data-text="([^"]*)"', page) == [attribute] * bool(attribute)
    assert f'name="text" value="{size}" checked' in page
    assert "data-text" not in Client().get("/settings/").content.decode()


@pytest.mark.parametrize("value", ["", "huge", "LARGE", "large ", '"><b>', "x" * 4_000, "usual"])
def test_a_size_of_text_that_there_is_not_is_the_usual_one(phone, value):
    assert ("text" in phone.post("/settings/change/", {"text": value}).cookies) == (value == "usual")
    phone.cookies["text"] = value
    page = phone.get("/settings/").content.decode()
    assert "data-text" not in page and 'name="text" value="usual" checked' in page
