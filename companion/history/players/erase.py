"""Erasing a player's name from all stored data; scores stay."""

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from django.db import connection

from companion.core.sanitize import fold_text
from companion.db.retry import retry
from companion.history.models import Alias, Upload
from companion.history.statistics import ratings
from companion.people.models import Circle, Device, Player
from companion.people.services import lock_circle_for_member
from companion.tables.models import Place, SavedOptions, SearchableNote, Table
from companion.tables.services.details import find_place
from companion.web.logging import Event, log_security_event

REDACTED = "…"


def erase_player(player: Player, *, by: Device | None) -> None:
    """Delete the player, and redact the name wherever it was typed as a whole word. Inflected forms stay.

    Raises Http404 as `lock_circle_for_member` does.
    """
    retry(lambda: _erase_player(player, by))
    log_security_event(Event.PLAYER_ERASED)
    truncate_wal()


def _erase_player(player: Player, by: Device | None) -> None:
    circle, redact = player.circle, build_redactor(player.name)
    with lock_circle_for_member(circle.pk, by):
        Player.objects.filter(pk=player.pk).delete()
        _redact_notes(circle, redact)
        _redact_places(circle, redact)
        _redact_options(circle, redact)
        _delete_uploads_and_aliases(circle, redact)
        for device in Device.objects.filter(circles=circle) | Device.objects.filter(attendances__table__circle=circle):
            label = redact(device.label)
            if label != device.label:
                Device.objects.filter(pk=device.pk).update(label=label)
        ratings.reset(circle)


def truncate_wal() -> None:
    """Truncate SQLite's write-ahead log, which still holds deleted data; `secure_delete` covers the database file."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def build_redactor(name: str) -> Callable[[str], str]:
    """Return a function that replaces the name as a whole word by REDACTED, ignoring case and accents."""
    folded_name = "".join(map(_fold_letter, name))
    if not folded_name:  # nothing but accents
        return lambda text: text.replace(name, REDACTED)

    def redact(text: str) -> str:
        letters = [_fold_letter(letter) for letter in text]
        folded_text = "".join(letters)
        if folded_name not in folded_text:  # fast path for nearly all notes
            return text
        origins = [*(index for index, folded in enumerate(letters) for _character in folded), len(text)]
        parts, position = [], 0
        for start, end in _find_word_spans(folded_text, folded_name):
            parts += [text[position : origins[start]], REDACTED]
            position = origins[end]  # after the accents that belong to the last letter
        return "".join([*parts, text[position:]])

    return redact


@lru_cache(4096)
def _fold_letter(letter: str) -> str:
    """Fold case and accents of one letter: "ß" becomes two letters, a combining accent none."""
    return "".join(mark for mark in unicodedata.normalize("NFD", letter.casefold()) if not unicodedata.combining(mark))


def _find_word_spans(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each occurrence as a whole word."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        is_part = any(map(_is_word_character, text[max(start - 1, 0) : start] + text[end : end + 1]))
        if not is_part:
            yield start, end
        start = text.find(word, start + 1 if is_part else end)


def _is_word_character(letter: str) -> bool:
    """Return whether it is a letter, digit, underscore or combining vowel sign."""
    is_vowel_sign = unicodedata.category(letter) in ("Mn", "Mc") and not "\ufe00" <= letter <= "\ufe0f"
    return letter.isalnum() or letter == "_" or is_vowel_sign


def _redact_notes(circle: Circle, redact: Callable[[str], str]) -> None:
    for pk, before in Table.objects.filter(circle=circle).exclude(note="").values_list("pk", "note").iterator():
        note = redact(before)
        if note != before:
            Table.objects.filter(pk=pk).update(note=note)
            SearchableNote.objects.filter(table=pk).update(text=fold_text(note))


def _redact_places(circle: Circle, redact: Callable[[str], str]) -> None:
    """Redact places, merging one whose new name is taken into the other."""
    for place in Place.objects.filter(circle=circle):
        name = redact(place.name)
        if name == place.name:
            continue
        twin = find_place(circle.pk, name)
        if twin is None or twin == place:
            Place.objects.filter(pk=place.pk).update(name=name)
        else:
            Table.objects.filter(place=place).update(place=twin)
            place.delete()


def _redact_options(circle: Circle, redact: Callable[[str], str]) -> None:
    """Redact names of games and of score categories."""

    def redact_words(words: dict[str, Any]) -> dict[str, Any]:
        return {name: _redact_list(word, redact) if isinstance(word, str) else word for name, word in words.items()}

    for pk, options in Table.objects.filter(circle=circle).values_list("pk", "options").iterator():
        words = redact_words(options)
        if words != options:
            Table.objects.filter(pk=pk).update(options=words, has_stale_stats=True)
    for saved in SavedOptions.objects.filter(circle=circle):
        if redact_words(saved.words) != saved.words or redact(saved.key) != saved.key:
            saved.delete()  # saved again when a table is opened with these options


def _delete_uploads_and_aliases(circle: Circle, redact: Callable[[str], str]) -> None:
    Upload.objects.filter(circle=circle).delete()
    for alias in Alias.objects.filter(circle=circle):
        if any(redact(text) != text for text in (alias.called, alias.external_id)):
            alias.delete()  # asked again on the next import


def _redact_list(word: str, redact: Callable[[str], str]) -> str:
    """Redact a comma-separated list, numbering equal names: a score sheet has no two categories of one name."""
    parts: list[str] = []
    for part in word.split(","):
        name = redact(part)
        duplicates = sum(name in (other, other.rpartition(" ")[0]) for other in parts) if name != part else 0
        parts.append(f"{name} {duplicates + 1}" if duplicates else name)
    return ",".join(parts)
