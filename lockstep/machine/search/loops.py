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

from lockstep.machine.code.machine import MachineCode, kept_code
from lockstep.machine.search.interface import KERNELS, kinds
from lockstep.machine.search.packed import Argument, as_word
from lockstep.system.user_cache import cache_folder

_SOURCES = (
    "interface.py",
    "kernel_parts.py",
    "kernels.py",
    "walk_kernel.py",
    "way_kernels.py",
    "graph_kernels.py",
    "run_kernels.py",
    "view_kernels.py",
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
    """All loops, for states of some number of words."""

    def __init__(self, code: MachineCode) -> None:
        self.expand = Loop("expand", code)
        self.distribute = Loop("distribute", code)
        self.insert = Loop("insert", code)
        self.check = Loop("check", code)
        self.move = Loop("move", code)
        self.predecessor = Loop("predecessor", code)
        self.shard_of_state = Loop("shard_of_state", code)
        self.walk = Loop("walk", code)


class WayLoops:
    """The loops that go back from a violation, for states of some number of words."""

    def __init__(self, code: MachineCode) -> None:
        self.judge_ends = Loop("judge_ends", code)
        self.lead_on = Loop("lead_on", code)
        self.fill_ways = Loop("fill_ways", code)


class GraphLoops:
    """The loops that make a graph, for states of some number of words."""

    def __init__(self, code: MachineCode) -> None:
        self.number_steps = Loop("number_steps", code)
        self.number_of = Loop("number_of", code)
        self.fill_table = Loop("fill_table", code)
        self.judge_states = Loop("judge_states", code)
        self.first_difference = Loop("first_difference", code)


class RunLoops:
    """The loops for runs, of rows of some number of words."""

    def __init__(self, code: MachineCode) -> None:
        self.sort = Loop("sort", code)
        self.unique = Loop("unique", code)
        self.subtract = Loop("subtract", code)
        self.unite = Loop("unite", code)
        self.hashes = Loop("hashes", code)
        self.ascends = Loop("ascends", code)


class ViewLoops:
    """The loop that numbers views of some number of words."""

    def __init__(self, code: MachineCode) -> None:
        self.number_views = Loop("number_views", code)


class InclusionLoops:
    """The loops that follow one graph through sets of states of another."""

    def __init__(self, code: MachineCode) -> None:
        self.mark_hiding = Loop("mark_hiding", code)
        self.follow = Loop("follow", code)
        self.fill_sets = Loop("fill_sets", code)


@cache
def loops_for(words: int) -> Loops:
    """The loops for states of so many words."""

    def text() -> str:
        from lockstep.machine.search.kernels import module_text

        return module_text(words)

    return Loops(_kept("loops", words, text))


@cache
def way_loops_for(words: int) -> WayLoops:
    """The loops that go back from a violation of states of so many words."""

    def text() -> str:
        from lockstep.machine.search.way_kernels import module_text

        return module_text(words)

    return WayLoops(_kept("way loops", words, text))


@cache
def graph_loops_for(words: int) -> GraphLoops:
    """The loops that make a graph of states of so many words."""

    def text() -> str:
        from lockstep.machine.search.graph_kernels import module_text

        return module_text(words)

    return GraphLoops(_kept("graph loops", words, text))


@cache
def run_loops_for(words: int) -> RunLoops:
    """The loops for runs of rows of so many words."""

    def text() -> str:
        from lockstep.machine.search.run_kernels import module_text

        return module_text(words)

    return RunLoops(_kept("run loops", words, text))


@cache
def view_loops_for(words: int) -> ViewLoops:
    """The loop for views of so many words."""

    def text() -> str:
        from lockstep.machine.search.view_kernels import module_text

        return module_text(words)

    return ViewLoops(_kept("view loops", words, text))


@cache
def inclusion_loops() -> InclusionLoops:
    """The loops for inclusion, which know states by their numbers alone."""

    def text() -> str:
        from lockstep.machine.search.inclusion_kernels import module_text

        return module_text()

    return InclusionLoops(_kept("inclusion loops", 1, text))


def _kept(what: str, words: int, text: Callable[[], str]) -> MachineCode:
    """Loops as machine code, made from the text if they are not kept."""
    here = Path(__file__).parent
    content = b"\0".join((here / source).read_bytes() for source in _SOURCES)
    key = f"{what} {words} {hashlib.sha256(content).hexdigest()} {version('numba')}"
    return kept_code(key, text, cache_folder() / "compiled")
