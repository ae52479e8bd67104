"""Parsing of uploads in the child process, as a large file takes seconds."""

from __future__ import annotations

from companion.exchange.detect import parse_upload
from companion.exchange.import_data import BadFile
from companion.exchange.serialization import pack, pack_error, unpack_error
from companion.web.child_process import CHILD

OK, ERROR = b"+", b"-"


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
