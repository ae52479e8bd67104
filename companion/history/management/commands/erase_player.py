"""Management command `erase_player`: erases a player as the player's page does."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from companion.core.sanitize import fold_text
from companion.db.data_lock import shared_lock
from companion.history.players.erase import erase_player
from companion.ops.backup import retention
from companion.ops.prompts import require_confirmation
from companion.people.models import Player


class Command(BaseCommand):
    help = (
        "Erase a player: the name is removed from all tables, notes, places and files of the circle; scores stay. "
        f"Backups keep the name until they are deleted, {retention.MAX_AGE.days} days at most with "
        "nightly backups; restoring one brings it back. `owner_link` lists the circles."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("circle", type=int, help="circle id")
        parser.add_argument("player", help="player name or id")
        parser.add_argument("--yes", action="store_true", help="skip the confirmation")

    def handle(self, *args: Any, circle: int, player: str, yes: bool, **options: Any) -> None:
        target = find_player(circle, player)
        seats = target.seats.count()
        if not yes:
            require_confirmation(f"Permanently erase {target.name}, who sat at {seats} tables?")
        with shared_lock():
            erase_player(target, by=None)
        self.stdout.write(f"Erased. The scores of {seats} tables stay, without the name.")
        if backups := retention.list_backups():
            oldest = backups[-1].made_at + retention.MAX_AGE
            self.stdout.write(
                f"{len(backups)} backups still contain it. With nightly backups the last of them is deleted within "
                f"{retention.MAX_AGE.days} days, the oldest by {oldest:%Y-%m-%d}; or delete them now: "
                f"{retention.get_backup_folder()}"
            )


def find_player(circle: int, word: str) -> Player:
    """Return the circle's player with this name, ignoring case and accents, or with this id. Raises CommandError."""
    players = list(Player.objects.filter(circle=circle).order_by("pk"))
    similar = [player for player in players if fold_text(player.name) == fold_text(word)]
    exact = [player for player in similar if player.name == word]
    for matches in (exact, similar, [player for player in players if str(player.pk) == word]):
        if len(matches) == 1:
            return matches[0]
    if similar:
        names = ", ".join(f"{player.pk} {player.name}" for player in similar)
        raise CommandError(f"Several players have this name; give the id: {names}")
    raise CommandError(f"Circle {circle} has no player {word}.")
