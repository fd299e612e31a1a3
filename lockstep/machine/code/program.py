"""A whole model as one LLVM module, and what a search must know of it.

The module exports

    expand(state, successors, labels)   how many successors, written one after the other, and the
                                        label of each: the number of its action instance
    check_state(state, marks)           the first invariant that fails
    check_step(before, after, marks)    the first step invariant that fails
    pledges.N(state, premises, goals)   of the N-th `leads_to`: for each binding of its parameters
                                        1 or 0, whether the state is its premise, its goal

With symmetry it also exports

    canonical(states, count, _)         each of the states becomes the one that stands for it

All pointers are to 64-bit words. The checks return 0 when nothing fails, else one more than the
position of the property in the model. `marks[property]` becomes 1 when a premise is satisfied, for
a goal when it is reached. Each returns `-1 - site` where the text has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import Any

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Parameter
from lockstep.language.notation import Kind
from lockstep.language.symmetry import Symmetry, find_symmetry
from lockstep.language.totality import property_may_fail, work
from lockstep.machine.code.body import I64, POINTER, Body, word
from lockstep.machine.code.functions import FunctionBuilder, Site
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.permutation import emit_canonical
from lockstep.machine.code.state import StateLayout, state_layout

MAX_PERMUTATIONS = 5040
"""The most permutations by which states are compared: those of seven names."""

MAX_SUCCESSORS = 2**22
"""The most action instances that one state may have."""


@dataclass(frozen=True)
class Program:
    """A model's LLVM module, and how to read what it computes.

    Action instances are numbered as the model orders them: those of the n-th action begin with the
    label `first_labels[n]`, and the last of `first_labels` is how many there are. `sites` are the
    places where the text may have no meaning, by number.
    """

    model: Model
    layout: StateLayout
    text: str
    first_labels: tuple[int, ...]
    sites: tuple[Site, ...]
    has_step_invariants: bool
    has_state_checks: bool
    symmetry: Symmetry | None = None
    """The symmetry up to which states are counted; None where none was requested."""
    work: int = 1
    """About how many operations it takes at the most to expand one state."""

    @property
    def most_successors(self) -> int:
        """The most successors that a state may have."""
        return self.first_labels[-1]

    def instances(self, labels: Sequence[int]) -> list[tuple[str, tuple[Any, ...]]]:
        """The action and the parameters of each of some labels."""
        instances: dict[int, tuple[str, tuple[Any, ...]]] = {}
        for action, begin, end in zip(
            self.model.actions, self.first_labels, self.first_labels[1:], strict=False
        ):
            wanted = {label for label in labels if begin <= label < end}
            if wanted:
                for label, values in enumerate(all_bindings(action.parameters), begin):
                    if label in wanted:
                        instances[label] = action.name, values
        return [instances[label] for label in labels]

    @property
    def reduces(self) -> bool:
        """Whether there is a function `canonical`."""
        return self.symmetry is not None and bool(self.symmetry.groups)


def build_program(model: Model, *, symmetry: bool = False) -> Program:
    """Translate a model; `NotCompiled` when something in it has no machine form in this scope.

    With `symmetry`, states that differ only by which interchangeable name is which count as one.
    """
    code = lower(model)
    try:
        return _build(model, code, symmetry=symmetry)
    except RecursionError:
        raise NotCompiled("an expression of it is nested too deeply") from None


def _build(model: Model, code: ir.ModelCode, *, symmetry: bool) -> Program:
    layout = state_layout(model.state, model.variables)
    labels = first_labels(code)
    module = llvm.Module(name=model.name)
    builder = FunctionBuilder(module, layout, dict(code.variables))
    functions = [builder.function(code, number, labels) for number in range(len(code.functions))]
    actions, properties = functions[: len(code.actions)], functions[len(code.actions) :]
    has_state_checks, has_step_invariants = link(module, code, actions, properties, layout.words)
    symmetries = find_symmetry(model, code) if symmetry else None
    if symmetries is not None and symmetries.size > MAX_PERMUTATIONS:
        raise NotCompiled(f"the interchangeable names have {symmetries.size:,} permutations")
    if symmetries is not None and symmetries.groups:
        emit_canonical(module, layout, dict(code.variables), symmetries, builder.tables)
    return Program(
        model,
        layout,
        str(module),
        labels,
        tuple(builder.sites),
        has_step_invariants,
        has_state_checks,
        symmetries,
        work(code),
    )


def link(
    module: llvm.Module,
    code: ir.ModelCode,
    actions: list[llvm.Function],
    properties: list[llvm.Function],
    words: int,
) -> tuple[bool, bool]:
    """Export `expand`, `pledges.N` and the checks, which call the functions of a model.

    Whether there is anything to check of states, and of steps.
    """
    _expand(module, actions, words)
    kinds = [prop.kind for prop in code.properties]
    of_state = [
        (
            index,
            properties[index],
            kind is Kind.SOMETIMES,
            property_may_fail(code.properties[index]),
        )
        for wanted in (Kind.INVARIANT, Kind.SOMETIMES)
        for index, kind in enumerate(kinds)
        if kind is wanted
    ]
    of_step = [
        (index, properties[index], False, True)
        for index, kind in enumerate(kinds)
        if kind is Kind.STEP_INVARIANT
    ]
    _checks(module, "check_state", of_state, step=False)
    _checks(module, "check_step", of_step, step=True)
    pledges = (properties[index] for index, kind in enumerate(kinds) if kind is Kind.LEADS_TO)
    for number, function in enumerate(pledges):
        body = exported(module, f"pledges.{number}", 3)
        body.builder.ret(body.builder.call(function, body.function.args))
        body.finish()
    return bool(of_state), bool(of_step)


def all_bindings(parameters: Sequence[Parameter]) -> product[tuple[Any, ...]]:
    """Every binding of some parameters in order, the last one running fastest."""
    return product(*(parameter.domain for parameter in parameters))


def first_labels(code: ir.ModelCode) -> tuple[int, ...]:
    """The first label of each action, and how many there are; `NotCompiled` for too many."""
    counts = [bindings(action.parameters) for action in code.actions]
    if sum(counts) > MAX_SUCCESSORS:
        raise NotCompiled(f"a state may have {sum(counts):,} action instances")
    for prop in code.properties:
        if prop.kind is Kind.LEADS_TO and bindings(prop.parameters) > MAX_SUCCESSORS:
            raise NotCompiled(f"{prop.name} has {bindings(prop.parameters):,} bindings")
    return tuple(accumulate(counts, initial=0))


def bindings(parameters: Sequence[ir.ParameterCode]) -> int:
    """How many bindings some parameters have."""
    return prod(parameter.domain.size() for parameter in parameters)


def exported(module: llvm.Module, name: str, pointers: int) -> Body:
    """The body of a function with that many pointers that others can call."""
    function = llvm.Function(module, llvm.FunctionType(I64, [POINTER] * pointers), name)
    for argument in function.args:
        argument.add_attribute("noalias")
    return Body(function)


def _expand(module: llvm.Module, actions: list[llvm.Function], words: int) -> None:
    body = exported(module, "expand", 3)
    builder = body.builder
    state, out, labels = body.function.args
    total = word(0)
    for action in actions:
        place = builder.gep(out, [builder.mul(total, word(words))], inbounds=True)
        count = builder.call(action, [state, place, builder.gep(labels, [total], inbounds=True)])
        return_if_failed(body, count)
        total = builder.add(total, count)
    builder.ret(total)
    body.finish()


def _checks(
    module: llvm.Module,
    name: str,
    properties: list[tuple[int, llvm.Function, bool, bool]],
    *,
    step: bool,
) -> None:
    """A function that evaluates properties: number, function, whether it is a goal and may fail.

    A goal that always has a value is evaluated until it is reached once. Another is evaluated in
    each state: which states come after one that reaches it depends on how many threads there are.
    """
    body = exported(module, name, 3 if step else 2)
    builder = body.builder
    states, marks = body.function.args[:-1], body.function.args[-1]
    before, after = states[0], states[-1]
    first = body.variable(word(0))
    for index, function, is_goal, fails in properties:
        mark = builder.gep(marks, [word(index)], inbounds=True)
        if is_goal and fails:
            result = builder.call(function, [before, after, mark])
            return_if_failed(body, result, first)
            builder.store(builder.or_(builder.load(mark), result), mark)
            continue
        if is_goal:
            unseen = builder.icmp_unsigned("==", builder.load(mark), word(0))
            with builder.if_then(unseen):
                result = builder.call(function, [before, after, mark])
                return_if_failed(body, result, first)
                builder.store(result, mark)
            continue
        result = builder.call(function, [before, after, mark])
        return_if_failed(body, result, first)
        earlier = builder.load(first)
        none_yet = builder.icmp_unsigned("==", earlier, word(0))
        broken = builder.and_(none_yet, body.bit_of(result))
        builder.store(builder.select(broken, word(index + 1), earlier), first)
    builder.ret(builder.load(first))
    body.finish()


def return_if_failed(body: Body, result: llvm.Value, first: llvm.Value | None = None) -> None:
    """Return a failure, or the position that `first` holds if it holds one."""
    builder = body.builder
    with builder.if_then(builder.icmp_signed("<", result, word(0)), likely=False):
        if first is not None:
            earlier = builder.load(first)
            nothing = builder.icmp_unsigned("==", earlier, word(0))
            result = builder.select(nothing, result, earlier)
        builder.ret(result)
