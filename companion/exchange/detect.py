"""Tells what kind of file somebody has sent, by what is in it, and has it read. Each format has its own module."""

from __future__ import annotations

import re

from companion.core.text import _
from companion.exchange.formats import bgg, companion_json, notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import BadFile, Parcel
from companion.exchange.judging import judge_parcel
from companion.exchange.safe_json import tree

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x1f\x8b")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[\[{]")
_GAME = re.compile(rb"(?:\A\xef\xbb\xbf|^|\r)[ \t]*+game(?![^\s#!~])", re.MULTILINE)
"""The line without which nothing is a match in the notation."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml|plays)\b")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]|\A%PDF-")


def read(data: bytes, name: str) -> Parcel:
    """The file with every table judged. Raises BadFile for what is none of the kinds, or is broken."""
    return judge_parcel(_read(data, name))


def _read(data: bytes, name: str) -> Parcel:
    if not data.strip():
        raise BadFile("", _("The file is empty."))
    if data.startswith(_ARCHIVES):
        raise BadFile("", _("This is an archive: unpack it first, and choose a file that was in it."))
    if not _JSON.match(data):
        _check_notation(data)
        return notation.read(data, name)
    found = tree(data)
    if bgg.is_known(found):
        raise BadFile("", _("This is a file for BoardGameGeek: such files only go out."))
    if bgstats.is_known(found):
        return bgstats.parcel_of(found)
    del found  # both at once would be too large
    return companion_json.read(data)


def _check_notation(data: bytes) -> None:
    """Raises BadFile for what names no game: what it is helps more than the line at which a reader would give up."""
    if _GAME.search(data):
        return
    if _XML.match(data):
        raise BadFile("", _("This is XML: such files only go out."))
    if _NO_TEXT.search(data) or not _is_unicode(data):
        raise BadFile("", _("This is no file of tables: it holds no text."))
    raise BadFile("", _("This is no file of tables: neither JSON nor a match in the notation."))


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
