"""What an answer must name, though the request does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep_kafka.findings import Verdict
from tests.kafka.conform.following import Findings, follow
from tests.kafka.simulated.damage.lines import fetch

P, Q = ("AAAAAAAAAAAAAAAAAAAAAQ", 0), ("AAAAAAAAAAAAAAAAAAAAAQ", 1)


def found(tmp_path: Path, *lines: str) -> Findings:
    file = tmp_path / "server.log"
    file.write_text("".join(f"{line}\n" for line in lines))
    return follow(file)


@pytest.mark.parametrize(("answers", "departs"), [({}, True), ({Q: 5}, False), ({Q: None}, False)])
def test_a_partition_that_had_an_error(
    tmp_path: Path, answers: dict[tuple[str, int], int | None], departs: bool
) -> None:
    """It is available again, or it is not: either is reported (227-D4)."""
    findings = found(
        tmp_path,
        fetch(1, (0, 0), asks={P: 5, Q: 5}, session=7, answers={P: 5, Q: None}),
        fetch(2, (7, 1), session=7, answers=answers),
    )
    assert [departure.side for departure in findings.departures] == ["broker"] * departs


@pytest.mark.parametrize(("answers", "departs"), [({}, True), ({Q: 5}, False)])
def test_a_partition_added_while_the_quota_was_exceeded(
    tmp_path: Path, answers: dict[tuple[str, int], int | None], departs: bool
) -> None:
    findings = found(
        tmp_path,
        fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}),
        fetch(2, (7, 1), asks={Q: 5}, session=7, throttle=100),
        fetch(3, (7, 2), session=7, answers=answers),
    )
    assert [departure.side for departure in findings.departures] == ["broker"] * departs


def test_a_session_that_ends_after_a_refusal_nobody_explains(tmp_path: Path) -> None:
    """Whether a later request overtook the one refused is not shown (227-D12)."""
    findings = found(
        tmp_path,
        fetch(1, (0, 0), asks={P: 5}, session=7, answers={P: 5}),
        fetch(2, (7, 1), session=7, error=71),
        fetch(3, (7, 0), asks={P: 5}, session=8, answers={P: 5}),
    )
    assert findings.of(7).broker_side.verdict is Verdict.UNKNOWN
