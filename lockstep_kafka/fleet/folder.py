"""The folder of a fleet's tables: whose it is, and that one run at a time writes to it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lockstep.errors import LockstepError, not_written

_ORIGIN = "_lockstep.json"
_LOCK = ".lock"
_SCRATCH = "_lockstep.new"


@dataclass(frozen=True)
class Origin:
    """What the tables are made of, which stays the same from run to run.

    `source` is `files`, or the topic. `broker_from` is the pattern that names brokers in paths,
    `format` is another one for each change of the tables' columns.
    """

    model: str
    source: str
    broker_from: str | None = None
    format: int = 4


@contextmanager
def tables_folder(folder: Path, origin: Origin) -> Iterator[None]:
    """Hold the folder for this run; it is made where it does not exist.

    `LockstepError` where another run holds it, where it holds something else than tables, or the
    tables are made of something else.
    """
    try:
        _refuse_others(folder, origin)
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise LockstepError(
            not_written(folder, error), cure="name a folder that can be written by --out"
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockstepError(
                f"another run writes to {folder}", cure="wait for its end, or name another --out"
            ) from None
        _refuse_others(folder, origin)
        _write(folder / _ORIGIN, origin)
        yield
    finally:
        os.close(lock)


def _refuse_others(folder: Path, origin: Origin) -> None:
    """`LockstepError` where the folder is not one of such tables."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise LockstepError(f"{folder} is no folder", cure="name a folder by --out")
    try:
        before = json.loads(folder.joinpath(_ORIGIN).read_text("utf-8"))
    except FileNotFoundError:
        if any(path.name not in (_LOCK, _SCRATCH) for path in folder.iterdir()):
            raise LockstepError(
                f"{folder} holds something else than the tables of a fleet",
                cure="name a new or empty folder by --out",
            ) from None
        return
    except ValueError as error:
        raise LockstepError(
            f"{folder / _ORIGIN} is damaged: {error}", cure="name another folder by --out"
        ) from None
    for name, now in asdict(origin).items():
        was = before.get(name) if isinstance(before, dict) else None
        if was != now:
            raise LockstepError(
                f"the tables in {folder} were made with the {name.replace('_', ' ')} {was!r}, "
                f"and not with {now!r}",
                cure="ask for the same again, or name another folder by --out",
            )


def _write(file: Path, origin: Origin) -> None:
    if file.exists():
        return
    scratch = file.with_name(_SCRATCH)
    scratch.write_text(json.dumps(asdict(origin), indent=2) + "\n", encoding="utf-8")
    os.replace(scratch, file)
