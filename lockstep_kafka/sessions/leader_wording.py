"""Which rule says why a leader's answer for a partition is not explained."""

from __future__ import annotations

from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.rules import Arguments, Rule
from lockstep_kafka.sessions.leader_case import (
    BEYOND_ALL,
    FULL,
    OPEN,
    UNKNOWN,
    Answer,
    LeaderCase,
    Membership,
    Row,
)


def why(partition: TopicPartition, case: LeaderCase) -> tuple[Rule, Arguments]:
    """The rule by which a case departs, and what its sentence names."""
    named = {"partition": str(partition)}
    rule, arguments = _left_out(case) if case.answer is None else _answered(case, case.answer)
    return rule, named | arguments


def _left_out(case: LeaderCase) -> tuple[Rule, dict[str, str | int]]:
    """Why the response has to have a partition that it does not have."""
    least = case.least_high_watermark
    if case.row in FULL:
        without = case.row is Row.SESSIONLESS
        return Rule.SESSIONLESS_LEFT_OUT if without else Rule.CREATING_LEFT_OUT, {}
    if 0 <= case.high_watermark < least:
        return Rule.WATERMARK_LEFT_OUT, {"known": case.high_watermark, "watermark": least}
    if case.membership is Membership.ABSENT:
        return Rule.ADDED_LEFT_OUT, {}
    if case.high_watermark == UNKNOWN:
        return Rule.AVAILABLE_LEFT_OUT, {}
    return Rule.RECORDS_WITHHELD, _asked(case) | {"watermark": max(case.high_watermark, least)}


def _answered(case: LeaderCase, answer: Answer) -> tuple[Rule, dict[str, str | int]]:
    """Why the response cannot say of a partition what it says."""
    now, start = answer.high_watermark, answer.log_start
    if case.membership is Membership.ABSENT and case.requested == OPEN:
        return Rule.STRANGER_ANSWERED, {"asked": "request" if case.row in FULL else "session"}
    if case.is_forgotten:
        return Rule.REMOVED_ANSWERED, {}
    if answer.has_data and now < case.least_high_watermark:
        return Rule.WATERMARK_BACK, {"watermark": case.least_high_watermark, "now": now}
    if answer.has_data and start < case.least_log_start:
        return Rule.LOG_START_BACK, {"start": case.least_log_start, "now": start}
    if answer.has_data and now < 0:
        return Rule.WATERMARK_NEGATIVE, {"watermark": now}
    if answer.has_data and not 0 <= start <= now:
        return Rule.LOG_START_OUTSIDE, {"start": start, "watermark": now}
    if answer.has_records and not answer.has_data:
        return Rule.RECORDS_BESIDE_ERROR, {}
    if answer.has_records:
        return Rule.RECORDS_FROM_NOTHING, {}
    if (now, start) == (case.high_watermark, case.log_start):
        return Rule.UNCHANGED_ANSWERED, {}
    return Rule.RECORDS_WITHHELD, _asked(case) | {"watermark": now}


def _asked(case: LeaderCase) -> dict[str, str | int]:
    """The offset asked for, where it is known."""
    offset = case.offset if case.requested == OPEN else case.requested
    return {"offset": offset} if 0 <= offset < BEYOND_ALL else {}
