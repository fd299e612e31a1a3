"""The code of users: a driver is found in its file, and its methods are called with care.

Whatever they raise is one line with the file and the line in it. A call that does not come back is
ended, what they print goes to standard error, and Ctrl-C is heeded though they may swallow it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from lockstep.drive.driver import NOT_DONE, Driver, Took
from lockstep.errors import LockstepError, nearest, unknown
from lockstep.system.extensions import DRIVERS, extensions, find_extension
from lockstep.system.interruption import INTERRUPTION
from lockstep.words import path_below, printable, shown_path

_OF_OTHERS = (
    "<frozen",
    f"{Path(__file__).parents[1]}{os.sep}",
    *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
)
"""Where files begin that are not the user's own."""

_A_DRIVER = "return an instance of a class that is a lockstep.drive.Driver"

CALL_SECONDS = 60.0
"""How long one call of a driver may take."""


class DriverError(LockstepError):
    """A mistake of a driver; the text has the file and the line."""


class _HungError(BaseException):
    """A call of a driver takes too long."""


class Guarded:
    """A driver whose calls end: what it raises is a `DriverError`, if it is no `LockstepError`.

    A call that takes longer than `seconds` is ended, where the process can be sent an alarm: in
    the main thread of a Unix system.
    """

    def __init__(self, driver: Driver, seconds: float = CALL_SECONDS) -> None:
        self.driver = driver
        self.name = type(driver).__name__
        self._seconds = seconds

    def for_model(self, name: str) -> None:
        """Go on with the driver that this one has for a model."""
        found = self._call("for_model", name)
        if not isinstance(found, Driver):
            text = f"for_model({name!r}) returned {found!r}"
            raise self.mistake(text, _A_DRIVER, "for_model")
        if found is not self.driver:
            self.close()
            self.driver = found

    def check(self, constants: Mapping[str, object]) -> None:
        """`LockstepError` where the driver cannot drive with these constants."""
        self._call("check", constants)

    def reset(self, constants: Mapping[str, object]) -> None:
        """Fresh software."""
        self._call("reset", constants)

    def do(self, stimulus: str, arguments: Mapping[str, object]) -> object:
        """None, `Took` or `NOT_DONE`, and nothing else."""
        answer = self._call("do", stimulus, arguments)
        if answer is None or answer is NOT_DONE or isinstance(answer, Took):
            return answer
        cure = "return None, NOT_DONE or Took(ACTION, NAME=VALUE)"
        raise self.mistake(f"do({stimulus!r}) returned {answer!r}", cure)

    def observe(self) -> Mapping[str, object]:
        """What can be seen, by the names of variables or of their parts."""
        observed = self._call("observe")
        if isinstance(observed, Mapping) and all(isinstance(key, str) for key in observed):
            return observed
        cure = "return a dict of what can be seen, by the names of variables"
        raise self.mistake(f"observe() returned {observed!r}", cure, "observe")

    def close(self) -> None:
        """Stop what the driver started."""
        self._call("close")

    def mistake(self, text: str, cure: str | None = None, method: str = "do") -> DriverError:
        """A mistake that is seen in what a method returned, or in what the class declares."""
        code = getattr(type(self.driver), method).__code__
        return DriverError(f"{_place(code.co_filename, code.co_firstlineno)}{text}", cure=cure)

    def _call(self, method: str, *arguments: object) -> Any:
        is_known = INTERRUPTION.has_come  # a run that was interrupted is still judged and closed
        try:
            with redirect_stdout(sys.stderr), _limited(self._seconds):
                result = getattr(self.driver, method)(*arguments)
        except KeyboardInterrupt:
            raise
        except _HungError as hung:
            what = f"{method} of {self.name} took longer than {self._seconds:g} s"
            raise DriverError(f"{_last_place(hung)}{what}") from None
        except BaseException as error:
            if not is_known:
                INTERRUPTION.heed()
            if isinstance(error, LockstepError):
                raise  # it is one line for the user already
            raise _raised(error, f"{method} of {self.name}") from error
        if not is_known:
            INTERRUPTION.heed()
        return result


