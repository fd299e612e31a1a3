"""The bytes of a file that may be compressed by gzip or zstd, in constant memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

import zstandard

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_GZIP_WINDOW_BITS = 16 + zlib.MAX_WBITS

_BLOCK = 64 * 2**10
_ZSTD_PIECE = 4 * 2**10
"""What zstd is given at once: it gives out all that comes of it, 32 KiB for each byte at worst."""


class Damaged(Exception):
    """The compressed stream cannot be read on."""


class _Stream(Protocol):
    """One gzip member, or one zstd frame."""

    @property
    def eof(self) -> bool:
        """Whether its end was reached."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What stands behind its end."""
        ...


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file, block by block; the content tells whether it is compressed, and how.

    A file of several gzip members or zstd frames is read to its end. Raises `Damaged` after what
    could be read of a compressed stream that is damaged or cut, and `OSError`.
    """
    block = next_block(file)
    while block and len(block) < len(_ZSTD_MAGIC) and _may_be_compressed(block):
        more = next_block(file)
        if not more:
            break
        block += more
    if block.startswith(_GZIP_MAGIC):
        yield from _gunzipped(block, file)
    elif block.startswith(_ZSTD_MAGIC):
        yield from _unzstd(block, file)
    else:
        while block:
            yield block
            block = next_block(file)


def is_compressed(beginning: bytes) -> bool:
    """Whether a file that begins so is compressed."""
    return beginning.startswith((_GZIP_MAGIC, _ZSTD_MAGIC))


def next_block(file: BinaryIO) -> bytes:
    """The next bytes of a file as they stand there; `read` would wait for a pipe to fill them."""
    return file.read1(_BLOCK)  # type: ignore[attr-defined, no-any-return]


def _may_be_compressed(beginning: bytes) -> bool:
    return _GZIP_MAGIC.startswith(beginning[:2]) or _ZSTD_MAGIC.startswith(beginning)


def _gunzipped(compressed: bytes, file: BinaryIO) -> Iterator[bytes]:
    # Python's gzip module raises at the cut of a stream and takes the last whole lines with it.
    while compressed:
        member = zlib.decompressobj(_GZIP_WINDOW_BITS)
        while compressed and not member.eof:
            try:
                block = member.decompress(compressed, _BLOCK)
            except zlib.error as error:
                raise Damaged(
                    f"the gzip stream is damaged and cannot be read on: {error}"
                ) from error
            if block:
                yield block
            compressed = member.unconsumed_tail or (b"" if member.eof else next_block(file))
        if rest := member.flush():
            yield rest
        # Zeros may pad the end of a member.
        compressed = _next_stream(member, file, "gzip").lstrip(b"\0")
        while not compressed and (more := next_block(file)):
            compressed = more.lstrip(b"\0")


def _unzstd(compressed: bytes, file: BinaryIO) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor()
    while compressed:
        frame = decompressor.decompressobj()
        while compressed and not frame.eof:
            piece, compressed = compressed[:_ZSTD_PIECE], compressed[_ZSTD_PIECE:]
            try:
                block = frame.decompress(piece)
            except zstandard.ZstdError as error:
                raise Damaged(
                    f"the zstd stream is damaged and cannot be read on: {error}"
                ) from error
            if block:
                yield block
            if not frame.eof:
                compressed = compressed or next_block(file)
        compressed = _next_stream(frame, file, "zstd", compressed)


def _next_stream(stream: _Stream, file: BinaryIO, kind: str, behind: bytes = b"") -> bytes:
    """What stands behind a member or frame that has come to its end."""
    if not stream.eof:
        raise Damaged(f"the {kind} stream is cut short: the file ends before it does")
    return stream.unused_data + behind or next_block(file)
