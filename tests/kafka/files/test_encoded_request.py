"""Requests as bytes and back."""

from __future__ import annotations

import random
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from lockstep.errors import LockstepError
from lockstep_kafka.files.lines import (
    FetchLine,
    OtherRequest,
    TopicPartition,
    decode_request,
    encode_request,
)
from tests.kafka.sessions.random_logs import SEEDS, some_log

OTHER = OtherRequest(7, "server.log", "PRODUCE", "a-b-0-1", -(2**31), "", None, 0.25, 2**32 - 1)


@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_there_and_back(seed: int) -> None:
    for line in some_log(random.Random(seed), 10):
        carried = decode_request(encode_request(line))
        assert carried == line
        if isinstance(carried, FetchLine):
            for names in (carried.partitions, carried.answered, carried.forgotten):
                assert {type(name) for name in names} <= {TopicPartition}


def test_another_request() -> None:
    assert decode_request(encode_request(OTHER)) == OTHER


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_bytes(data: st.DataObject) -> None:
    encoded = encode_request(OTHER)
    place = data.draw(st.integers(0, len(encoded) - 1))
    damaged = bytearray(encoded)
    damaged[place] ^= data.draw(st.integers(1, 255))
    for wrong in (bytes(damaged), encoded[:place], encoded + encoded[place:]):
        with pytest.raises(LockstepError, match=r"^these bytes are no encoded request: "):
            decode_request(wrong)


@pytest.mark.parametrize(
    "packed", [b"\xc0", b"\x93\xa5fetch\x01\x02", b"\x91\xa4what", b"\x91" * 5_000]
)
def test_bytes_of_something_else(packed: bytes) -> None:
    with pytest.raises(LockstepError, match=r"^these bytes are no encoded request: "):
        decode_request(crc32(packed).to_bytes(4, "big") + packed)


def test_a_file_whose_name_is_not_utf_8() -> None:
    with pytest.raises(LockstepError, match="is not UTF-8") as error:
        encode_request(structs.replace(OTHER, file="server\udcff.log"))
    assert error.value.cure
