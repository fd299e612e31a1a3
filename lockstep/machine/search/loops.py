"""The kernels of the search as machine code in this process.

They are the same for all models, and made once for each number of words that a state has, this
processor and these versions; then kept on disk, so that no later search needs numba.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lockstep.machine.code.machine import MachineCode, kept_code
from lockstep.machine.search.interface import KERNELS, Argument, as_word, kinds
from lockstep.system.user_cache import cache_folder

_SOURCES = (
    "interface.py",
    "kernel_parts.py",
    "kernels.py",
    "graph_kernels.py",
    "run_kernels.py",
    "inclusion_kernels.py",
)
"""What the kernels are made from."""


class Loop:
    """One loop; other threads go on while it runs."""

    def __init__(self, name: str, code: MachineCode) -> None:
        self._parameters = kinds(KERNELS[name])
        self._code = code  # or the function would be gone
        numbers = [ctypes.c_int64] * len(self._parameters)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, *numbers)
        self._function = kind(code.address(name))

    def __call__(self, *arguments: Argument) -> int:
        """Run it with the arguments that `KERNELS` names."""
        words = [
            as_word(argument, name, kind)
            for argument, (name, kind) in zip(arguments, self._parameters.items(), strict=True)
        ]
        answer, unused = ctypes.c_int64(), ctypes.c_int64()
        self._function(ctypes.byref(answer), ctypes.byref(unused), *words)
        return answer.value


class Loops:
    """Some loops of `KERNELS`, each an attribute by its name."""

    def __init__(self, code: MachineCode) -> None:
        self._code = code

    def __getattr__(self, name: str) -> Loop:
        loop = Loop(name, self._code)
        setattr(self, name, loop)
        return loop


@cache
def loops_for(what: str, *words: int) -> Loops:
    """Some loops, made if they are not kept; those of states or rows for so many words of each.

    They are those of a `search`, of the `ways` back from a violation, of a `graph`, of `runs` of
    rows, and of `views`. Those of `inclusion` and of `parts` know states by their numbers alone.
    """

    def text() -> str:
        from lockstep.machine.search.graph_kernels import graph_kernels, part_kernels, view_kernels
        from lockstep.machine.search.inclusion_kernels import inclusion_kernels
        from lockstep.machine.search.kernel_parts import linked
        from lockstep.machine.search.kernels import search_kernels
        from lockstep.machine.search.run_kernels import run_kernels, way_kernels

        kernels: dict[str, Callable[..., dict[str, Callable[..., Any]]]] = {
            "graph": graph_kernels,
            "inclusion": inclusion_kernels,
            "parts": part_kernels,
            "runs": run_kernels,
            "search": search_kernels,
            "views": view_kernels,
            "ways": way_kernels,
        }
        return linked(kernels[what](*words))

    here = Path(__file__).parent
    content = b"\0".join((here / source).read_bytes() for source in _SOURCES)
    key = f"{what} loops {words} {hashlib.sha256(content).hexdigest()} {version('numba')}"
    return Loops(kept_code(key, text, cache_folder() / "compiled"))
