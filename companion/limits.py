"""Limits and quotas, each with the wording of its row in docs/operating.md."""

from __future__ import annotations

from typing import NamedTuple


class Rate(NamedTuple):
    """So many within so many seconds."""

    limit: int
    seconds: int


# People

MAX_NAME_LENGTH = 40
"""Letters of the name of a player, a place or a phone"""
MAX_NOTE_LENGTH = 500
"""Letters of a note on a table"""
MAX_PLAYERS = 5_000
"""Players of a circle"""
MAX_DEVICES = 200
"""Phones of a circle"""

# A table

MAX_SEATS = 12
"""Players at a table; most games have fewer"""
MAX_ROUNDS = 500
"""Rounds of a match"""
MAX_ENTRIES = 5_000
"""Entries of a table"""
MAX_POINTS = 999_999
"""Any number in a count, above or below zero"""
MAX_GUESTS = 30
"""Phones at a table, those that have a seat among them, when one more wants to come in by its door"""
MAX_SCORERS = 12
"""Guests of a table who may enter something"""
GUEST_ENTRY_RATE = Rate(300, 60)
"""Entries by a guest at one table: far more than thumbs make, for what has waited comes at once"""

# What is begun

NEW_TABLE_RATE = Rate(200, 24 * 3600)
"""Tables opened by one phone"""
NEW_CIRCLE_RATE = Rate(120, 3600)
"""Circles begun from one address, each by a browser that had none"""

# Codes and keys

WRONG_CODE_RATE_PER_DEVICE = Rate(10, 10 * 60)
"""Wrong codes by one browser"""
WRONG_CODE_RATE_PER_ADDRESS = Rate(15, 5 * 60)
"""Wrong codes from one address: a whole party shares one, and it is a quarter of what all together may try"""
WRONG_CODE_RATE_PER_SERVER = Rate(60, 60)
"""Wrong codes by all together"""
WRONG_KEY_RATE = Rate(30, 10 * 60)
"""Wrong keys of programs and of links from one address; a right one is let in all the same"""
REFUSAL_PAGE_RATE = Rate(30, 10 * 60)
"""Tries from one address that are refused with the whole page; after that, in plain words"""
MAX_API_KEYS = 5
"""Keys for programs that one phone has made"""
API_REQUEST_RATE = Rate(600, 60)
"""Questions by programs with one key"""

# Files and forms

MAX_FILE_BYTES = 10_000_000
"""Bytes of a file that is taken in: some 300 evenings, entered play by play"""
MAX_PENDING_IMPORTS = 3
"""Files of a circle that wait to be matched; a newer one takes the place of the oldest"""
MAX_PENDING_IMPORTS_TOTAL = 60
"""Files of all circles that wait: strangers must not fill the disk"""
UPLOAD_RATE = Rate(30, 3600)
"""Files sent from one address, readable or not"""
MAX_FORM_BYTES = 64 * 1024
"""Bytes of a form without its file"""
MAX_FORM_FIELDS = 500
"""Fields of a form"""
MAX_REQUEST_BYTES = 11_000_000
"""Bytes of anything that is sent; for the largest the connection is closed"""
