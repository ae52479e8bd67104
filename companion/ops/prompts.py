"""Confirmation prompt for commands that cannot be undone."""

from django.core.management.base import CommandError


def require_confirmation(question: str) -> None:
    """Ask the operator to type yes. Raises CommandError for another answer, or if nobody is there to answer."""
    try:
        answer = input(f"{question} Type yes: ")
    except EOFError:
        answer = ""
    if answer.strip().lower() != "yes":
        raise CommandError("Nothing has changed.")
