"""Behaviours that are chosen, so that every kind of answer reaches a client.

A step is a stimulus with those of its arguments that matter; the first one that the model offers is
given. `ANSWER` is whatever answer is in order; of a wrong leader it may be an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lockstep.drive.following import Following
from lockstep.drive.values import plain
from lockstep.plain.space import Instance


class Given(NamedTuple):
    """A step: the names that a stimulus may have, and arguments that it has."""

    names: tuple[str, ...]
    arguments: Mapping[str, object]


def _given(*names: str, **arguments: object) -> Given:
    return Given(names, arguments)


def _served(name: str) -> Sequence[Given]:
    return SEND, _given(name, via="AWAITED"), RECEIVE


SEND, RECEIVE = _given("send"), _given("receive")
ANSWER = _given(
    "serve_incremental",
    "serve_full_creating",
    "serve_sessionless",
    "serve_unknown_session",
    "serve_wrong_epoch",
    via="AWAITED",
)
GOES_ON = (SEND, ANSWER, RECEIVE)
OPENED = SEND, _given("serve_full_creating", "serve_sessionless", via="AWAITED"), RECEIVE
RECORD = _given("append", p="p1", end=1), _given("advance_high_watermark", p="p1", to=1)
FAIL, RECOVER = _given("fail_partition", p="p1"), _given("recover_partition", p="p1")
CUT = _given("disconnect", arrives=False)
LATE = _given("serve_incremental", via="STRAY")

BEHAVIOURS: Mapping[str, Sequence[Given]] = {
    "a session": OPENED,
    "records": (*OPENED, *RECORD, *_served("serve_incremental")),
    "no session, for a fetcher without one": _served("serve_full_without_session"),
    "no session, for a fetcher that gives one up": (
        *OPENED,
        SEND,
        CUT,
        *_served("serve_full_without_session"),
    ),
    "a throttled response": (*OPENED, *_served("serve_incremental_throttled")),
    "a session that is emptied": (*OPENED, *_served("serve_incremental_emptying")),
    "an unknown session": (
        *OPENED,
        SEND,
        _given("evict"),
        _given("serve_unknown_session"),
        RECEIVE,
    ),
    "a wrong epoch": (
        *OPENED,
        SEND,
        _given("duplicate"),
        LATE,
        _given("serve_wrong_epoch", via="AWAITED"),
        RECEIVE,
    ),
    "the wrong kind of topic ids": (*OPENED, *_served("serve_topic_id_error")),
    "a request that is lost": (*OPENED, SEND, CUT),
    "a response that is lost": (*OPENED, SEND, ANSWER, CUT),
    "a request that arrives late": (
        *OPENED,
        SEND,
        _given("disconnect", arrives=True),
        SEND,
        LATE,
        ANSWER,
        RECEIVE,
    ),
    "a partition that fails in a full response": (FAIL, *OPENED, RECOVER),
    "a partition that fails three times": (
        *OPENED,
        *(FAIL, *GOES_ON, RECOVER, *GOES_ON) * 3,
    ),
    "a client that starts again": (*OPENED, SEND, _given("restart_fetcher", arrives=False)),
}
"""By what reaches the client. After each it goes on for some requests."""
AFTER = 3


def along(following: Following, behaviour: Sequence[Given]) -> bool:
    """Drive along a behaviour; False where a step of it does not come up."""
    following.reset()
    for step in (*behaviour, *GOES_ON * AFTER, SEND):
        found = next(_offered(following, step), None)
        if found is None or following.do(found) is None:
            return False
    return True


def _offered(following: Following, step: Given) -> Iterator[Instance]:
    """The stimuli of a step that the model has an outcome for now."""
    stimuli, model = following.stimuli, following.model
    for name in step.names:
        parameters = stimuli.find(name).parameters
        if [one.name for one in parameters] == ["f"]:
            given = [(name, (f,)) for f in parameters[0].domain]
            yield from (one for one in given if following.offers(one))
            continue
        names = [one.name for one in model.action(name).parameters]
        for state in following.candidates:
            for found in stimuli.engine.instances(model.action(name), state):
                values = dict(zip(names, map(plain, found.parameters), strict=True))
                if step.arguments.items() <= values.items():
                    yield name, found.parameters
