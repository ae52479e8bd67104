"""The Django app of the rulebook."""

from django.apps import AppConfig


class RulebookConfig(AppConfig):
    name = "companion.rulebook"
    default_auto_field = "django.db.models.BigAutoField"
