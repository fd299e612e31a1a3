"""Files that are there whole or not at all, and are believed only as they were written.

A file is written under a temporary name, brought to the disk, and renamed. Its seal is a digest of
what it says and of what it belongs to: a file that was cut off, changed, or put in another's place
is damaged. Nothing of it is decoded before the seal is right.
"""

from __future__ import annotations

import hashlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO, TypeAlias, TypeVar

import msgspec

from lockstep.errors import LockstepError
from lockstep.system.user_cache import (
    is_trusted,
)

PART = ".part"
"""How the name of a file ends that is being written, or was when its process was killed."""

T = TypeVar("T")
Natural: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""A number in a document that is not negative."""


class Damaged(LockstepError):
    """A file that is not what was written, or is not there: which one, why, and the cure."""

    def __init__(self, what: str, file: Path, why: str, cure: str | None = None) -> None:
        """`what` is what the file is a part of, for readers."""
        super().__init__(f"{what} is damaged: {file}: {why}", cure=cure)
        self.file = file
        self.why = why


class BrokenSeal(ValueError):
    """Bytes that are not what was sealed; the text says why."""


@contextmanager
def whole_file(file: Path, mode: int = 0o666, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Write a file that takes its place as a whole at the end of the block, or not at all.

    It is `durable` if it is then safely on disk. `mode` is what the umask takes from. `OSError`
    where it cannot be written: what was in its place is still there.
    """
    # Not with the file's own name, which may be as long as a name can be.
    part = file.with_name(f".{uuid.uuid4().hex}{PART}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
            yield out
            out.flush()
            if durable:
                os.fsync(out.fileno())
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if not durable:
        return
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_document(file: Path, document: object, belongs_to: str = "", mode: int = 0o666) -> None:
    """Write a document of plain values, data classes or structs as sealed JSON. `OSError` if not.

    JSON has no numbers for NaN and infinity, which become null.
    """
    with whole_file(file, mode) as out:
        out.write(_document(msgspec.json.encode(document), belongs_to))


def document_in(data: bytes, kind: type[T], belongs_to: str = "") -> T:
    """The document that `write_document` has made of a value of this kind; `BrokenSeal` if none."""
    content = data[len(_document(b"", "")) - 1 : -1]
    if data != _document(content, belongs_to):
        raise BrokenSeal("its checksum is wrong")
    return decoded(content, kind)


def decoded(content: bytes | msgspec.Raw, kind: type[T]) -> T:
    """The value of a kind in JSON; `BrokenSeal` where there is none."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenSeal(f"it cannot be read: {error}") from None


def write_bytes(file: Path, content: bytes, belongs_to: str = "", mode: int = 0o666) -> None:
    """Write sealed bytes. `OSError` where that cannot be done."""
    with whole_file(file, mode) as out:
        out.write(seal_of(content, belongs_to).encode() + content)


def bytes_in(data: bytes, belongs_to: str = "") -> bytes:
    """What `write_bytes` was given; `BrokenSeal` where it is something else."""
    content = data[64:]
    if data[:64] != seal_of(content, belongs_to).encode():
        raise BrokenSeal("its checksum is wrong")
    return content


def seal_of(content: bytes, belongs_to: str = "") -> str:
    """What seals some bytes and binds them to what they belong to: 64 letters."""
    return hashlib.sha256(b"%d %b %b" % (len(belongs_to), belongs_to.encode(), content)).hexdigest()


def own_content(file: Path, within: int | None = None, most: int | None = None) -> bytes:
    """The bytes of a file that only this user, or root, can have written.

    `within` is a descriptor of the folder that the path begins in. `OSError` where it cannot be
    read, is no file, others may have written it, or it has more than `most` bytes.
    """
    # Not to wait for a writer, should it be a pipe.
    mode = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(file, mode, dir_fd=within), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status):
            raise PermissionError(0, "others may have written it", str(file))
        if most is not None and status.st_size > most:
            raise OSError(0, "it is too large", str(file))
        return stream.read()


def keep_newest(folder: Path, pattern: str, most: int) -> None:
    """Remove the oldest of more files than that; another process may do so at the same time."""
    dated = []
    for file in folder.glob(pattern):
        with suppress(FileNotFoundError):
            dated.append((file.stat().st_mtime_ns, file))
    for _, file in sorted(dated)[:-most]:
        file.unlink(missing_ok=True)


def _document(content: bytes, belongs_to: str) -> bytes:
    """A document as it is in its file: JSON itself, of which every byte is known."""
    return b'{"seal":"%b","document":%b}' % (seal_of(content, belongs_to).encode(), content)
