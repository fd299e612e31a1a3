"""Interchangeable names: which permutations of them leave a model as it is.

A domain `OneOf(names, interchangeable=True)` says that no name is special. That is checked, for a
wrong claim would hide states: no such name may stand in the text, in a smaller domain or in the
initial state in a way that distinguishes it from the others, and nothing may depend on their order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import factorial, prod
from typing import Any, TypeAlias

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.language.totality import walk
from lockstep.language.types import NOTHING, item_of, parts_of_domain, some_of

Name: TypeAlias = str | int
Permutation: TypeAlias = Mapping[Name, Name]


@dataclass(frozen=True)
class Symmetry:
    """Groups of interchangeable names; `refused` says of each other group why it is none."""

    groups: tuple[tuple[Name, ...], ...]
    refused: tuple[str, ...]

    @property
    def names(self) -> frozenset[Name]:
        """All interchangeable names."""
        return frozenset(name for group in self.groups for name in group)

    @property
    def size(self) -> int:
        """How many permutations there are."""
        return prod(factorial(len(group)) for group in self.groups)

    def __str__(self) -> str:
        """The groups up to which states are counted, and why the others are none."""
        if not self.groups:
            return "; ".join(("no names are interchangeable", *self.refused))
        groups = (f"{', '.join(map(str, group))}" for group in self.groups)
        return "; ".join((f"up to exchanging {' and '.join(groups)}", *self.refused))

    def permutations(self) -> Iterator[Permutation]:
        """Every permutation, the identity first."""
        exchanges = [
            [dict(zip(group, order, strict=True)) for order in itertools.permutations(group)]
            for group in self.groups
        ]
        for parts in itertools.product(*exchanges):
            yield {name: image for part in parts for name, image in part.items()}


def find_symmetry(model: Model, code: ir.ModelCode) -> Symmetry:
    """The declared groups of more than one name that really are interchangeable."""
    domains = list(_domains(model, code))
    declared = dict.fromkeys(
        domain.names
        for domain in domains
        if isinstance(domain, NameDomain) and domain.interchangeable and len(domain.names) > 1
    )
    groups, refused = [], []
    for names in declared:
        why = _difference(names, model, code, domains)
        if why is None:
            groups.append(names)
        else:
            refused.append(f"{', '.join(map(str, names))} are not interchangeable: {why}")
    return Symmetry(tuple(groups), tuple(refused))


def _difference(
    names: tuple[Name, ...], model: Model, code: ir.ModelCode, domains: list[Domain]
) -> str | None:
    """What distinguishes some of the names from the others; None when nothing does."""
    group = frozenset(names)
    # All permutations are made of these.
    swaps = [{names[0]: other, other: names[0]} for other in names[1:]]
    for domain in domains:
        if isinstance(domain, NameDomain) and group & set(domain.names) not in (group, set()):
            return f"{domain} has only some of them"
    for function in code.functions:
        for node in walk(function):
            if isinstance(node, ir.Literal) and any(
                permuted(node.value, node.domain, swap) != node.value for swap in swaps
            ):
                return f"{function.name} mentions {node.value!r} ({node.place})"
            if isinstance(node, ir.Comprehension) and _ordered(node, group):
                return f"{function.name} goes through them in order ({node.place})"
            if _counts(node, group):
                return f"{function.name} takes them for numbers"
    if any(permuted_state(model.initial, swap) != model.initial for swap in swaps):
        return "the initial state distinguishes them"
    return None


def _ordered(node: ir.Comprehension, group: frozenset[Name]) -> bool:
    """Whether a sequence is made in the order of the names."""
    return node.gather is ir.Gather.SEQUENCE and any(
        isinstance(part.source, ir.OverDomain)
        and any(_is_name_of(inside, group) for inside in parts_of_domain(part.source.domain))
        for part in node.generators
    )


def _is_name_of(domain: Domain, group: frozenset[Name]) -> bool:
    return isinstance(domain, NameDomain) and not group.isdisjoint(domain.names)


def _counts(node: object, group: frozenset[Name]) -> bool:
    """Whether a name of the group, being a number, meets numbers here."""
    for value, target in _meetings(node):
        for one, other in ((value, target), (target, value)):
            names = [part for part in parts_of_domain(one) if _is_name_of(part, group)]
            numbers = [part for part in parts_of_domain(other) if isinstance(part, RangeDomain)]
            if type(one) is not type(other) and names and numbers:
                return any(number.contains(name) for name in group for number in numbers)
    return False


def _meetings(node: object) -> Iterator[tuple[Domain, Domain]]:
    """The domains of values, and those that they are taken into, in one node."""
    match node:
        case ir.Compare() | ir.Subset() | ir.SetOperation() | ir.Concatenate():
            yield some_of(node.left.domain), some_of(node.right.domain)
        case ir.Contains():
            yield some_of(node.item.domain), item_of(node.collection.domain) or NOTHING
        case ir.Lookup():
            assert isinstance(node.mapping.domain, MapDomain)
            yield node.key.domain, node.mapping.domain.key
        case ir.Conditional():
            for branch in (node.then, node.otherwise):
                yield some_of(branch.domain), some_of(node.domain)
        case ir.MakeRecord():
            for value, field in zip(node.values, node.record.fields.values(), strict=True):
                yield some_of(value.domain), some_of(field)
        case ir.MakeMap():
            assert isinstance(node.domain, MapDomain)
            yield some_of(node.body.domain), some_of(node.domain.value)
        case ir.MakeSet() | ir.MakeSequence():
            for item in node.items:
                yield item.domain, item_of(node.domain) or NOTHING
        case ir.Comprehension() if node.gather in (ir.Gather.SET, ir.Gather.SEQUENCE):
            yield node.body.domain, item_of(node.domain) or NOTHING
        case ir.Write():
            yield some_of(node.value.domain), some_of(node.target)


def _domains(model: Model, code: ir.ModelCode) -> Iterator[Domain]:
    """Every domain that the model's variables and parameters have, and their parts."""
    wholes = [*model.variables.values()]
    wholes += [one.domain for function in code.functions for one in function.parameters]
    for whole in dict.fromkeys(wholes):
        yield from parts_of_domain(whole)


def permuted(value: Any, domain: Domain, permutation: Permutation) -> Any:
    """A value with its names changed."""
    if value is None:
        return None
    match domain:
        case OptionDomain():
            return permuted(value, domain.some, permutation)
        case NameDomain():
            return permutation.get(value, value)
        case RecordDomain():
            fields = domain.record.fields.values()
            return domain.record.of(
                permuted(part, field, permutation)
                for part, field in zip(value, fields, strict=True)
            )
        case MapDomain():
            moved = {
                permuted(key, domain.key, permutation): permuted(part, domain.value, permutation)
                for key, part in value.items()
            }
            return domain.of(moved[key] for key in domain.key)
        case SetDomain():
            return frozenset(permuted(item, domain.item, permutation) for item in value)
        case SequenceDomain():
            return tuple(permuted(item, domain.item, permutation) for item in value)
    return value


def permuted_state(state: State, permutation: Permutation) -> State:
    """A state with its names changed."""
    return state.of(
        permuted(value, domain, permutation)
        for value, domain in zip(state, state.fields.values(), strict=True)
    )
