"""What is known of a quorum is saved with the rest; and without its models nothing is judged."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from lockstep_kafka.files.lines import Request, Skipped
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import RemarkFinding
from lockstep_kafka.quorum.models import QuorumModels
from lockstep_kafka.quorum.quorum_follower import QuorumFollower
from tests.kafka.conform.following import LOGS
from tests.kafka.quorum.quorum_logs import Damage, Document, follow_documents
from tests.kafka.quorum.test_elections import VOTER, two_leaders_claim, two_votes
from tests.kafka.quorum.test_fetch_snapshot import WHOLE, bytes_skipped, wrong_size
from tests.kafka.sessions.following import explanations
from tests.kafka.sessions.saving import follow


def requests_in(log: Path) -> list[Request]:
    return [line for line in read_request_log(log) if not isinstance(line, Skipped)]


@pytest.mark.parametrize(
    ("log", "damage"),
    [
        (WHOLE, None),
        (WHOLE, bytes_skipped),
        (WHOLE, wrong_size),
        (VOTER, two_votes),
        (VOTER, two_leaders_claim),
    ],
    ids=["whole", "bytes-skipped", "wrong-size", "two-votes", "two-leaders"],
)
def test_another_follower_goes_on_after_any_line(
    log: list[Document], damage: Damage | None, tmp_path: Path
) -> None:
    changed = deepcopy(log)
    if damage is not None:
        damage(changed)
    follow_documents(changed, tmp_path)
    requests = requests_in(tmp_path / "kafka-request.log")
    model = explanations()
    at_once = follow(model, requests)
    assert follow(model, requests, lambda _: True) == at_once
    remarks = [one for one in at_once.findings if isinstance(one, RemarkFinding)]
    assert bool(remarks) is (damage is not None)


def test_without_the_models_its_requests_are_others(tmp_path: Path) -> None:
    model = explanations()
    model.quorum = QuorumFollower(QuorumModels(tmp_path))
    following = follow(model, requests_in(LOGS / "fetch-snapshot-chunks.log"))
    assert (following.followed, following.others, following.findings) == (0, 6, [])
