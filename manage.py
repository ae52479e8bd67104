#!/usr/bin/env python
"""The command line of the companion; the commands themselves live in companion/management/commands."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "companion.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        # Who sets a variable wrongly needs the sentence, not where in the code it was noticed.
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
