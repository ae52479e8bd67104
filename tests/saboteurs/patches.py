"""Deliberate bugs, each with the test that must catch it.

The numbers are those in tests/REQUIREMENTS.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Saboteur:
    """A replacement of `old`, which occurs once in `file`, by `new` that must make the test `caught_by` fail."""

    name: str
    file: str
    old: str
    new: str
    caught_by: str


SABOTEURS = (
    Saboteur(
        "L1 transactions begin as readers",
        "companion/db/settings.py",
        'TRANSACTION_MODE = "IMMEDIATE"',
        'TRANSACTION_MODE = "DEFERRED"',
        "tests/web/test_concurrency.py::test_concurrent_writers_lose_and_duplicate_nothing",
    ),
    Saboteur(
        "L2 acknowledged before the disk sync",
        "companion/db/settings.py",
        '"synchronous": ("FULL", 2)',
        '"synchronous": ("OFF", 0)',
        "tests/faults/test_durability.py::test_every_acknowledgement_follows_a_disk_sync",
    ),
    Saboteur(
        "L3 no constraint on keys",
        "companion/tables/migrations/0001_initial.py",
        'fields=("table", "key")',
        'fields=("table", "key", "number")',
        "tests/tables/test_slots.py::test_the_database_rejects_duplicate_keys_and_numbers",
    ),
    Saboteur(
        "L4 no lookup of keys",
        "companion/tables/services/entries.py",
        "number = cached_log.numbers.get(new_entry.key)",
        "number = None",
        "tests/tables/test_slots.py::test_an_undone_key_is_not_recorded_again",
    ),
    Saboteur(
        "L5 acknowledged before the write",
        "companion/tables/services/entries.py",
        "    Entry.objects.bulk_create(new)",
        '    __import__("threading").Timer(0.3, Entry.objects.bulk_create, [new]).start()',
        "tests/faults/test_killed_server.py::test_acknowledged_entries_survive_kill_9",
    ),
    Saboteur(
        "L6 the last write wins a slot",
        "companion/tables/services/entries.py",
        "raise SlotTaken(new_entry, taken)",
        "return None",
        "tests/faults/test_concurrent_writers.py::test_one_of_8_phones_wins_a_slot_and_the_others_see_both",
    ),
    Saboteur(
        "L7 a slot is a whole table",
        "companion/tables/services/entries.py",
        "taken = _find_in_slot(cached_log, visibility, new_entry)",
        "taken = _find_in_slot(cached_log, visibility, new_entry)\n"
        "    taken = cached_log.version if new_entry.seen_version not in (None, cached_log.version) else taken",
        "tests/web/test_concurrency.py::test_concurrent_writers_lose_and_duplicate_nothing",
    ),
    Saboteur(
        "L8 copies written after the transaction",
        "companion/tables/services/entries.py",
        'values = {"version": cached_log.version, **summary, **_build_end_columns(table, cached_log)}',
        'values = {"version": cached_log.version, **_build_end_columns(table, cached_log)}\n    '
        "transaction.on_commit(lambda: Table.objects.filter(pk=table.pk).update(**summary))",
        "tests/web/test_concurrency.py::test_entry_and_its_copies_are_written_atomically",
    ),
    Saboteur(
        "L9 a correction is logged and not applied",
        "companion/core/log.py",
        "if any(entry.kind in TARGETED for entry in entries):",
        "if any(entry.kind in TARGETED - AMENDMENTS for entry in entries):",
        "tests/games/test_every_game.py::test_a_late_correction_equals_having_entered_it_right[take-that-2-rounds=1]",
    ),
    Saboteur(
        "L10 a name inserted as markup",
        "companion/web/i18n.py",
        'format_html("<bdi>{}</bdi>", self.names[seat])',
        'format_html(f"<bdi>{self.names[seat]}</bdi>{{}}", "")',
        "tests/browser/test_hostile_text.py::test_hostile_text_is_never_executed",
    ),
    Saboteur(
        "L11 surrogates are accepted",
        "companion/core/sanitize.py",
        '"Cc", "Cs", "Cn", "Co"',
        '"Cc", "Cn", "Co"',
        "tests/people/test_validators.py::test_an_invalid_note_is_refused",
    ),
    Saboteur(
        "L12 formulas are not escaped in CSV",
        "companion/exchange/formats/csv_files.py",
        'f"\'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell',
        "cell",
        "tests/exchange/test_formats.py::test_csv_escapes_formulas",
    ),
    Saboteur(
        "L12 negative numbers are escaped in CSV",
        "companion/exchange/formats/csv_files.py",
        "if isinstance(cell, str) and _FORMULA.match(cell)",
        "if _FORMULA.match(str(cell))",
        "tests/exchange/test_formats.py::test_csv_keeps_negative_numbers",
    ),
    Saboteur(
        "L13 a guest may bin a table",
        "companion/tables/views/table.py",
        "at_least=CIRCLE)\n    tables.bin_table(",
        ")\n    tables.bin_table(",
        "tests/web/test_roles.py::test_responses_match_the_permission_table",
    ),
    Saboteur(
        "L14 a secret in the query string",
        "companion/web/qr.py",
        "{reverse('join')}#{secret}",
        "{reverse('join')}?code={secret}",
        "tests/browser/test_together.py::test_device_joins_a_circle_and_its_key_leaves_no_trace",
    ),
    Saboteur(
        "L15 no referrer",
        "companion/settings.py",
        'SECURE_REFERRER_POLICY = "same-origin"',
        'SECURE_REFERRER_POLICY = "no-referrer"',
        "tests/test_settings.py::test_every_response_has_the_security_headers",
    ),
    Saboteur(
        "L16 attempts counted without a lock",
        "companion/people/rate_limits.py",
        "    with transaction.atomic():\n        with connection.cursor() as cursor:\n"
        "            cursor.execute(_COUNT_SQL, [who, now, now - seconds, now - seconds])\n",
        "    old = AttemptCounter.objects.filter(who=who, began_at__gt=now - seconds).first()\n"
        '    values = {"count": old.count + 1 if old else 1, "began_at": old.began_at if old else now}\n'
        "    with transaction.atomic():\n"
        "        AttemptCounter.objects.update_or_create(who=who, defaults=values)\n",
        "tests/people/test_rate_limits.py::test_exactly_the_limit_passes_of_400_concurrent_attempts",
    ),
    Saboteur(
        "L17 a backup copied from a file in use",
        "companion/ops/backup/create.py",
        '            source.backup(copy)\n        source.execute("ROLLBACK")',
        '            pass\n        source.execute("ROLLBACK")\n'
        "    import time\n"
        '    with open(connection.settings_dict["NAME"], "rb") as there, draft.open("wb") as here:\n'
        "        while part := there.read(1 << 18):\n"
        "            here.write(part)\n"
        "            time.sleep(0.01)  # a disk as slow as most\n",
        "tests/faults/test_backups_in_use.py::test_a_backup_during_writes_has_all_acknowledged_entries",
    ),
    Saboteur(
        "L18 an entry is forgotten before it is acknowledged",
        "static/js/outbox/sender.js",
        "  await saveEntry(entry);\n  markTapUnanswered();",
        "  await deleteEntry(entry);\n  markTapUnanswered();",
        "tests/browser/test_outbox.py::test_queue_of_a_killed_tab_is_sent_on_reopening",
    ),
    Saboteur(
        "L19 the role is not checked in the transaction",
        "companion/tables/services/entries.py",
        "role = CIRCLE if device is None else check_and_lock_role(table, device, at_least=SCORER)",
        "role = CIRCLE",
        "tests/web/test_revocation.py::test_write_after_revocation_is_rejected",
    ),
    Saboteur(
        "L20 a verdict that reveals hidden counts",
        "companion/tables/services/entries.py",
        "step = judge_visible(log, step, visibility.hidden)",
        "pass",
        "tests/tables/test_hidden_counts.py::test_a_verdict_ignores_hidden_counts",
    ),
)
