"""Deck of The Game."""

DECK = range(2, 100)
FIRE = frozenset({22, 33, 44, 55, 66, 77})
"""Numbers of the fire cards in On Fire."""
HAND = {1: 8, 2: 7, 3: 6, 4: 6, 5: 6}
"""Cards dealt to each player, by number of players."""
