"""A program made of functions that were translated apart, so that few are translated anew.

A model that differs from another in some functions has the machine code of the other's for the
rest. The functions of one translation are called `NUMBER.NAME`, and each is given what it is in
`graph_program`: an action writes labels, a `leads_to` makes pledges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.endless import work
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.machine.code.body import I64, POINTER, Body, word
from lockstep.machine.code.functions import FunctionBuilder, Site
from lockstep.machine.code.graph_program import GraphProgram, link_graph
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import MAX_SUCCESSORS, Program, bindings, link
from lockstep.machine.code.state import StateLayout, state_layout


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
    first_labels = _first_labels(code)
    module = llvm.Module(name=model.name)
    builder = FunctionBuilder(module, layout, dict(code.variables))
    try:
        for number, function in enumerate(code.functions):
            if number not in numbers:
                continue
            if isinstance(function, ir.ActionCode):
                made = builder.action(number, function, first_labels[number])
            elif function.kind is Kind.LEADS_TO:
                made = builder.pledges(number, function)
            else:
                made = builder.property(number, function)
            made.linkage = ""
    except RecursionError:
        raise NotCompiled("an expression of it is nested too deeply") from None
    return Translation(str(module), tuple(builder.sites))


def linked_program(model: Model, parts: Parts) -> Program:
    """The program of a model's search, without what must come to pass."""
    safety, code, layout = model.without(Kind.LEADS_TO), lower(model), _layout(model)
    kept = [
        (part, prop)
        for part, prop in zip(parts.properties, code.properties, strict=True)
        if prop.kind is not Kind.LEADS_TO
    ]
    is_kept = [prop.kind is not Kind.LEADS_TO for prop in code.properties]
    numbers = accumulate([True] * len(code.actions) + is_kept, initial=0)
    linker = _Linker(model.name, list(numbers))
    most = _first_labels(code)[-1]
    labels = linker.scratch(most)
    actions = [
        linker.function(number, action.name, part, pointers=2, last=labels)
        for number, (part, action) in enumerate(zip(parts.actions, code.actions, strict=True))
    ]
    properties = [
        linker.function(len(actions) + number, prop.name, part, pointers=3)
        for number, (part, prop) in enumerate(kept)
    ]
    code = replace(code, properties=tuple(prop for _, prop in kept))
    of_state, of_step = link(linker.module, code, actions, properties, layout.words)
    return Program(
        safety, layout, linker.text, most, tuple(linker.sites), of_step, of_state, None, work(code)
    )


def linked_graph(
    model: Model, parts: Parts, among: Callable[[int], bool] = lambda _: True
) -> GraphProgram:
    """The program of a model's graph; of the actions `among` the numbers of which it is true."""
    code, layout = lower(model), _layout(model)
    linker = _Linker(model.name, range(len(code.functions)))
    actions = [
        linker.function(number, action.name, part, pointers=3)
        for number, (part, action) in enumerate(zip(parts.actions, code.actions, strict=True))
        if among(number)
    ]
    pledges = [
        linker.function(len(code.actions) + number, prop.name, part, pointers=3)
        for number, (part, prop) in enumerate(zip(parts.properties, code.properties, strict=True))
        if prop.kind is Kind.LEADS_TO
    ]
    link_graph(linker.module, actions, pledges, layout.words)
    return GraphProgram(model, layout, linker.text, _first_labels(code))


def _layout(model: Model) -> StateLayout:
    return state_layout(model.state, model.variables)


def _first_labels(code: ir.ModelCode) -> tuple[int, ...]:
    counts = [bindings(action.parameters) for action in code.actions]
    pledges = [prop for prop in code.properties if prop.kind is Kind.LEADS_TO]
    if max([sum(counts), *(bindings(prop.parameters) for prop in pledges)]) > MAX_SUCCESSORS:
        raise NotCompiled("a state may have too many action instances or bindings of a `leads_to`")
    return tuple(accumulate(counts, initial=0))


class _Linker:
    """A module whose functions call parts by their addresses."""

    def __init__(self, name: str, numbers: Sequence[int]) -> None:
        """`numbers` are those that the model's functions have in the program."""
        self.module = llvm.Module(name=name)
        self.sites: list[Site] = []
        self._numbers = numbers
        self._begins: dict[int, int] = {}

    @property
    def text(self) -> str:
        """The module as text."""
        return str(self.module)

    def scratch(self, size: int) -> llvm.GlobalVariable:
        """Words that are written and never read; so one thread at a time may call the module."""
        array = llvm.ArrayType(I64, max(1, size))
        words = llvm.GlobalVariable(self.module, array, "scratch")
        words.linkage = "internal"
        words.initializer = llvm.Constant(array, None)
        return words

    def function(
        self,
        number: int,
        name: str,
        part: Part,
        *,
        pointers: int,
        last: llvm.GlobalVariable | None = None,
    ) -> llvm.Function:
        """A function of so many pointers that calls a part, with `last` as one more."""
        kind = llvm.FunctionType(I64, [POINTER] * pointers)
        function = llvm.Function(self.module, kind, f"{number}.{name}")
        function.linkage = "internal"
        body = Body(function)
        builder, arguments = body.builder, list(function.args)
        if last is not None:
            arguments.append(builder.gep(last, [word(0), word(0)], inbounds=True))
        called = llvm.FunctionType(I64, [POINTER] * len(arguments)).as_pointer()
        result = builder.call(builder.inttoptr(word(part.address), called), arguments)
        failed = builder.icmp_signed("<", result, word(0))
        begin = self._begin(part.sites)
        builder.ret(builder.select(failed, builder.sub(result, word(begin)), result))
        body.finish()
        return function

    def _begin(self, sites: tuple[Site, ...]) -> int:
        """The number of the first site of a translation among those of the program."""
        if id(sites) not in self._begins:
            self._begins[id(sites)] = len(self.sites)
            self.sites += [replace(site, function=self._numbers[site.function]) for site in sites]
        return self._begins[id(sites)]
