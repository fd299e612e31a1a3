"""A model as an LLVM module for the graph of its states: which step is which, what is promised.

The module exports

    expand(state, successors, labels)    how many successors, written one after the other, and the
                                         label of each: the number of its action instance
    pledges.N(state, premises, goals)    of the N-th `leads_to`: for each binding of its parameters
                                         1 or 0, whether the state is its premise, its goal

All pointers are to 64-bit words. Each returns `-1 - site` where the text has no meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from typing import Any

from llvmlite import ir as llvm

from lockstep.language.frontend import lower
from lockstep.language.model import Model, Parameter
from lockstep.language.notation import Kind
from lockstep.machine.code.body import word
from lockstep.machine.code.functions import FunctionBuilder
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.program import MAX_SUCCESSORS, bindings, exported, return_if_failed
from lockstep.machine.code.state import StateLayout, state_layout


@dataclass(frozen=True)
class GraphProgram:
    """The LLVM module of a model's graph, and how to read what it computes.

    Instances are numbered as the model orders them; those of the n-th action begin with the label
    `first_labels[n]`. The last of `first_labels` is how many there are.
    """

    model: Model
    layout: StateLayout
    text: str
    first_labels: tuple[int, ...]

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


def all_bindings(parameters: Sequence[Parameter]) -> product[tuple[Any, ...]]:
    """Every binding of some parameters in order, the last one running fastest."""
    return product(*(parameter.domain for parameter in parameters))


def build_graph_program(model: Model) -> GraphProgram:
    """Translate a model; `NotCompiled` when something in it has no machine form in this scope."""
    code = lower(model)
    layout = state_layout(model.state, model.variables)
    counts = [bindings(action.parameters) for action in code.actions]
    pledges = [prop for prop in code.properties if prop.kind is Kind.LEADS_TO]
    most = max([sum(counts), *(bindings(prop.parameters) for prop in pledges)])
    if most > MAX_SUCCESSORS:
        raise NotCompiled(f"a state may have {most:,} action instances or bindings of a `leads_to`")
    first_labels = tuple(accumulate(counts, initial=0))
    module = llvm.Module(name=model.name)
    builder = FunctionBuilder(module, layout, dict(code.variables))
    actions = [
        builder.action(number, action, first_labels[number])
        for number, action in enumerate(code.actions)
    ]
    functions = [
        builder.pledges(len(actions) + number, prop) for number, prop in enumerate(pledges)
    ]
    link_graph(module, actions, functions, layout.words)
    return GraphProgram(model, layout, str(module), first_labels)


def link_graph(
    module: llvm.Module,
    actions: Sequence[llvm.Function],
    pledges: Sequence[llvm.Function],
    words: int,
) -> None:
    """Export `expand` and `pledges.N`, which call the functions of a model."""
    _expand(module, actions, words)
    for number, function in enumerate(pledges):
        body = exported(module, f"pledges.{number}", 3)
        body.builder.ret(body.builder.call(function, body.function.args))
        body.finish()


def _expand(module: llvm.Module, actions: Sequence[llvm.Function], words: int) -> None:
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
