#!/usr/bin/env python
"""Command line of the companion."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "companion.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # For a wrong setting the operator needs the sentence, not the traceback.
        sys.exit(str(error))


if __name__ == "__main__":
    main()
