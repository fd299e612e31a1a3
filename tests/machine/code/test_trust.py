"""Machine code is read from where only this user can have put it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.machine.code.machine import is_kept, machine_code
from lockstep.system.user_cache import make_private
from tests.machine.code.test_machine import answer, module

SOMEBODY = 12345
"""A user's number that is not ours."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that keeps one module's code."""
    kept = tmp_path / "kept"
    machine_code(module(3), kept)
    return kept


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something belong to another user: for root really, for others as far as we ask."""
    if os.geteuid() == 0:
        os.chown(path, SOMEBODY, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_folders_are_made_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "kept"
    machine_code(module(1), folder)
    (file,) = folder.iterdir()
    for path, mode in ((folder.parent, 0o700), (folder, 0o700), (file, 0o600)):
        assert path.stat().st_mode & 0o777 == mode


def test_a_strict_umask_leaves_a_folder_of_use(tmp_path: Path) -> None:
    before = os.umask(0o777)
    try:
        make_private(tmp_path / "above" / "kept")
    finally:
        os.umask(before)
    assert (tmp_path / "above" / "kept").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.raises(LockstepError, match="other users can write to it") as caught:
        machine_code(module(3), folder)
    assert f"chmod go-w {folder}" in str(caught.value)
    folder.chmod(0o755)
    assert answer(machine_code(module(3), folder)) == 3


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(folder, monkeypatch)
    with pytest.raises(LockstepError, match="it belongs to another user"):
        machine_code(module(3), folder)


def test_a_link_to_such_a_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert answer(machine_code(module(3), tmp_path / "link")) == 3
    folder.chmod(0o777)
    with pytest.raises(LockstepError, match="other users can write to it"):
        machine_code(module(3), tmp_path / "link")


@pytest.mark.parametrize("kind", ["writable", "another's", "link", "pipe"])
def test_a_file_that_others_may_have_written_is_made_again(
    folder: Path, tmp_path: Path, kind: str
) -> None:
    (file,) = folder.iterdir()
    match kind:
        case "writable":
            file.chmod(0o666)
        case "another's":
            if os.geteuid() != 0:
                pytest.skip("only root can give a file away")
            os.chown(file, SOMEBODY, -1)
        case "link":
            file.rename(tmp_path / "elsewhere")
            file.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            file.unlink()
            os.mkfifo(file, 0o600)
    assert answer(machine_code(module(3), folder)) == 3
    status = file.lstat()
    assert (status.st_uid, status.st_mode) == (os.geteuid(), 0o100600), "it was replaced"


def test_a_folder_of_roots_may_be_read_by_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can own it")
    folder.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)
    assert is_kept(module(3), folder)
    assert answer(machine_code(module(3), folder)) == 3
