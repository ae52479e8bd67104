"""`manage.py erase_player CIRCLE PLAYER`: erases a player, as the page does, for whoever asks the operator to."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.core.sanitize import fold_text
from companion.db.data_lock import DataFolderInUse, shared_lock
from companion.history.players.erase import erase_player
from companion.ops.backup import retention
from companion.ops.prompts import confirm
from companion.people.models import Player


class Command(BaseCommand):
    help = (
        "Erase a player: the name goes from all tables, notes, places and files of the circle, the scores stay. "
        f"Backups hold the name until they are deleted, {retention.MAX_AGE.days} days at most where one is made every "
        "night; a backup that is put back brings it back. `owner_link` lists the circles."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("circle", type=int, help="the number of the circle")
        parser.add_argument("player", help="the player's name, or number")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, circle: int, player: str, yes: bool, **options: Any) -> None:
        found = find_player(circle, player)
        seats = found.seats.count()
        if not (yes or confirm(f"Erase {found.name}, who sat at {seats} tables, for good?")):
            raise CommandError("Nothing has changed.")
        try:
            with shared_lock():
                erase_player(found, by=None)
        except DataFolderInUse as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Erased. The scores of {seats} tables stay, without the name.")
        if kept := retention.list_backups():
            oldest = kept[-1].made_at + retention.MAX_AGE
            self.stdout.write(
                f"{len(kept)} backups still hold it. With a backup every night the last of them is deleted within "
                f"{retention.MAX_AGE.days} days, the oldest by {oldest:%Y-%m-%d}; or delete them now: "
                f"{retention.get_backup_folder()}"
            )


def find_player(circle: int, word: str) -> Player:
    """The circle's player of that name, whatever its capitals and accents, or of that number. Raises CommandError."""
    players = list(Player.objects.filter(circle=circle).order_by("pk"))
    alike = [own for own in players if fold_text(own.name) == fold_text(word)]
    exact = [own for own in players if own.name == word]
    numbered = [own for own in players if str(own.pk) == word]
    for found in (exact, alike, numbered):
        if len(found) == 1:
            return found[0]
    if alike:
        raise CommandError("Several are called so: " + ", ".join(f"{own.pk} {own.name}" for own in alike))
    raise CommandError(f"Circle {circle} has no player {word}.")
