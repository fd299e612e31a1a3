from __future__ import annotations

import os
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.system.java import find_java


def _fake_java(folder: Path, release: str, home: Path, exit_code: int = 0) -> Path:
    """A program that answers as a Java runtime of that release and home does."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        "cat >&2 <<'END'\n"
        "Property settings:\n"
        f"    java.home = {home}\n"
        f"    java.specification.version = {release}\n"
        "END\n"
        f"exit {exit_code}\n"
    )
    program.chmod(0o755)
    return program


def _only(monkeypatch: pytest.MonkeyPatch, *, home: Path | None, path: Path | None) -> None:
    if home is None:
        monkeypatch.delenv("JAVA_HOME", raising=False)
    else:
        monkeypatch.setenv("JAVA_HOME", str(home))
    # The fake runtimes need the shell's `cat`.
    monkeypatch.setenv("PATH", os.pathsep.join([str(path)] if path else []))


@pytest.fixture
def shell_tools(tmp_path: Path) -> Path:
    """A PATH entry with `cat` and no java."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cat").symlink_to("/bin/cat")
    return tools


def test_the_java_of_this_machine_is_found() -> None:
    java = find_java()
    assert java.is_file()
    assert java.parent.name == "bin"


def test_java_home_comes_before_path(
    tmp_path: Path, shell_tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    at_home = _fake_java(home, "21", home)
    (shell_tools / "java").symlink_to(_fake_java(tmp_path / "other", "17", tmp_path / "other"))
    _only(monkeypatch, home=home, path=shell_tools)
    assert find_java() == at_home


def test_an_old_java_home_gives_way_to_a_newer_one_on_path(
    tmp_path: Path, shell_tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_java(tmp_path / "old", "1.8", tmp_path / "old")
    newer = _fake_java(tmp_path / "newer", "17", tmp_path / "newer")
    (shell_tools / "java").symlink_to(newer)
    _only(monkeypatch, home=tmp_path / "old", path=shell_tools)
    assert find_java() == newer


def test_a_launcher_on_path_is_seen_through(
    tmp_path: Path, shell_tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _fake_java(tmp_path / "real", "17", tmp_path / "real")
    launcher = _fake_java(tmp_path / "launcher", "17", tmp_path / "real")
    (shell_tools / "java").symlink_to(launcher)
    _only(monkeypatch, home=None, path=shell_tools)
    assert find_java() == real


def test_no_java_is_one_sentence_and_its_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only(monkeypatch, home=None, path=tmp_path)
    with pytest.raises(LockstepError) as raised:
        find_java()
    assert raised.value.message == (
        "Java 17 or later is needed: JAVA_HOME is not set and PATH has no java."
    )
    assert raised.value.cure is not None
    assert "install" in raised.value.cure


def test_every_java_that_will_not_do_is_named_with_its_reason(
    tmp_path: Path, shell_tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = _fake_java(tmp_path / "old", "11", tmp_path / "old")
    (shell_tools / "java").symlink_to(old)
    _only(monkeypatch, home=tmp_path / "nowhere", path=shell_tools)
    with pytest.raises(LockstepError) as raised:
        find_java()
    assert str(tmp_path / "nowhere") in raised.value.message
    assert "which is not there" in raised.value.message
    assert "is Java 11" in raised.value.message
    assert "\n" not in raised.value.message


def test_a_java_that_does_not_start_is_no_java(
    tmp_path: Path, shell_tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_java(tmp_path / "broken", "17", tmp_path / "broken", exit_code=1)
    _only(monkeypatch, home=tmp_path / "broken", path=shell_tools)
    with pytest.raises(LockstepError, match="does not start"):
        find_java()
