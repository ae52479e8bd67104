"""What the operator is asked before a command does what cannot be undone; nothing is done here."""


def confirm(question: str) -> bool:
    """Whether the operator types yes; nobody there to type is no."""
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False
