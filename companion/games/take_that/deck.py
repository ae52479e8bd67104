"""Deck of Take That."""

DECK = tuple(number for number in range(12, 99) if number % 10)
"""12 to 98 without 20, 30, ... 90."""
TOADS = frozenset(range(22, 89, 11))
"""Double numbers, which have no reversal."""
HAND = {2: 9, 3: 9, 4: 8}
"""Cards dealt to each player, by number of players."""


def reverse_digits(card: int) -> int:
    """Return the card with its digits swapped, the partner of every card except toads."""
    return card % 10 * 10 + card // 10
