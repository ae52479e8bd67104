"""Django app for shared templates, template tags, commands and checks."""

from django.apps import AppConfig
from django.core.checks import register


class CompanionConfig(AppConfig):
    name = "companion"

    def ready(self) -> None:
        from companion.ops.health.games import games_system_check

        register(games_system_check)
