import unicodedata

from django.db import migrations
from django.db.migrations.state import StateApps
from django.db.models import F, OuterRef, Q, Subquery


def know_the_times(apps: StateApps, schema_editor: object) -> None:
    """A table began when it was opened, and ended with its last entry; the statistics have seen none yet."""
    Table = apps.get_model("tables", "Table")
    Entry = apps.get_model("tables", "Entry")
    Table.objects.update(began_at=F("opened_at"))
    last = Entry.objects.filter(table=OuterRef("pk"), number=OuterRef("version")).values("at")[:1]
    Table.objects.filter(Q(is_over=True) | Q(is_closed=True)).update(ended_at=Subquery(last), is_unread=True)


def fold_the_notes(apps: StateApps, schema_editor: object) -> None:
    Table = apps.get_model("tables", "Table")
    FoldedNote = apps.get_model("tables", "FoldedNote")
    notes = Table.objects.exclude(note="").values_list("pk", "circle_id", "note")
    FoldedNote.objects.bulk_create(
        (FoldedNote(table_id=pk, circle_id=circle, text=_folded(note)) for pk, circle, note in notes.iterator()),
        batch_size=400,
    )


def _folded(text: str) -> str:
    bare = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", "".join(letter for letter in bare if not unicodedata.combining(letter))).strip()


class Migration(migrations.Migration):
    dependencies = [("tables", "0007_places_and_times")]

    operations = [
        migrations.RunPython(know_the_times, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(fold_the_notes, migrations.RunPython.noop, elidable=True),
    ]
