"""Parsing of uploads of any format, in the child process, as a large file takes seconds."""

import re
from dataclasses import replace

from companion.core.text import _
from companion.exchange.formats import bgg, companion_json, notation
from companion.exchange.formats.bgstats import parse as bgstats
from companion.exchange.import_data import BadFile, ImportFile
from companion.exchange.safe_json import parse_json
from companion.exchange.serialization import pack, pack_error, unpack_error
from companion.web.child_process import CHILD

OK, ERROR = b"+", b"-"
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x1f\x8b")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+[\[{]")
_GAME_LINE = re.compile(rb"(?:\A\xef\xbb\xbf|^|\r)[ \t]*+game(?![^\s#!~])", re.MULTILINE)
"""Required in every match in the notation."""
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml|plays)\b")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f]|\A%PDF-")


def parse_in_child(data: bytes, name: str) -> bytes:
    """Parse a file and return it packed. Raises BadFile, or ServerBusy if it takes too long."""
    answer = CHILD.run(parse_task, b"\0".join([name.replace("\0", "").encode(errors="replace"), data]))
    if answer[:1] == ERROR:
        raise unpack_error(answer[1:])
    return answer[1:]


def parse_task(content: bytes) -> bytes:
    """Run `parse_upload` in the child process; `content` is the file name, a zero byte, and the file."""
    name, _zero, data = content.partition(b"\0")
    try:
        return OK + pack(parse_upload(data, name.decode()))
    except BadFile as error:
        return ERROR + pack_error(error)


def parse_upload(data: bytes, name: str) -> ImportFile:
    """Parse a file of any format and judge its tables. Raises BadFile if it is of no known format, or broken."""
    file = _parse(data, name)
    return replace(file, tables=tuple(table.judge() for table in file.tables))


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
    is_text = data.decode(errors="replace").encode() == data
    if _BINARY.search(data) or not is_text:
        raise BadFile("", _("This isn’t a text file, so it can’t hold tables."))
    raise BadFile("", _("This file holds no tables: it is neither JSON nor a match in the notation."))
