"""A program made of functions that were translated apart, so that few are translated again.

A model that differs from another in some functions has the machine code of the other's for the
rest. The functions of one translation are called `NUMBER.NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.totality import work
from lockstep.machine.code.body import I64, POINTER, Body, word
from lockstep.machine.code.functions import FunctionBuilder, Site
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program, first_labels, link
from lockstep.machine.code.state import state_layout


@dataclass(frozen=True)
class Part:
    """A function in machine code. A failure in it has the number of one of `sites`."""

    address: int
    sites: tuple[Site, ...]


@dataclass(frozen=True)
class Parts:
    """Every function of a model, each by itself; actions and properties in the model's order."""

    actions: tuple[Part, ...]
    properties: tuple[Part, ...]
    codes: tuple[MachineCode, ...]
    """What the functions live in."""


@dataclass(frozen=True)
class Translation:
    """Some functions of a model as one LLVM module."""

    text: str
    sites: tuple[Site, ...]

    def parts(self, code: MachineCode, functions: Iterable[tuple[int, str]]) -> dict[int, Part]:
        """The functions by their numbers."""
        return {
            number: Part(code.address(f"{number}.{name}"), self.sites) for number, name in functions
        }


def translate(model: Model, code: ir.ModelCode, numbers: Collection[int]) -> Translation:
    """Translate the functions of some numbers, which count actions first and then properties.

    `NotCompiled` when something in them has no machine form in this scope.
    """
    layout = state_layout(model.state, model.variables)
    labels = first_labels(code)
    module = llvm.Module(name=model.name)
    builder = FunctionBuilder(module, layout, dict(code.variables))
    try:
        for number in sorted(numbers):
            made = builder.function(code, number, labels)
            made.linkage = ""
    except RecursionError:
        raise NotCompiled("an expression of it is nested too deeply") from None
    return Translation(str(module), tuple(builder.sites))


def linked_program(
    model: Model, parts: Parts, among: Callable[[int], bool] = lambda _: True
) -> Program:
    """The program of a model; of its actions `among` the numbers of which it is true."""
    code = lower(model)
    layout = state_layout(model.state, model.variables)
    linker = _Linker(model.name)
    functions = [
        linker.function(number, function.name, part)
        for number, (part, function) in enumerate(
            zip((*parts.actions, *parts.properties), code.functions, strict=True)
        )
        if number >= len(code.actions) or among(number)
    ]
    count = len(functions) - len(code.properties)
    of_state, of_step = link(
        linker.module, code, functions[:count], functions[count:], layout.words
    )
    return Program(
        model,
        layout,
        linker.text,
        first_labels(code),
        tuple(linker.sites),
        of_step,
        of_state,
        work=work(code),
    )


class _Linker:
    """A module whose functions call parts by their addresses."""

    def __init__(self, name: str) -> None:
        self.module = llvm.Module(name=name)
        self.sites: list[Site] = []
        self._begins: dict[int, int] = {}

    @property
    def text(self) -> str:
        """The module as text."""
        return str(self.module)

    def function(self, number: int, name: str, part: Part) -> llvm.Function:
        """A function that calls a part."""
        kind = llvm.FunctionType(I64, [POINTER] * 3)
        function = llvm.Function(self.module, kind, f"{number}.{name}")
        function.linkage = "internal"
        body = Body(function)
        builder, called = body.builder, kind.as_pointer()
        result = builder.call(builder.inttoptr(word(part.address), called), function.args)
        failed = builder.icmp_signed("<", result, word(0))
        begin = self._begin(part.sites)
        builder.ret(builder.select(failed, builder.sub(result, word(begin)), result))
        body.finish()
        return function

    def _begin(self, sites: tuple[Site, ...]) -> int:
        """The number of the first site of a translation among those of the program."""
        if id(sites) not in self._begins:
            self._begins[id(sites)] = len(self.sites)
            self.sites += sites
        return self._begins[id(sites)]
