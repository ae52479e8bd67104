"""`manage.py build`: make what is made from sources, where it is stale; `serve` and the tests do so by themselves."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from companion.assets import collect_static
from companion.translations import compile_messages


def build() -> None:
    compile_messages(settings.LOCALE_PATHS)
    collect_static()


class Command(BaseCommand):
    help = "Compile translations and collect static files, where they have changed."

    def handle(self, *args: Any, **options: Any) -> None:
        build()
