"""Which expressions always have a value, and which go through more than can be listed."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping

from lockstep.language import ir
from lockstep.language.domain import MOST_VALUES
from lockstep.language.domains import Domain, MapDomain, RangeDomain
from lockstep.language.protocol import Action, Model, Property
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.types import capped_product, capped_size, is_within

_MAY_FAIL = "_may_fail"


_FIELDS: dict[type, tuple[str, ...] | None] = {}
"""By its type, the names of the fields of a node; None for what is no dataclass."""


def parts_of(node: object) -> Iterator[object]:
    """The IR nodes (expressions, statements, generators, sources) directly inside one."""
    for name in _fields_of(type(node)) or ():
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            kind = type(part)
            if kind.__module__ == ir.__name__ and _fields_of(kind) is not None:
                yield part


def _fields_of(kind: type) -> tuple[str, ...] | None:
    if kind not in _FIELDS:
        is_node = dataclasses.is_dataclass(kind)
        _FIELDS[kind] = tuple(one.name for one in dataclasses.fields(kind)) if is_node else None
    return _FIELDS[kind]


def walk(node: object) -> Iterator[object]:
    """An IR node and all that is inside, outermost first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(parts_of(node)))


def may_fail(node: object) -> bool:
    """Whether evaluation may end in an error instead of a value; True when in doubt."""
    # Kept with the node: every operation asks it of its operands, down to the leaves otherwise.
    kept = vars(node)
    if _MAY_FAIL not in kept:
        kept[_MAY_FAIL] = _may_fail_here(node) or any(map(may_fail, parts_of(node)))
    return bool(kept[_MAY_FAIL])


def statement_may_fail(statement: ir.Statement) -> bool:
    """Whether doing a statement may end in an error; True when in doubt."""
    match statement:
        case ir.Bind():
            return may_fail(statement.value)
        case ir.Guard():
            return may_fail(statement.test)
        case ir.Write():
            # A path through a map or an option may find nothing there.
            within = is_within(statement.value.domain, statement.target)
            return bool(statement.path) or not within or may_fail(statement.value)


def property_may_fail(code: ir.PropertyCode) -> bool:
    """Whether a property may have no value in some state; True when in doubt."""
    return may_fail(code.claim) or any(map(statement_may_fail, code.statements))


def _may_fail_here(node: object) -> bool:
    match node:
        case ir.Lookup():
            keys = node.mapping.domain
            return not (isinstance(keys, MapDomain) and is_within(node.key.domain, keys.key))
        case ir.Item() | ir.Unwrap():
            return not node.certain
        case ir.Arithmetic() if node.operator in ("//", "%"):
            divisor = node.right.domain
            return not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high
        case ir.MakeRecord():
            fields = node.record.fields.values()
            return not all(
                is_within(value.domain, field)
                for value, field in zip(node.values, fields, strict=True)
            )
        case ir.Comprehension():
            extreme = node.gather in (ir.Gather.MIN, ir.Gather.MAX)
            return extreme and node.default is None and not _never_empty(node)
    return False


def _never_empty(node: ir.Comprehension) -> bool:
    return all(
        isinstance(part.source, ir.OverDomain)
        and part.source.domain.size() > 0
        and not part.conditions
        for part in node.generators
    )


def guard_depths(model: Model) -> dict[str, Mapping[int, int]]:
    """For each action: the line of a statement, to how many leading parameters are read by then."""
    return {action.name: _depths(model, action) for action in model.actions}


def _depths(model: Model, action: Action) -> Mapping[int, int]:
    definition = model.universe.definition(action.function)
    if definition is None:
        return {}
    node, _ = definition
    depth_of = {parameter.name: index + 1 for index, parameter in enumerate(action.parameters)}
    depths: dict[int, int] = {}
    so_far = 0
    for statement in node.body:
        needed = _depth(statement, depth_of)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            depth_of[statement.targets[0].id] = needed
        so_far = max(so_far, needed)
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            # Two statements may share a line; the deeper one is the safe answer.
            depths[line] = max(so_far, depths.get(line, 0))
    return depths


def _depth(node: ast.AST, depth_of: Mapping[str, int]) -> int:
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return max((depth_of.get(name, 0) for name in names), default=0)


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
