"""`conform` from Python: a function from a request to a result."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.run import Watch
from lockstep.results.verdict import INTERRUPTED
from lockstep.workspace import Workspace, find_workspace
from lockstep_kafka.findings import Progress, Verdict
from lockstep_kafka.verbs.conform import ConformRequest, ConformResult, conform, shown_progress
from tests.kafka.conform.following import LOGS
from tests.kafka.conform.following import follow as follow_logs
from tests.kafka.conform.plain import follow_plainly

TURNSTILE = Path(__file__).parents[2] / "workspaces" / "turnstile"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root)
    follow_plainly(monkeypatch.setattr)
    monkeypatch.chdir(root)
    return find_workspace(root)


def follow(*lines: str, most: int | None = None) -> ConformResult:
    Path("a.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return conform(ConformRequest(("a.log",), most=most))


def test_every_finding_is_kept(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    result = follow("conforms conforms 1 c", "conforms departs 2 c", "other", *["word"] * 30)
    assert result.model == "turnstile"
    assert [session.session for session in result.sessions] == [2, 1]
    assert len(result.totals.lines.items) == 30
    assert result.totals.other_requests == 1
    assert result.exit_code == ExitCode.VIOLATED
    assert result.requirements["9-1"] == "Every entry shall be paid for."
    assert result.requirements["9-D1"] == "A jammed gate"
    assert capsys.readouterr() == ("", "")


def test_a_bound_on_what_is_kept(workspace: Workspace) -> None:
    result = follow(*["conforms departs 2 c"] * 5, *["word"] * 5, most=3)
    assert (len(result.sessions), len(result.totals.lines.items)) == (3, 3)
    assert (result.totals.departing.count, result.totals.lines.count) == (5, 5)


def test_logs_are_paths_or_names(workspace: Workspace) -> None:
    follow("conforms conforms 1 c")
    result = conform(ConformRequest((Path("a.log"), "a.log"), workspace=workspace))
    assert result.totals.read == 2


def test_a_file_that_cannot_be_read_does_not_silence_the_others(workspace: Workspace) -> None:
    follow("conforms conforms 1 c")
    result = conform(ConformRequest(("damaged.gz", "a.log")))
    assert [file.file for file in result.totals.files] == ["damaged.gz"]
    assert result.totals.sessions[Verdict.CONFORMS].count == 1
    assert result.exit_code == ExitCode.INCONCLUSIVE


def test_a_model_without_a_follower(workspace: Workspace) -> None:
    with pytest.raises(LockstepError, match="letters cannot be followed") as error:
        conform(ConformRequest((), model="letters"))
    assert error.value.cure == "name one of: turnstile"


def test_a_log_that_is_not_there(workspace: Workspace) -> None:
    with pytest.raises(LockstepError, match=r"there is no log no-such\.log"):
        conform(ConformRequest(("no-such.log",)))


def test_a_standard_input_that_is_closed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(LockstepError, match="standard input is closed"):
        conform(ConformRequest(("-",)))


def test_ctrl_c_keeps_what_was_read(workspace: Workspace) -> None:
    result = follow("conforms departs 1 c", "ctrl-c", "conforms departs 2 c")
    assert [session.session for session in result.sessions] == [1]
    assert result.is_interrupted
    assert result.exit_code == INTERRUPTED


def test_a_watch_is_informed_how_far_it_is(workspace: Workspace) -> None:
    notes = []

    class Noting(Watch):
        @contextmanager
        def steps(self, title: str) -> Iterator[Callable[[str], None]]:
            notes.append(title)
            yield notes.append

    Path("a.log").write_text("conforms conforms 1 c\nother\n", encoding="utf-8")
    conform(ConformRequest(("a.log",)), watch=Noting())
    assert notes == ["conform turnstile", "a.log  2 lines, 0 followed"]


@pytest.mark.parametrize(
    ("progress", "seconds", "shown"),
    [
        (Progress("a.log", 2_000, 1_900, 0), 9.0, ""),
        (Progress("a.log", 2_000, 1_900, 0, 30_000_000, 120_000_000), 1.0, ""),
        (Progress("a.log", 2_000, 1_900, 0, 0, 120_000_000), 9.0, ""),
        (
            Progress("a.log", 2_000, 1_900, 0, 30_000_000, 1_230_000_000),
            10.0,
            ", 30 of 1,230 MB, 3.0 MB/s, about 400 s left",
        ),
    ],
)
def test_progress_says_how_long_it_takes(progress: Progress, seconds: float, shown: str) -> None:
    assert shown_progress(progress, seconds) == f"a.log  2,000 lines, 1,900 followed{shown}"


def test_bytes_are_those_of_the_files_as_they_are_stored(tmp_path: Path) -> None:
    """Of all files, compressed ones among them, until all are read."""
    logs = [LOGS / "aiokafka.log", *sorted(LOGS.glob("cases/fa*.gz"))]
    size = sum(path.stat().st_size for path in logs)
    steps = [one for one in follow_logs(*logs).all if isinstance(one, Progress)]
    assert steps[-1].read_bytes == steps[-1].all_bytes == size
    log = tmp_path / "a.log"
    log.write_bytes(b"x\n" * 20_000)
    steps = [
        one for one in follow_logs(log, LOGS / "aiokafka.log").all if isinstance(one, Progress)
    ]
    done = [one.read_bytes for one in steps]
    assert done == sorted(done)
    assert 0 < done[0] <= log.stat().st_size < done[-1]
