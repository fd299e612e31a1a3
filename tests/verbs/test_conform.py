"""`conform` from Python: a function from a request to a result."""

from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.verbs.conform import ConformRequest, conform
from lockstep.workspace import find_workspace

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "data" / "request-log"


def test_logs_are_followed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    logs = (SAMPLES / "follower-fetch.log", SAMPLES / "java-consumer.log")
    result = conform(ConformRequest(logs, workspace=find_workspace(ROOT)))
    assert result.model == "fetch_session"
    assert [log.file for log in result.logs] == [str(log) for log in logs]
    assert [session.verdict for session in result.sessions] == ["conforms"] * 3
    assert result.totals == {
        "conforms": 3,
        "departs": 0,
        "unknown": 0,
        "lines": 200,
        "unused": 0,
        "reordered": 0,
    }
    assert result.exit_code is ExitCode.HOLDS
    assert capsys.readouterr() == ("", "")


def test_nothing_to_judge_is_inconclusive() -> None:
    log = SAMPLES / "fetch-snapshot-chunks.log"
    result = conform(ConformRequest((log,), workspace=find_workspace(ROOT)))
    assert (result.sessions, len(result.unused)) == ([], 6)
    assert result.exit_code is ExitCode.INCONCLUSIVE


def test_a_model_without_a_follower() -> None:
    request = ConformRequest((), model="session_cache", workspace=find_workspace(ROOT))
    with pytest.raises(LockstepError, match="session_cache cannot be followed") as error:
        conform(request)
    assert error.value.cure == "name one of: fetch_session"


def test_a_log_that_is_not_there() -> None:
    request = ConformRequest((Path("no-such.log"),), workspace=find_workspace(ROOT))
    with pytest.raises(LockstepError, match=r"no-such\.log cannot be read: No such file"):
        conform(request)
