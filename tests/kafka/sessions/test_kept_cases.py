"""Answers of the model are kept for later processes, and are the model's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.sessions.kept_cases import KeptCases
from lockstep_kafka.sessions.leader_cases import LeaderCases
from lockstep_kafka.sessions.session_model import SessionModel
from tests.kafka.columns.both import Found, found_in
from tests.kafka.conform.following import LOGS
from tests.kafka_models import fetch_session

LOG = LOGS / "cases" / "m4-isolation-level-not-looked-at.log.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path))
    return tmp_path / "cases"


def found() -> Found:
    return found_in([str(LOG)], BrokerPaths(None), in_columns=False)


def kept() -> KeptCases:
    return KeptCases(SessionModel(fetch_session).model)


def test_what_is_kept_is_not_asked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    explain = LeaderCases.explain

    def counted(cases: LeaderCases, *case: object) -> object:
        asked.append(case)
        return explain(cases, *case)  # type: ignore[arg-type]

    monkeypatch.setattr(LeaderCases, "explain", counted)
    first = found()
    (file,) = folder.iterdir()
    answers, times = kept().read(), len(asked)
    assert 0 < len(answers) <= times
    asked.clear()
    assert found() == first
    # Before a departure is reported the model is asked, whatever is kept.
    assert len(asked) == times - len(answers)
    file.write_bytes(file.read_bytes().replace(b"true", b"null", 1))
    assert kept().read() == {}
    assert found() == first
    assert kept().read() == answers


def test_a_user_without_a_cache_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", "~nobodyhere/x")
    found()
    assert kept().read() == {}


def test_what_others_may_have_written_is_not_believed(folder: Path) -> None:
    found()
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert kept().read() == {}


def test_a_changed_model_has_answers_of_its_own(folder: Path) -> None:
    found()
    other = SessionModel(lambda constants: fetch_session({**constants, "FOLLOWERS": ()}))
    assert KeptCases(other.model).read() == {}
    assert kept().read()
