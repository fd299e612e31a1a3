"""What a follower knows, as bytes: compressed MessagePack behind a format and a check sum."""

from __future__ import annotations

from hashlib import blake2b

import zstandard
from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder

from lockstep.errors import LockstepError
from lockstep_kafka.files.arrival_order import OrderState
from lockstep_kafka.findings import LineCounts
from lockstep_kafka.sessions.broker import BrokerState

_MAGIC = b"lockstep follower\n"
_FORMAT = 9
"""Another one for each change of a type that a state is made of."""
_FORMAT_SIZE = 2
_SUM_SIZE = 16
_HEAD_SIZE = len(_MAGIC) + _FORMAT_SIZE + _SUM_SIZE
_CURE = "follow the broker's log from its beginning"


class FollowerState(Struct, array_like=True):
    """Everything that the follower of a broker knows."""

    broker: str
    position: int = -1
    followed: int = 0
    others: int = 0
    order: OrderState | None = None
    broker_state: BrokerState | None = None
    counts: list[LineCounts] = []


_ENCODER = Encoder()
_DECODER = Decoder(FollowerState)


def sealed_state(state: FollowerState) -> bytes:
    """The state as bytes."""
    packed = zstandard.ZstdCompressor(level=1).compress(_ENCODER.encode(state))
    return _MAGIC + _FORMAT.to_bytes(_FORMAT_SIZE, "big") + _sum(packed) + packed


def opened_state(sealed: bytes, broker: str) -> FollowerState:
    """The state that was sealed; `LockstepError` where it is damaged, or of another broker."""
    if not sealed.startswith(_MAGIC):
        raise LockstepError("these bytes are no state of a follower", cure=_CURE)
    number = int.from_bytes(sealed[len(_MAGIC) : len(_MAGIC) + _FORMAT_SIZE], "big")
    packed = sealed[_HEAD_SIZE:]
    is_whole = sealed[_HEAD_SIZE - _SUM_SIZE : _HEAD_SIZE] == _sum(packed)
    if number != _FORMAT:
        raise LockstepError(
            f"the follower's state has format {number}; this version reads format {_FORMAT}",
            cure=_CURE,
        )
    if not is_whole:
        raise LockstepError(
            "the follower's state is damaged: its check sum is another one", cure=_CURE
        )
    try:
        state = _DECODER.decode(zstandard.ZstdDecompressor().decompress(packed))
    except (zstandard.ZstdError, DecodeError) as error:
        raise LockstepError(f"the follower's state is damaged: {error}", cure=_CURE) from None
    if state.broker != broker:
        raise LockstepError(
            f"the follower's state is that of broker {state.broker!r}, not {broker!r}",
            cure="give each broker its own state",
        )
    return state


def _sum(packed: bytes) -> bytes:
    return blake2b(packed, digest_size=_SUM_SIZE).digest()
