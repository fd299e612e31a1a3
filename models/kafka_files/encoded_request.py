"""Requests as bytes, to be carried from one process to another."""

from __future__ import annotations

from msgspec import DecodeError
from msgspec.msgpack import Decoder, Encoder

from lockstep.errors import LockstepError
from models.kafka_files.fetch_line import FetchLine
from models.kafka_files.other_lines import OtherRequest, Request

_ENCODER = Encoder()
_DECODER: Decoder[Request] = Decoder(FetchLine | OtherRequest)


def encode_request(request: Request) -> bytes:
    """The request as MessagePack: an array that begins with the kind of the request."""
    return _ENCODER.encode(request)


def decode_request(encoded: bytes) -> Request:
    """The request that `encode_request` was given; `LockstepError` for any other bytes."""
    try:
        return _DECODER.decode(encoded)
    except (DecodeError, RecursionError) as error:
        raise LockstepError(f"these bytes are no encoded request: {error}") from None
