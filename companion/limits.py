"""Limits and quotas, each with the wording of its row in docs/operating.md."""

from typing import NamedTuple


class Rate(NamedTuple):
    """A limit per period."""

    limit: int
    seconds: int


# People

MAX_NAME_LENGTH = 40
"""Characters in the name of a player, a place or a phone"""
MAX_NOTE_LENGTH = 500
"""Characters in a table's note"""
MAX_PLAYERS = 5_000
"""Players in a circle"""
MAX_DEVICES = 200
"""Phones in a circle"""

# A table

MAX_SEATS = 12
"""Players at a table; most games allow fewer"""
MAX_ROUNDS = 500
"""Rounds in a match"""
MAX_ENTRIES = 5_000
"""Entries in a table's log"""
MAX_POINTS = 999_999
"""Any number in a count, positive or negative"""
MAX_GUESTS = 30
"""Phones at a table, including those with a seat, beyond which no guest can join"""
MAX_SCORERS = 12
"""Guests at a table who may make entries"""
GUEST_ENTRY_RATE = Rate(300, 60)
"""Entries by a guest at one table; high enough for a queue that is sent at once after an outage"""

# New tables and circles

NEW_TABLE_RATE = Rate(200, 24 * 3600)
"""New tables from one phone"""
NEW_CIRCLE_RATE = Rate(120, 3600)
"""New circles from one address, each by a browser that had none"""

# Codes and keys

WRONG_CODE_RATE_PER_DEVICE = Rate(10, 10 * 60)
"""Wrong codes from one browser"""
WRONG_CODE_RATE_PER_ADDRESS = Rate(15, 5 * 60)
"""Wrong codes from one address, which a whole party may share; a quarter of the server's total"""
WRONG_CODE_RATE_PER_SERVER = Rate(60, 60)
"""Wrong codes on the whole server"""
WRONG_KEY_RATE = Rate(30, 10 * 60)
"""Wrong API keys and link keys from one address; valid ones still work"""
REFUSAL_PAGE_RATE = Rate(30, 10 * 60)
"""Rejected attempts from one address that get a full error page; further ones get plain text"""
MAX_API_KEYS = 5
"""API keys created by one phone"""
API_REQUEST_RATE = Rate(600, 60)
"""API requests with one key"""

# Files and forms

MAX_FILE_BYTES = 10_000_000
"""Bytes in an imported file, enough for some 300 evenings entered play by play"""
MAX_PENDING_IMPORTS = 3
"""Uploaded files of a circle that wait to be matched; a newer one replaces the oldest"""
MAX_PENDING_IMPORTS_TOTAL = 60
"""Uploaded files of all circles that wait to be matched, so that strangers cannot fill the disk"""
UPLOAD_RATE = Rate(30, 3600)
"""Uploads from one address, valid or not"""
MAX_FORM_BYTES = 64 * 1024
"""Bytes in a form, without its file"""
MAX_FORM_FIELDS = 500
"""Fields in a form"""
MAX_REQUEST_BYTES = 11_000_000
"""Bytes in a request; the connection is closed beyond that"""
