"""Confirmation prompt for commands that cannot be undone."""


def confirm(question: str) -> bool:
    """Ask the operator to type yes; return False if nobody is there to answer."""
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False