def made(kind: Callable[[], Driver]) -> Driver:
    """A driver of a kind; `DriverError` for what its constructor raises."""
    try:
        with redirect_stdout(sys.stderr):
            return kind()
    except (KeyboardInterrupt, LockstepError):
        raise
    except BaseException as error:
        INTERRUPTION.heed()
        raise _raised(error, "making the driver") from error


@contextmanager
def closing(driver: Guarded) -> Iterator[None]:
    """Close a driver at the end; what that raises does not hide what ended the block."""
    try:
        yield
    except BaseException:
        with suppress(DriverError):
            driver.close()
        raise
    driver.close()


def ready_made(text: str) -> Callable[[], Driver] | None:
    """The driver that an installed package has under a name, as `NAME` or `NAME:OPTIONS`.

    None where none has it. What it is made with may raise `LockstepError`.
    """
    name = re.split("[:+]", text, maxsplit=1)[0]
    found = find_extension(DRIVERS, name)
    return None if found is None else partial(found, text[len(name) :])


def load_driver(name: str, folder: Path) -> type[Driver]:
    """The driver of `FILE.py`, or `FILE.py:NAME`, relative to a folder.

    The file is run once, and may import what is in `folder` or beside it. `LockstepError` where it
    is not there, raises something, or has no such class.
    """
    text, _, wanted = name.partition(".py:")
    file = (folder / (f"{text}.py" if wanted else name)).resolve()
    if not file.is_file():
        known = f"name a file of Python, FILE.py[:NAME], or one of {', '.join(extensions(DRIVERS))}"
        kind = re.split("[:+]", Path(name).name, maxsplit=1)[0]
        raise LockstepError(
            f"there is no driver {shown_path(file)}",
            cure=nearest(kind, extensions(DRIVERS), known),
        )
    module = _run(file, folder)
    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Driver) and value is not Driver
    }
    if wanted:
        if wanted not in own:
            raise unknown(f"{shown_path(file)} has no driver {wanted!r}", wanted, own, "it has")
        return own[wanted]
    here = {key: value for key, value in own.items() if value.__module__ == module.__name__}
    if len(here) != 1:
        named = ", ".join(f"{shown_path(file)}:{key}" for key in here)
        raise LockstepError(
            f"{shown_path(file)} has {len(here) or 'no'} drivers",
            cure=f"name one: {named}" if here else "write a class that is a lockstep.drive.Driver",
        )
    return next(iter(here.values()))


def _run(file: Path, folder: Path) -> ModuleType:
    """The module that a file is."""
    spec = importlib.util.spec_from_file_location(f"lockstep_driver_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise LockstepError(f"{file} cannot be run as Python")
    module = importlib.util.module_from_spec(spec)
    for place in (str(folder), str(file.parent)):
        if place not in sys.path:
            sys.path.insert(0, place)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        INTERRUPTION.heed()
        raise _raised(error, path_below(file, folder)) from error
    return module


def _raised(error: BaseException, what: str) -> DriverError:
    """What the code of users raised, in one line, with the last place in it."""
    place = _last_place(error)
    if isinstance(error, SyntaxError) and error.filename is not None:
        place = _place(error.filename, error.lineno or 1)
    text = printable(" ".join(str(error).split()))
    return DriverError(f"{place}{what} raised {type(error).__name__}{f': {text}' if text else ''}")


def _last_place(error: BaseException) -> str:
    """The last line of the user's code that was run."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_OF_OTHERS):
            place = _place(file, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _place(file: str, line: int) -> str:
    return f"{path_below(Path(file), Path.cwd())}:{line}: "


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_HungError` in the block when it takes too long."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return
    before = signal.signal(signal.SIGALRM, _hung)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _hung(_signal: int, _frame: FrameType | None) -> None:
    raise _HungError
