"""A sealed file is what was written, or it is refused; an interrupted write leaves the old one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from lockstep.system.sealed import (
    BrokenSeal,
    bytes_in,
    document_in,
    keep_newest,
    own_content,
    whole_file,
    write_bytes,
    write_document,
)


@dataclass(frozen=True)
class Level:
    """Something to be kept."""

    states: int
    names: tuple[str, ...]


LEVEL = Level(2**64 - 1, ("a", "ä"))


def test_a_document_comes_back_and_is_json(tmp_path: Path) -> None:
    file = tmp_path / "level.json"
    write_document(file, LEVEL, "a search")
    assert document_in(file.read_bytes(), Level, "a search") == LEVEL
    assert msgspec.json.decode(file.read_bytes())["document"] == vars(LEVEL) | {"names": ["a", "ä"]}
    assert list(tmp_path.iterdir()) == [file]


def test_bytes_come_back(tmp_path: Path) -> None:
    file = tmp_path / "code.o"
    write_bytes(file, b"\x00code\xff", "a digest", 0o600)
    assert bytes_in(file.read_bytes(), "a digest") == b"\x00code\xff"
    assert file.stat().st_mode & 0o777 == 0o600


def test_every_changed_byte_and_every_end_is_refused(tmp_path: Path) -> None:
    document, code = tmp_path / "document", tmp_path / "code"
    write_document(document, LEVEL, "one")
    write_bytes(code, b"code", "one")
    whole = document.read_bytes()
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        for damaged in (changed, whole[:place]):
            with pytest.raises(BrokenSeal):
                document_in(damaged, Level, "one")
    whole = code.read_bytes()
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        for damaged in (changed, whole[:place]):
            with pytest.raises(BrokenSeal):
                bytes_in(damaged, "one")


def test_what_belongs_to_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_document(file, LEVEL, "one")
    with pytest.raises(BrokenSeal, match="checksum"):
        document_in(file.read_bytes(), Level, "other")
    write_bytes(file, b"a b", "one")
    with pytest.raises(BrokenSeal, match="checksum"):
        bytes_in(file.read_bytes(), "one a")


def test_a_document_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_document(file, ["a"])
    with pytest.raises(BrokenSeal, match="cannot be read: Expected `object`"):
        document_in(file.read_bytes(), Level)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "file"
    write_bytes(file, b"first")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    where = os if call == "fsync" else Path
    monkeypatch.setattr(where, call, full)
    with pytest.raises(OSError, match="No space left"):
        write_bytes(file, b"second")
    assert bytes_in(file.read_bytes()) == b"first"
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_bytes(file, b"first")

    def write() -> None:
        with whole_file(file) as out:
            out.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert bytes_in(file.read_bytes()) == b"first"
    assert list(tmp_path.iterdir()) == [file]


def test_what_others_can_write_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_bytes(file, b"first", mode=0o644)
    assert bytes_in(own_content(file, most=100)) == b"first"
    with pytest.raises(OSError, match="too large"):
        own_content(file, most=10)
    file.chmod(0o666)
    with pytest.raises(PermissionError, match="others may have written it"):
        own_content(file)


def test_the_oldest_make_room(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.o").write_text("")
        os.utime(tmp_path / f"{number}.o", (number, number))
    keep_newest(tmp_path, "*.o", 2)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["2.o", "3.o"]
