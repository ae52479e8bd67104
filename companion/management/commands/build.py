"""`manage.py build`: compile translations and collect static files; `serve` and the tests do so themselves."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from companion.ops.compile_messages import compile_messages
from companion.web.static_files import collect_static


def build() -> None:
    compile_messages(settings.LOCALE_PATHS)
    collect_static()


class Command(BaseCommand):
    help = "Compile translations and collect static files that have changed."

    def handle(self, *args: Any, **options: Any) -> None:
        build()
