"""Erasing a player: the name is gone from everything that is stored, and the scores stay."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any

from django.db import connection, transaction

from companion.core.sanitize import fold_text
from companion.db.retry import retry
from companion.history.models import Alias, Upload
from companion.history.statistics import ratings
from companion.people.models import Circle, Device, Player
from companion.people.services import authorize_member
from companion.tables.models import Place, SavedOptions, SearchableNote, Table
from companion.tables.services.details import find_place
from companion.web.logging import Event, log_security_event

REDACTED = "…"
"""What stands where the name stood."""


def erase_player(player: Player, *, by: Device | None) -> None:
    """Erase the player, and the name wherever people have typed it as a word; a declined form is not recognized.

    Raises Http404 as `authorize_member` does.
    """
    retry(lambda: _erase_player(player, by))
    log_security_event(Event.PLAYER_ERASED)
    truncate_wal()


def _erase_player(player: Player, by: Device | None) -> None:
    circle, without = player.circle, build_redactor(player.name)
    with transaction.atomic():
        authorize_member(circle.pk, by)
        Player.objects.filter(pk=player.pk).delete()
        _redact_notes(circle, without)
        _redact_places(circle, without)
        _redact_options(circle, without)
        _delete_uploads_and_aliases(circle, without)
        for device in Device.objects.filter(circles=circle) | Device.objects.filter(attendances__table__circle=circle):
            label = without(device.label)
            if label != device.label:
                Device.objects.filter(pk=device.pk).update(label=label)
        ratings.reset(circle)


def truncate_wal() -> None:
    """Empties what the database keeps beside its file of what was changed; its pages were overwritten already."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def build_redactor(name: str) -> Callable[[str], str]:
    """Replaces the name where it stands as a word of its own, however it is capitalized and accented."""
    wanted = "".join(map(_fold_letter, name))
    if not wanted:  # nothing but accents
        return lambda text: text.replace(name, REDACTED)

    def blanked(text: str) -> str:
        letters = [_fold_letter(letter) for letter in text]
        plain = "".join(letters)
        if wanted not in plain:  # as in nearly all of a hundred thousand notes
            return text
        return _replace_spans(text, letters, _find_word_spans(plain, wanted))

    return blanked


@lru_cache(4096)
def _fold_letter(letter: str) -> str:
    """One letter as it is compared: several for "ß", none for an accent that stands apart."""
    return "".join(mark for mark in unicodedata.normalize("NFD", letter.casefold()) if not unicodedata.combining(mark))


def _find_word_spans(plain: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where what is wanted begins and ends, as a word of its own."""
    start = plain.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        is_part = any(map(_is_word_character, plain[max(start - 1, 0) : start] + plain[end : end + 1]))
        if not is_part:
            yield start, end
        start = plain.find(wanted, start + 1 if is_part else end)


def _is_word_character(letter: str) -> bool:
    """Whether it makes a word longer: a letter, a figure, or a vowel sign of a script that has them beside letters."""
    is_vowel_sign = unicodedata.category(letter) in ("Mn", "Mc") and not "\ufe00" <= letter <= "\ufe0f"
    return letter.isalnum() or letter == "_" or is_vowel_sign


def _replace_spans(text: str, letters: list[str], spans: Iterable[tuple[int, int]]) -> str:
    """The text without what stands at these places of its bare letters, with the accents that belong to it."""
    ends = list(accumulate(map(len, letters)))
    parts: list[str] = []
    kept = 0
    for start, end in spans:
        first, after = bisect_right(ends, start), bisect_right(ends, end)
        parts += [text[kept:first], REDACTED]
        kept = after
    return "".join([*parts, text[kept:]])


def _redact_notes(circle: Circle, without: Callable[[str], str]) -> None:
    for pk, before in Table.objects.filter(circle=circle).exclude(note="").values_list("pk", "note").iterator():
        note = without(before)
        if note != before:
            Table.objects.filter(pk=pk).update(note=note)
            SearchableNote.objects.filter(table=pk).update(text=fold_text(note))


def _redact_places(circle: Circle, without: Callable[[str], str]) -> None:
    """A place that is called as another one then becomes that one."""
    for place in Place.objects.filter(circle=circle):
        name = without(place.name)
        if name == place.name:
            continue
        twin = find_place(circle.pk, name)
        if twin is None or twin == place:
            Place.objects.filter(pk=place.pk).update(name=name)
        else:
            Table.objects.filter(place=place).update(place=twin)
            place.delete()


def _redact_options(circle: Circle, without: Callable[[str], str]) -> None:
    """Names of games and of their boxes."""
    for pk, options in Table.objects.filter(circle=circle).values_list("pk", "options").iterator():
        words = _redact_words(options, without)
        if words != options:
            Table.objects.filter(pk=pk).update(options=words, has_stale_stats=True)
    for kept in SavedOptions.objects.filter(circle=circle):
        words = _redact_words(kept.words, without)
        if words != kept.words or without(kept.key) != kept.key:
            kept.delete()  # it is offered again when a table is opened like that


def _delete_uploads_and_aliases(circle: Circle, without: Callable[[str], str]) -> None:
    """What was sent and has not been taken in, and what is remembered of files; the player's own went already."""
    Upload.objects.filter(circle=circle).delete()
    for alias in Alias.objects.filter(circle=circle):
        if any(without(text) != text for text in (alias.called, alias.outside)):
            alias.delete()  # it is chosen again when such a file comes


def _redact_words(words: dict[str, Any], without: Callable[[str], str]) -> dict[str, Any]:
    return {name: _redact_list(word, without) if isinstance(word, str) else word for name, word in words.items()}


def _redact_list(word: str, without: Callable[[str], str]) -> str:
    """A sequence without the name. Two boxes that are called alike after that are numbered: a sheet has none twice."""
    parts: list[str] = []
    for part in word.split(","):
        name = without(part)
        alike = sum(name in (own, own.rpartition(" ")[0]) for own in parts) if name != part else 0
        parts.append(f"{name} {alike + 1}" if alike else name)
    return ",".join(parts)
