"""Detection of the format of an uploaded file."""

from __future__ import annotations

import re

from companion.core.text import _
from companion.exchange.formats import bgg, companion_json, notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import BadFile, ImportFile
from companion.exchange.judging import judge_file
from companion.exchange.safe_json import parse_json

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x1f\x8b")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[\[{]")
_GAME_LINE = re.compile(rb"(?:\A\xef\xbb\xbf|^|\r)[ \t]*+game(?![^\s#!~])", re.MULTILINE)
"""Required in every match in the notation."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml|plays)\b")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]|\A%PDF-")


def parse_upload(data: bytes, name: str) -> ImportFile:
    """Parse a file of any format and judge its tables. Raises BadFile if it is of no known format, or broken."""
    return judge_file(_parse(data, name))


def _parse(data: bytes, name: str) -> ImportFile:
    if not data.strip():
        raise BadFile("", _("The file is empty."))
    if data.startswith(_ARCHIVES):
        raise BadFile("", _("This is an archive. Unpack it first, and choose a file from it."))
    if not _JSON.match(data):
        _check_notation(data)
        return notation.parse_file(data, name)
    document = parse_json(data)
    if bgg.is_bgg_file(document):
        raise BadFile("", _("Files for BoardGameGeek can be exported, but not imported."))
    parse_document = bgstats.parse_document if bgstats.is_bgstats_file(document) else companion_json.parse_document
    return parse_document(document)


def _check_notation(data: bytes) -> None:
    """Check that the file looks like notation, to name its format rather than its first bad line. Raises BadFile."""
    if _GAME_LINE.search(data):
        return
    if _XML.match(data):
        raise BadFile("", _("XML files can be exported, but not imported."))
    if _BINARY.search(data) or not _is_unicode(data):
        raise BadFile("", _("This isn’t a text file, so it can’t hold tables."))
    raise BadFile("", _("This file holds no tables: it is neither JSON nor a match in the notation."))


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
