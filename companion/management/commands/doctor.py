"""`manage.py doctor`: check this installation."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from companion.ops.health import doctor
from companion.ops.health.findings import Severity


class Command(BaseCommand):
    help = "Check this installation, one line per check: ok, warn or error. Exit with 1 on errors."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        severities = []
        for finding in doctor.run_checks():
            severities.append(finding.severity)
            self.stdout.write(f"{finding.severity:<6}{finding.topic:<12}{finding.text}")
        if Severity.ERROR in severities:
            sys.exit(1)
