"""`manage.py doctor`: what is wrong with this installation, and what to do; the checks live in companion/checkup."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from companion.ops.health import doctor
from companion.ops.health.findings import Severity


class Command(BaseCommand):
    help = "Say in a line each what is ok, what to look at and what is wrong. Exit 1 if something is wrong."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        verdicts = []
        for found in doctor.run_checks():
            verdicts.append(found.severity)
            self.stdout.write(f"{found.severity:<6}{found.topic:<12}{found.text}")
        if Severity.ERROR in verdicts:
            sys.exit(1)
