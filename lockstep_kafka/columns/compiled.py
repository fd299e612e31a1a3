"""The loop over lines as machine code, kept on disk between runs."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.metadata import version
from operator import attrgetter

from lockstep.machine.code.machine import MachineCode, is_kept, kept_code
from lockstep.system.user_cache import cache_folder
from lockstep_kafka.columns.kernels.layout import MEMORY

_MANY_BYTES = 2**27
"""As many lines pay for compiling what follows them."""


class Kernel:
    """The loop; other threads go on while it runs."""

    def __init__(self, code: MachineCode) -> None:
        self._code = code  # or the function would be gone
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        self._function = kind(code.address("run"))
        self._answer = ctypes.c_int64()
        self._results = ctypes.byref(self._answer), ctypes.byref(ctypes.c_int64())

    def __call__(self, address: int) -> int:
        """Run it on the words of `MEMORY`, which stand at an address."""
        self._function(*self._results, address)
        return self._answer.value


def _sources() -> Iterator[bytes]:
    """What the kernel is made from, constants of other modules included."""
    package = resources.files("lockstep_kafka")
    kernels = package.joinpath("columns/kernels").iterdir()
    for file in sorted(kernels, key=attrgetter("name")):
        if file.name.endswith(".py"):
            yield file.read_bytes()
    for name in ("knowledge", "leader_case", "fetcher_cases"):
        yield package.joinpath(f"sessions/{name}.py").read_bytes()
    for name in ("fetch_fields", "arrival_order"):
        yield package.joinpath(f"files/{name}.py").read_bytes()


def _key() -> str:
    content = b"\0".join(_sources())
    return f"columns {hashlib.sha256(content).hexdigest()} {version('numba')}"


def is_compiled() -> bool:
    """Whether the kernel need not be compiled first, which takes some 20 seconds."""
    return is_kept(_key(), cache_folder() / "compiled")


def pays(size: int) -> bool:
    """Whether so many bytes of logs are followed in columns sooner than line by line."""
    return size >= _MANY_BYTES or is_compiled()


@cache
def kernel() -> Kernel:
    """The loop, compiled if that was not done on this machine yet."""

    def text() -> str:
        from lockstep_kafka.columns.kernels.run import module_text

        return module_text(MEMORY._fields[:-1])

    return Kernel(kept_code(_key(), text, cache_folder() / "compiled"))
