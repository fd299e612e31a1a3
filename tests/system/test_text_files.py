"""Text files that are written whole or not at all, and what is no file and stays what it is."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from lockstep.errors import LockstepError
from lockstep.system.text_files import write_text


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "page.html"
    write_text(file, "first")
    write_text(file, "second")
    assert file.read_text(encoding="utf-8") == "second"
    assert list(file.parent.iterdir()) == [file]


def test_a_name_may_be_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 255)
    write_text(file, "page")
    assert file.read_text(encoding="utf-8") == "page"


def test_a_full_device_is_reported_and_stays_a_device(tmp_path: Path) -> None:
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    with pytest.raises(LockstepError, match="full cannot be written: No space left on device"):
        write_text(link, "page")
    assert link.is_symlink()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_text(pipe, "page")
    reader.join(timeout=30)
    assert read == ["page"]
    assert pipe.is_fifo()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(LockstepError, match="cannot be written: Is a directory"):
        write_text(tmp_path, "page")
