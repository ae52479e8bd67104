"""Limits and quotas, each with the wording of its row in docs/operating.md."""

from __future__ import annotations

from typing import NamedTuple


class Rate(NamedTuple):
    """So many within so many seconds."""

    most: int
    seconds: int


# People

LONGEST_NAME = 40
"""Letters of the name of a player, a place or a phone"""
LONGEST_NOTE = 500
"""Letters of a note on a table"""
MOST_PLAYERS = 5_000
"""Players of a circle"""
MOST_DEVICES = 200
"""Phones of a circle"""

# A table

MOST_SEATS = 12
"""Players at a table; most games have fewer"""
MOST_ROUNDS = 500
"""Rounds of a match"""
MOST_ENTRIES = 5_000
"""Entries of a table"""
MOST_POINTS = 999_999
"""Any number in a count, above or below zero"""
MOST_GUESTS = 30
"""Phones at a table, those that have a seat among them, when one more wants to come in by its door"""
MOST_SCORERS = 12
"""Guests of a table who may enter something"""
ENTRIES_OF_GUEST = Rate(300, 60)
"""Entries by a guest at one table: far more than thumbs make, for what has waited comes at once"""

# What is begun

TABLES_OF_DEVICE = Rate(200, 24 * 3600)
"""Tables opened by one phone"""
NEW_CIRCLES = Rate(120, 3600)
"""Circles begun from one address, each by a browser that had none"""

# Codes and keys

WRONG_CODES_OF_DEVICE = Rate(10, 10 * 60)
"""Wrong codes by one browser"""
WRONG_CODES_OF_ADDRESS = Rate(15, 5 * 60)
"""Wrong codes from one address: a whole party shares one, and it is a quarter of what all together may try"""
WRONG_CODES_OF_SERVER = Rate(60, 60)
"""Wrong codes by all together"""
WRONG_KEYS_OF_ADDRESS = Rate(30, 10 * 60)
"""Wrong keys of programs and of links from one address; a right one is let in all the same"""
REFUSALS_OF_ADDRESS = Rate(30, 10 * 60)
"""Tries from one address that are refused with the whole page; after that, in plain words"""
MOST_KEYS = 5
"""Keys for programs that one phone has made"""
QUESTIONS_OF_KEY = Rate(600, 60)
"""Questions by programs with one key"""

# Files and forms

LARGEST_FILE = 10_000_000
"""Bytes of a file that is taken in: some 300 evenings, entered play by play"""
MOST_FILES_WAITING = 3
"""Files of a circle that wait to be matched; a newer one takes the place of the oldest"""
MOST_FILES_WAITING_IN_ALL = 60
"""Files of all circles that wait: strangers must not fill the disk"""
FILES_OF_ADDRESS = Rate(30, 3600)
"""Files sent from one address, readable or not"""
LARGEST_FORM = 64 * 1024
"""Bytes of a form without its file"""
MOST_FIELDS = 500
"""Fields of a form"""
LARGEST_REQUEST = 11_000_000
"""Bytes of anything that is sent; for the largest the connection is closed"""
