"""One thing of one request or response of a behaviour is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lockstep import replace as with_fields
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.behaviours import Exchange


@dataclass(frozen=True)
class Change:
    """What was changed, and the exchange that came of it."""

    kind: str
    exchange: Exchange


def changes(exchange: Exchange, scope: Scope, records: Any) -> Iterator[Change]:
    """Every change of one thing; `records` is the model's module of partitions."""
    yield from _of_request(exchange, scope, records)
    yield from _of_response(exchange, scope, records)


def _of_request(exchange: Exchange, scope: Scope, records: Any) -> Iterator[Change]:
    request = exchange.request

    def changed(kind: str, **fields: Any) -> Change:
        after = with_fields(request, **fields)
        # Each id is drawn once: it is the place of its session.
        return Change(
            f"request: {kind}", replace(exchange, request=after, session=after.session_id)
        )

    for epoch in (request.epoch - 1, request.epoch + 1, -1, 0):
        if epoch != request.epoch and -1 <= epoch <= scope.max_epoch:
            yield changed(f"epoch {_sign(request.epoch)} to {_sign(epoch)}", epoch=epoch)
    for session in (0, *scope.session_ids):
        if session != request.session_id:
            yield changed("session", session_id=session)
    for p, interest in request.partitions.items():
        for other in (None, *_interests(scope, records)):
            if other != interest:
                partitions = {**dict(request.partitions.items()), p: other}
                yield changed("partitions", partitions=partitions)
        yield changed("forgotten", forgotten=set(request.forgotten) ^ {p})


def _of_response(exchange: Exchange, scope: Scope, records: Any) -> Iterator[Change]:
    response = exchange.response

    def changed(kind: str, **fields: Any) -> Change:
        after = with_fields(response, **fields)
        return Change(
            f"response: {kind}",
            replace(exchange, response=after, response_session=after.session_id),
        )

    for error in type(response.error):
        if error is not response.error:
            yield changed("error", error=error)
    for session in (0, *scope.session_ids):
        if session != response.session_id:
            yield changed("session", session_id=session)
    for p, answer in response.partitions.items():
        for other in (None, *_answers(scope, records)):
            if other != answer:
                partitions = {**dict(response.partitions.items()), p: other}
                yield changed(f"answer {_of(answer)} to {_of(other)}", partitions=partitions)


def _interests(scope: Scope, records: Any) -> Iterator[Any]:
    for offset in range(scope.max_offset + 1):
        for size in range(scope.max_bytes + 1):
            yield records.Interest(
                fetch_offset=offset,
                log_start_offset=-1,
                partition_max_bytes=size,
                current_leader_epoch=-1,
                last_fetched_epoch=-1,
            )


def _answers(scope: Scope, records: Any) -> Iterator[Any]:
    yield records.Answer(failed=True, high_watermark=-1, log_start_offset=-1, records=False)
    for high_watermark in range(scope.max_offset + 1):
        for log_start in range(high_watermark + 1):
            for has_records in (False, True):
                yield records.Answer(
                    failed=False,
                    high_watermark=high_watermark,
                    log_start_offset=log_start,
                    records=has_records,
                )


def _sign(epoch: int) -> str:
    return "N" if epoch > 0 else str(epoch)


def _of(answer: Any) -> str:
    if answer is None:
        return "none"
    if answer.failed:
        return "an error"
    return "records" if answer.records else "offsets"
