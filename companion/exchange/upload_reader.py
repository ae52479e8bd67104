"""Reading an uploaded file in the child process, for a large one takes seconds."""

from __future__ import annotations

from companion.exchange.detect import parse_upload
from companion.exchange.import_data import BadFile
from companion.exchange.serialization import pack, pack_error, unpack_error
from companion.ops.child_process import CHILD

OK, ERROR = b"+", b"-"


def parse_in_child(data: bytes, name: str) -> bytes:
    """Return what was read out of a file, packed. Raises BadFile, and ServerBusy where it takes too long."""
    answer = CHILD.run(parse_task, b"\0".join([name.replace("\0", "").encode(errors="replace"), data]))
    if answer[:1] == ERROR:
        raise unpack_error(answer[1:])
    return answer[1:]


def parse_task(content: bytes) -> bytes:
    """The same as a task of a child process: the name of the file, a zero byte, and its content."""
    name, _zero, data = content.partition(b"\0")
    try:
        return OK + pack(parse_upload(data, name.decode()))
    except BadFile as error:
        return ERROR + pack_error(error)
