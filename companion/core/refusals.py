"""Refusals that no rule of a game makes: their texts, by the code to search for."""

from companion.core.text import _

# Not the shape of an entry, an option or a field

UNKNOWN_KIND = _("There is no such kind of entry.")
UNKNOWN_ROUND = _("There is no such round.")
UNKNOWN_ENTRY = _("There is no such entry.")
UNKNOWN_RULE = _("There is no such rule.")
UNKNOWN_SEAT = _("There is no seat {n} at this table.")
UNKNOWN_FIELD = _("There is no field “{name}” here.")
REPEATED_FIELD = _("The field “{name}” is given twice.")
UNKNOWN_CHOICE = _("“{word}” is not one of {words}.")
OUT_OF_RANGE = _("{n} is not between {least} and {most}.")
INVALID_TIME = _("That’s not a valid date and time.")
VALUE_TOO_LONG = _("That is too long for an entry.")
TEXT_TOO_LONG = _("That is too long: at most {n} characters.")
SEQUENCE_TOO_LONG = _("That is more than a table can have.")
UNPRINTABLE = _("It contains a character that can’t be displayed.")
OUTDATED_PAGE = _("This page is out of date. Nothing was saved; please reload it.")
NOTHING_ENTERED = _("Nothing has been entered yet.")
SEVERAL_CORRECTIONS = _("Correct one entry at a time.")

# Not now

NOT_PLAYABLE = _("That can’t be played now.")
NOTHING_TO_UNDO = _("Nothing more to undo here.")
NOTHING_TO_REDO = _("Nothing to redo.")
ENTRY_WITHOUT_EFFECT = _("That entry no longer counts.")
ROUND_NOT_OVER = _("This round is not over yet.")
SCORE_OPEN = _("The score of this round is still open.")
TABLE_CLOSED = _("This table is closed. Open it again to enter something.")
SOMEBODY_COUNTED = _("Somebody has already counted. This can be changed once everybody has.")

# Not by this device

VIEW_ONLY = _("This phone can watch, but not enter anything.")
MEMBERS_ONLY = _("Only a phone of the table’s circle can close it or open it again.")
TABLE_BINNED = _("This table is in the bin. Only a phone of its circle can restore it.")
COUNT_HIDDEN = _(
    "{name} has counted, and it stays hidden until all have. Only the phone that entered it can change it."
)

# Not saved by the server

NOT_SAVED = _("Not saved: the server can’t save anything right now. Try again.")
MAYBE_SAVED = _("It isn’t known whether this was saved. Try again: it will count once.")

# More than there may be

LOG_FULL = _("This table’s log is full: {n} entries. Start a new table.")
TOO_MANY_ROUNDS = _("A match can have at most {n} rounds. Start a new table.")
TOO_MANY_POINTS = _("{n} is too much for the sheet: the limit is {most}, above or below zero.")

# Not a file that can be imported

LOG_TOO_LONG = _("This log is too long: at most {n} entries.")
TOO_MANY_PLAYERS = _("More than {n} players.")
PLAYER_SEATED_TWICE = _("The same player sits there twice.")
UNKNOWN_PLAYER_IN_FILE = _("The file has no such player.")
INVALID_ID = _("This isn’t an id.")
DATE_OUT_OF_RANGE = _("That date is out of range.")
FILE_TOO_LARGE = _("The file is too large: at most {n} MB can be read.")
FILE_TOO_COMPLEX = _("The file is too large or too deeply nested.")
NOT_UTF8 = _("This is not text in UTF-8.")
