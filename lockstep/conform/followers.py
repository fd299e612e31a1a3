"""How logs are followed through a model: the function `observe` of `models/observed/MODEL.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import Finding, LoadModel, Observe
from lockstep.conform.pieces import Pieces
from lockstep.errors import LockstepError
from lockstep.language.inventory import FOLLOWERS
from lockstep.language.loader import Universe
from lockstep.language.source import ModelError, place_in
from lockstep.system.interruption import INTERRUPTION


def load_follower(root: Path, model: str) -> Observe:
    """The follower of a model of the workspace at `root`.

    `LockstepError` when the file cannot be loaded, or has no function `observe`. What the function
    raises, and what it gives that is no finding, is a `LockstepError`, too.
    """
    file, universe = _file(model), Universe(root, is_ordinary=True)
    observe: Observe | None = vars(_module(universe, file)).get("observe")
    if not callable(observe):
        raise LockstepError(
            f"{file} has no function observe",
            cure="write `def observe(logs, load, paths)`: it follows every session of some logs",
        )

    def follow(logs: Sequence[str], load: LoadModel, paths: BrokerPaths) -> Iterator[Finding]:
        try:
            findings = observe(logs, load, paths)
            if not isinstance(findings, Iterable):
                raise TypeError(f"observe gives {type(findings).__name__}, not findings")
            for finding in findings:
                if not isinstance(finding, Finding):
                    raise TypeError(f"observe gives {type(finding).__name__}, which is no finding")
                yield finding
        except (LockstepError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if INTERRUPTION.has_come:
                raise KeyboardInterrupt from error
            raise _failure(error, file, universe) from error

    return follow


def load_pieces(root: Path, model: str) -> Pieces:
    """The pieces of a model's follower, for a pipeline; `LockstepError` where one is missing."""
    file = _file(model)
    module = _module(Universe(root, is_ordinary=True), file)
    pieces = [name for name in (*vars(Pieces), *Pieces.__annotations__) if name[0] != "_"]
    missing = [name for name in pieces if not callable(vars(module).get(name))]
    if missing:
        raise LockstepError(
            f"{file} cannot be followed in pieces: it has no {', '.join(missing)}",
            cure="write what lockstep.conform.pieces.Pieces describes, or follow it by observe",
        )
    return cast(Pieces, module)


def _file(model: str) -> str:
    return f"{FOLLOWERS}/{model}.py"


def _module(universe: Universe, file: str) -> ModuleType:
    try:
        return universe.load(file.removesuffix(".py").replace("/", "."))
    except ModelError as error:
        cause = error.__cause__
        why = f"\n{error}" if cause is None else f" {type(cause).__name__}: {cause}"
        raise LockstepError(f"{file} cannot be loaded:{why}") from cause


def _failure(error: BaseException, file: str, universe: Universe) -> LockstepError:
    """What ended a follower, for the reader: a log it cannot read, or a mistake in its text."""
    if isinstance(error, OSError) and error.filename is not None:
        return LockstepError(f"{error.filename} cannot be read: {error.strerror or error}")
    place = place_in(error.__traceback__, universe.files)
    where = file if place is None else f"{place.file.relative_to(universe.root)}:{place.line}"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return LockstepError(
        f"{where}: this cannot go on: {what}",
        cure="mend the text, or let it raise a LockstepError that says what is wrong with the log",
    )
