"""Why a leader's answer for a partition is not explained, in the words of the protocol."""

from __future__ import annotations

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.sessions.leader_case import (
    FULL,
    OPEN,
    UNKNOWN,
    LeaderCase,
    Membership,
    Row,
)

_LEFT_OUT = "227-13"


def why(partition: TopicPartition, case: LeaderCase) -> tuple[str, tuple[str, ...]]:
    """Why a case is not explained, in the words of the protocol, and the requirements broken."""
    answer = case.answer
    least_high, least_start = case.least_high_watermark, case.least_log_start
    if answer is None:
        if case.row in FULL:
            row = "227-34" if case.row is Row.SESSIONLESS else "227-36"
            return f"{partition} is asked for, but not answered", (row, "227-66")
        if 0 <= case.high_watermark < least_high:
            return (
                f"{partition} is left out: its fetcher knows high watermark {case.high_watermark}, "
                f"and another one was sent {least_high} before",
                (_LEFT_OUT, "227-52"),
            )
        if case.membership is Membership.ABSENT:
            return f"{partition} is added to the session, but not answered", (_LEFT_OUT,)
        if case.high_watermark == UNKNOWN:
            return f"{partition} is available again, but not answered", (_LEFT_OUT,)
        offset = case.offset if case.requested == OPEN else case.requested
        return (
            f"no records are returned, although {partition} has some at offset {offset}: its high "
            f"watermark is {max(case.high_watermark, least_high)}",
            ("227-56",),
        )
    if case.membership is Membership.ABSENT and case.requested == OPEN:
        whose = "request" if case.row in FULL else "session"
        return f"{partition} is answered, but the {whose} does not have it", ("227-9",)
    if case.is_forgotten:
        return f"{partition} is answered, but the request removes it", ("227-44",)
    if answer.has_data and answer.high_watermark < least_high:
        return (
            f"the high watermark of {partition} goes back from {least_high} to "
            f"{answer.high_watermark}",
            ("227-12",),
        )
    if answer.has_data and answer.log_start < least_start:
        return (
            f"the log start of {partition} goes back from {least_start} to {answer.log_start}",
            ("227-12",),
        )
    if answer.has_data and answer.high_watermark < 0:
        return f"{partition} is answered with high watermark {answer.high_watermark}", ("227-12",)
    if answer.has_data and not 0 <= answer.log_start <= answer.high_watermark:
        return (
            f"{partition} is answered with log start {answer.log_start} and high watermark "
            f"{answer.high_watermark}",
            ("227-12",),
        )
    if answer.has_records and not answer.has_data:
        return f"records of {partition} are returned beside an error or a hint", ("227-52",)
    if answer.has_records:
        return f"records are returned of {partition}, which has none to return", ("227-12",)
    if (answer.high_watermark, answer.log_start) == (case.high_watermark, case.log_start):
        return (
            f"{partition} is answered, although nothing about it changed and it has no records",
            ("227-52",),
        )
    return (
        f"no records are returned, although {partition} has some at the offset asked for: its high "
        f"watermark is {answer.high_watermark}",
        ("227-56",),
    )
