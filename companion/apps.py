"""The Django app of what belongs to no other."""

from django.apps import AppConfig
from django.core.checks import register


class CompanionConfig(AppConfig):
    name = "companion"

    def ready(self) -> None:
        from companion.ops.health.games import check_games

        register(check_games)
