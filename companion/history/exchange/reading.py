"""Tells what kind of file somebody has sent, by what is in it, and has it read. Each format has its own module."""

from __future__ import annotations

import re

from companion.core.text import _
from companion.history.exchange import notations, ours
from companion.history.exchange.bgstats import reading as bgstats
from companion.history.exchange.parcels import BadFile, Parcel
from companion.history.exchange.scanning import tree

_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[\[{]")


def read(data: bytes, name: str) -> Parcel:
    """Raises BadFile for what is none of the kinds, or is broken."""
    if not data.strip():
        raise BadFile("", _("The file is empty."))
    if data.startswith(_ZIP):
        raise BadFile("", _("This is an archive: unpack it first, and choose a file that was in it."))
    if not _JSON.match(data):
        return notations.read(data, name)
    found = tree(data)
    if bgstats.is_known(found):
        return bgstats.parcel_of(found)
    del found  # both at once would be too large
    return ours.read(data)
