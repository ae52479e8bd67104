"""App configuration."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "companion.people"
    default_auto_field = "django.db.models.BigAutoField"
