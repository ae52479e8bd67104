"""`manage.py owner_link`: a link into a circle whose phones are all lost."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from companion.people.models import Circle, Player
from companion.people.services import INVITATION_LIFETIME, create_invitation
from companion.web.qr import build_join_qr, render_terminal_qr

MAX_NAMES = 8


class Command(BaseCommand):
    help = "List the circles, or print a link that adds one phone to a circle."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("circle", nargs="?", type=int, help="number of a circle, as listed")

    def handle(self, *args: Any, circle: int | None = None, **options: Any) -> None:
        if circle is None:
            self.list_circles()
            return
        row = Circle.objects.filter(pk=circle).first()
        if row is None:
            raise CommandError(f"There is no circle {circle}. Run the command without a number to list all circles.")
        qr_code = build_join_qr(None, create_invitation(row, by=None))
        minutes = int(INVITATION_LIFETIME.total_seconds()) // 60
        self.stdout.write(f"For one phone, within {minutes} minutes:\n\n    {qr_code.url}\n")
        self.stdout.write(render_terminal_qr(qr_code.url, getattr(self.stdout, "encoding", None)))

    def list_circles(self) -> None:
        for circle in Circle.objects.order_by("pk"):
            names = ", ".join(player.name for player in Player.objects.of(circle)[:MAX_NAMES]) or "nobody yet"
            last = circle.devices.order_by("-used_at").first()
            used = f"{last.used_at:%Y-%m-%d}" if last else "never"
            self.stdout.write(f"{circle.pk:6}  {names} (phones: {circle.devices.count()}, last used: {used})")
