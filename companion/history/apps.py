"""App configuration of the history."""

from django.apps import AppConfig


class HistoryConfig(AppConfig):
    name = "companion.history"
    default_auto_field = "django.db.models.BigAutoField"
