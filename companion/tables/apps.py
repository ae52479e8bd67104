"""App configuration."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "companion.tables"
    default_auto_field = "django.db.models.BigAutoField"
