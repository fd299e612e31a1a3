"""Requests as bytes, to be carried from one process to another."""

from __future__ import annotations

from zlib import crc32

from msgspec import DecodeError
from msgspec.msgpack import Decoder, Encoder

from lockstep.errors import LockstepError
from lockstep_kafka.files.fetch_line import FetchLine
from lockstep_kafka.files.other_lines import OtherRequest, Request

_SUM_SIZE = 4
_ENCODER = Encoder()
_DECODER: Decoder[Request] = Decoder(FetchLine | OtherRequest)


def encode_request(request: Request) -> bytes:
    """A check sum and the request as MessagePack: an array that begins with its kind.

    `LockstepError` where the name of its file is not UTF-8.
    """
    try:
        packed = _ENCODER.encode(request)
    except UnicodeEncodeError:
        raise LockstepError(
            f"{request.file!r} is not UTF-8: requests of this file cannot be carried on",
            cure="give the file another name",
        ) from None
    return crc32(packed).to_bytes(_SUM_SIZE, "big") + packed


def decode_request(encoded: bytes) -> Request:
    """The request that `encode_request` was given; `LockstepError` for any other bytes."""
    packed = memoryview(encoded)[_SUM_SIZE:]
    if crc32(packed) != int.from_bytes(encoded[:_SUM_SIZE], "big") or not packed:
        raise LockstepError("these bytes are no encoded request: their check sum is another one")
    try:
        return _DECODER.decode(packed)
    except (DecodeError, RecursionError) as error:
        raise LockstepError(f"these bytes are no encoded request: {error}") from None
