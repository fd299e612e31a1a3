"""What is too much to go through one by one: parameters and comprehensions over wide domains.

A model is loaded with such domains for proofs and for logs, where no engine lists their values.
What does list them, an exploration, refuses them before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lockstep.language import ir
from lockstep.language.domain import MOST_VALUES
from lockstep.language.domains import Domain
from lockstep.language.protocol import Action, Model, Property
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.totality import parts_of
from lockstep.language.types import capped_product, capped_size


def refuse_endless(model: Model, code: ir.ModelCode) -> None:
    """Refuse what has more than `MOST_VALUES` instances or rounds; `ModelError` with every place.

    Those are the instances of an action or a property in a state, and the rounds of a comprehension
    over domains, in all instances and in all rounds of those that it stands in.
    """
    problems: list[Diagnostic] = []
    functions: tuple[Action | Property, ...] = (*model.actions, *model.properties)
    for function in functions:
        problems.extend(_too_many_instances(model, function))
    for part in code.functions:
        problems.extend(_too_many_rounds(part, min(_instances(part), MOST_VALUES)))
    if problems:
        raise ModelError(list(dict.fromkeys(problems)))


def _too_many_instances(model: Model, function: Action | Property) -> Iterator[Diagnostic]:
    domains = {parameter.name: parameter.domain for parameter in function.parameters}
    if capped_product(domains.values(), MOST_VALUES + 1) <= MOST_VALUES:
        return
    definition = model.universe.definition(function.function)
    assert definition is not None, f"{function.name} has no text"
    node, file = definition
    widest = max(domains, key=lambda name: capped_size(domains[name], MOST_VALUES + 1))
    argument = next(part for part in node.args.args if part.arg == widest)
    yield Diagnostic(
        "too-many-instances",
        Place.of(argument, file),
        f"{function.name} has more than {MOST_VALUES:,} instances in a state",
        f"an exploration tries every combination of {_counted(domains)}",
        "explore a scope in which these domains are small; `lockstep prove` takes wide ones",
    )


def _too_many_rounds(node: object, times: int) -> Iterator[Diagnostic]:
    """The comprehensions inside `node` that have too many rounds; it is evaluated `times` times."""
    domains = _domains(node)
    rounds = times * capped_product(domains, MOST_VALUES + 1)
    if domains and rounds > MOST_VALUES:
        assert isinstance(node, ir.Expression)
        yield Diagnostic(
            "too-many-rounds",
            node.place,
            f"this goes through more than {MOST_VALUES:,} values in a state",
            f"an exploration takes the values of {' and '.join(map(str, domains))} one by one, "
            "for every instance",
            "explore a scope in which these domains are small, or go through a collection instead",
        )
        return
    for part in parts_of(node):
        yield from _too_many_rounds(part, rounds)


def work(code: ir.ModelCode) -> int:
    """About how many operations it takes at the most to expand one state; collections as one."""
    return sum(_instances(action) * _work(action) for action in code.actions)


def _work(node: object) -> int:
    inside = 1 + sum(_work(part) for part in parts_of(node))
    return inside * capped_product(_domains(node), MOST_VALUES)


def _instances(code: ir.ActionCode | ir.PropertyCode) -> int:
    return capped_product((part.domain for part in code.parameters), MOST_VALUES)


def _domains(node: object) -> list[Domain]:
    """The domains whose values an IR node goes through by itself."""
    match node:
        case ir.Comprehension():
            sources = [part.source for part in node.generators]
            return [source.domain for source in sources if isinstance(source, ir.OverDomain)]
        case ir.MakeMap():
            return [node.key]
    return []


def _counted(domains: Mapping[str, Domain]) -> str:
    return ", ".join(f"{name} in {domain}" for name, domain in domains.items())
