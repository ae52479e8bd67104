import gettext
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from datetime import date
from itertools import chain
from pathlib import Path

import django
import polib
import pytest
from django.utils import translation
from django.utils.dateformat import format as date_format
from django.utils.dates import MONTHS, MONTHS_3, WEEKDAYS, WEEKDAYS_ABBR

from companion.ops.compile_messages import compile_messages, list_stale_catalogues

ROOT = Path(__file__).resolve().parent.parent
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
TRANSLATED = 'msgid "round"\nmsgstr "παρτίδα"\n\n'
UNTRANSLATED = 'msgid "table"\nmsgstr ""\n\n'
FUZZY = '#, fuzzy\nmsgid "seat"\nmsgstr "ίσως"\n'
CATALOGUES = sorted((ROOT / "companion").rglob("locale/el/LC_MESSAGES/django.po"))
"""Of the app, and of each game."""
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[sd]|\{\w*\}")


@pytest.fixture
def po(tmp_path: Path) -> Path:
    path = tmp_path / "el" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text(HEADER + TRANSLATED + UNTRANSLATED + FUZZY, encoding="utf-8")
    return path


def test_a_catalogue_is_compiled_without_fuzzy_messages(po, tmp_path):
    compile_messages([tmp_path])
    compiled = gettext.translation("django", tmp_path, languages=["el"])
    assert compiled.gettext("round") == "παρτίδα"
    assert compiled.gettext("seat") == "seat"


def test_a_catalogue_is_compiled_again_only_when_it_is_newer(po, tmp_path):
    compile_messages([tmp_path])
    assert list_stale_catalogues([tmp_path]) == []
    os.utime(po, (po.stat().st_atime, po.stat().st_mtime + 10))
    assert list_stale_catalogues([tmp_path]) == [po]


def list_untranslated(po: Path) -> list[str]:
    """Return the untranslated and fuzzy msgids of a catalogue."""
    catalogue = polib.pofile(str(po), encoding="utf-8")
    return [entry.msgid for entry in catalogue.untranslated_entries() + catalogue.fuzzy_entries()]


@pytest.mark.parametrize(
    "broken", ['msgid "a"\nmsgid "b"\n', HEADER.replace("UTF-8", "UTF-8\\nPlural-Forms: nplurals=2; plural=(;")]
)
def test_a_broken_catalogue_is_left_out(broken, tmp_path, po, caplog):
    game = tmp_path / "game" / "el" / "LC_MESSAGES" / "django.po"
    game.parent.mkdir(parents=True)
    game.with_suffix(".mo").write_bytes(b"compiled before it broke")
    os.utime(game.with_suffix(".mo"), (0, 0))
    game.write_text(broken, encoding="utf-8")
    compile_messages([tmp_path])
    assert po.with_suffix(".mo").exists()
    assert list(game.parent.iterdir()) == [game], "it would be read"
    assert str(game) in caplog.text


def test_empty_and_fuzzy_messages_are_untranslated(po):
    assert list_untranslated(po) == ["table", "seat"]


def list_messages(path: Path) -> list[polib.POEntry]:
    return list(polib.pofile(str(path), encoding="utf-8"))


def find_placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="needs gettext")
def test_every_message_has_a_greek_translation(tmp_path):
    for name in ("companion", "templates", "manage.py"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.mo", "*.pot"))
        elif source.exists():
            shutil.copy(source, tmp_path)
    flags = ["--locale", "el", "--no-location", "--no-obsolete", "--no-wrap"]
    command = [sys.executable, "manage.py", "makemessages", *flags]
    # PYTHONPATH: the copy must come before an installed companion.
    env = os.environ | {"PYTHONPATH": str(tmp_path), "COMPANION_DATA": str(tmp_path / "data")}
    subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True, timeout=120)
    catalogues = [tmp_path / path.relative_to(ROOT) for path in CATALOGUES]
    assert len(catalogues) > 1 and all(map(list_messages, catalogues)), "no text is marked for translation"
    untranslated = [(path.relative_to(tmp_path), message) for path in catalogues for message in list_untranslated(path)]
    assert untranslated == [], "run `make messages` and translate what is empty"


def test_greek_messages_have_the_placeholders_of_the_english():
    for entry in chain.from_iterable(map(list_messages, CATALOGUES)):
        expected = find_placeholders(entry.msgid) | find_placeholders(entry.msgid_plural)
        for greek in [entry.msgstr, *entry.msgstr_plural.values()]:
            assert find_placeholders(greek) <= expected, entry.msgid
        if entry.msgstr:
            assert find_placeholders(entry.msgstr) == expected, entry.msgid


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.parents[3].name)
def test_texts_are_translated_by_the_catalogue_of_their_folder(catalogue):
    texts = [entry for entry in list_messages(catalogue) if not entry.msgctxt and not entry.msgid_plural]
    with translation.override("el"):
        assert texts and all(translation.gettext(entry.msgid) == entry.msgstr for entry in texts)


def test_catalogues_translate_the_same_text_alike():
    """Only one of them would be shown."""
    translations = defaultdict(set)
    for entry in chain.from_iterable(map(list_messages, CATALOGUES)):
        translations[entry.msgctxt, entry.msgid].add((entry.msgstr, *entry.msgstr_plural.values()))
    clashes = [key for key, greek in translations.items() if len(greek) > 1]
    assert not clashes, "give one of them its game as context: pgettext(slug, ...)"


def test_own_messages_do_not_replace_django_dates():
    """A message with the text of a month or day would replace Django's translation of it."""
    dates = polib.pofile(str(Path(django.__file__).parent / "conf" / "locale" / "el" / "LC_MESSAGES" / "django.po"))
    names = [str(name) for table in (MONTHS, MONTHS_3, WEEKDAYS, WEEKDAYS_ABBR) for name in table.values()]
    theirs = {entry.msgid: entry.msgstr for entry in dates if entry.msgctxt is None and entry.msgid in names}
    assert theirs["November"] == "Νοέμβριος" and len(theirs) > 30
    ours = list(chain.from_iterable(map(list_messages, CATALOGUES)))
    assert not [entry.msgid for entry in ours if entry.msgctxt is None and entry.msgid in theirs]
    with translation.override("el"):
        assert [date_format(date(2025, month, 1), "F Y") for month in (10, 11)] == ["Οκτώβριος 2025", "Νοέμβριος 2025"]


def test_quoted_labels_match_their_translations():
    messages = list(chain.from_iterable(map(list_messages, CATALOGUES)))
    labels = {message.msgid: message.msgstr for message in messages}
    quotes = [
        (message.msgstr, labels[label])
        for message in messages
        for label in re.findall("“([^”]+)”", message.msgid)
        if label in labels
    ]
    assert quotes, "no message quotes a label"
    assert [message for message, label in quotes if f"«{label}»" not in message] == []
