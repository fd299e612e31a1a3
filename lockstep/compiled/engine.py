"""A model's machine code behind the interface of all engines, one state at a time.

Slow, for every state is translated there and back: it serves agreement tests and the rebuilding
of traces. `lockstep.levels` searches.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

from lockstep.compiled.machine import machine_code
from lockstep.compiled.program import Program, build_program
from lockstep.language.model import Model
from lockstep.language.notation import State

_Pointer = ctypes.POINTER(ctypes.c_uint64)


class CompiledFunctions:
    """The exported functions of a program, for Python."""

    def __init__(self, program: Program, folder: Path | None = None) -> None:
        self.program = program
        self.code = machine_code(program.text, folder)
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, _Pointer, _Pointer, _Pointer)
        self._expand = kind(self.code.address("expand"))
        self._out = (ctypes.c_uint64 * (program.layout.words * max(1, program.most_successors)))()
        self._fired = (ctypes.c_uint64 * len(program.model.actions))()

    def successors(self, state: State) -> list[State] | int:
        """Where each enabled action instance leads, or the site where there is no meaning."""
        words = self.program.layout.words
        packed = (ctypes.c_uint64 * words)(*self.program.layout.encode(state))
        count = self._expand(packed, self._out, self._fired)
        if count < 0:
            return int(-1 - count)
        return [
            self.program.layout.decode(self._out[index * words : (index + 1) * words])
            for index in range(count)
        ]


def compiled_functions(model: Model) -> CompiledFunctions:
    """Compile a model."""
    return CompiledFunctions(build_program(model))
