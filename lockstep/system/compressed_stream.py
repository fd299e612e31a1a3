"""Streams compressed by gzip or zstd, read as far as they are whole, in constant memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import zstandard

_PIECE = 2**10
"""Compressed bytes that are taken at once: zstd may make 32,768 times as many of them."""

LONGEST_MAGIC = 4
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"
"""Stands behind one byte from 0x50 to 0x5f: a frame without content, which may come first."""


class DamagedStream(OSError):
    """A compressed stream is damaged or cut, and cannot be read on."""


class _Member(Protocol):
    """The decompression of one gzip member or zstd frame."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class Compression(NamedTuple):
    """How a stream is compressed."""

    name: str
    begin: Callable[[], _Member]
    padding: bytes
    """The bytes that may stand between members, and mean nothing."""


_GZIP = Compression("gzip", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), b"\0")
_ZSTD = Compression("zstd", lambda: zstandard.ZstdDecompressor().decompressobj(), b"")


def compression_of(beginning: bytes) -> Compression | None:
    """How a stream is compressed that begins so; None where it is not."""
    if beginning.startswith(_GZIP_MAGIC):
        return _GZIP
    is_skippable = beginning[1:4] == _ZSTD_SKIPPABLE and beginning[0] >> 4 == 5
    return _ZSTD if is_skippable or beginning.startswith(_ZSTD_MAGIC) else None


def decompressed(
    compression: Compression, block: bytes, next_block: Callable[[], bytes]
) -> Iterator[bytes]:
    """The content of a stream, piece by piece; `next_block` gives b"" at its end.

    `DamagedStream` after all that can be read. Python's readers would raise before that.
    """
    member: _Member | None = None
    for piece in _pieces(block, next_block):
        while piece:
            if member is None:
                piece = piece.lstrip(compression.padding)
                if not piece:
                    break
                member = compression.begin()
            try:
                content = member.decompress(piece)
            except (zlib.error, zstandard.ZstdError) as error:
                what = f"the {compression.name} stream is damaged and cannot be read on"
                raise DamagedStream(f"{what}: {error}") from error
            if content:
                yield content
            if not member.eof:
                break
            piece, member = member.unused_data, None
    if member is not None:
        what = f"the {compression.name} stream is cut short"
        raise DamagedStream(f"{what}: the file ends before it does")


def _pieces(block: bytes, next_block: Callable[[], bytes]) -> Iterator[bytes]:
    while block:
        for start in range(0, len(block), _PIECE):
            yield block[start : start + _PIECE]
        block = next_block()
