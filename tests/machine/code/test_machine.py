"""Machine code is kept between runs, and what is kept is never wrong."""

import ctypes
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lockstep.machine.code import machine
from lockstep.machine.code.machine import MachineCode, is_kept, kept_code, machine_code


def module(answer: int) -> str:
    return f"define i64 @answer() {{\n  ret i64 {answer}\n}}\n"


def answer(code: MachineCode) -> int:
    function: Callable[[], int] = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("answer"))
    return function()


def never() -> str:
    raise AssertionError("it is kept")


def test_text_is_asked_for_once(tmp_path: Path) -> None:
    assert answer(kept_code("key", lambda: module(7), tmp_path)) == 7
    assert answer(kept_code("key", never, tmp_path)) == 7
    assert answer(kept_code("another key", lambda: module(8), tmp_path)) == 8


def test_two_that_need_the_same_translate_it_once(tmp_path: Path) -> None:
    asked: list[str] = []
    meeting = threading.Barrier(2)

    def text() -> str:
        asked.append("text")
        time.sleep(0.2)  # until the other waits for it
        return module(9)

    def code() -> int:
        meeting.wait()
        return answer(kept_code("key", text, tmp_path))

    with ThreadPoolExecutor(2) as pool:
        assert [future.result() for future in [pool.submit(code) for _ in range(2)]] == [9, 9]
    assert asked == ["text"]
    assert [file.suffix for file in tmp_path.iterdir()] == [".o"]


def test_code_that_is_there_soon_is_left_for_better_code_by_many_states(tmp_path: Path) -> None:
    soon = machine_code(module(6), tmp_path, soon=True)
    assert answer(soon) == 6
    assert soon.suited_to(machine.SOON_STATES - 1) is soon
    assert not is_kept(module(6), tmp_path)
    better = soon.suited_to(machine.SOON_STATES)
    assert (better is soon, answer(better)) == (False, 6)
    assert is_kept(module(6), tmp_path)
    kept = machine_code(module(6), tmp_path, soon=True)
    assert kept.suited_to(10**9) is kept


def test_another_text_is_another_file(tmp_path: Path) -> None:
    assert answer(machine_code(module(1), tmp_path)) == 1
    assert is_kept(module(1), tmp_path)
    assert not is_kept(module(2), tmp_path)
    assert answer(machine_code(module(2), tmp_path)) == 2


def file_of(text: str, folder: Path) -> Path:
    """The file that keeps the machine code of a module."""
    before = set(folder.iterdir()) if folder.exists() else set()
    machine_code(text, folder)
    (file,) = set(folder.iterdir()) - before
    return file


def test_a_file_is_nothing_under_the_name_of_another(tmp_path: Path) -> None:
    three, five = file_of(module(3), tmp_path), file_of(module(5), tmp_path)
    three.write_bytes(five.read_bytes())
    assert answer(machine_code(module(3), tmp_path)) == 3
    assert answer(machine_code(module(5), tmp_path)) == 5


@pytest.mark.parametrize("keep", [0, 10, 30, -1])
def test_a_damaged_file_is_made_again(tmp_path: Path, keep: int) -> None:
    machine_code(module(3), tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:keep])
    assert answer(machine_code(module(3), tmp_path)) == 3
    assert file.read_bytes() == whole
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert answer(machine_code(module(3), tmp_path)) == 3


def test_what_was_not_used_for_longest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_MOST_FILES", 2)
    for number in (1, 2):
        machine_code(module(number), tmp_path)
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    machine_code(module(1), tmp_path)
    machine_code(module(3), tmp_path)
    assert [is_kept(module(number), tmp_path) for number in (1, 2, 3)] == [True, False, True]


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert answer(machine_code(module(4), file / "folder")) == 4
