"""Proofs for any number of names: of partitions, of slots, of whatever a constant lists.

The names are those of a constant that only says which there are: `Partition = OneOf(PARTITIONS,
interchangeable=True)`. How many of them matter at once is counted (`witnesses`); the model is then
proved with one name, with two, and so on up to that many, and so for every number.

What adds up something over all names cannot be proved like that, nor can variables whose domain
depends on their number. Those properties are left out, and so is what is written to variables that
nothing else reads.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

from lockstep.compiled.symmetry import find_symmetry
from lockstep.errors import LockstepError
from lockstep.language import ir
from lockstep.language.domains import Domain, NameDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.language.source import Place
from lockstep.language.totality import walk
from lockstep.language.values import Record, TotalMap
from lockstep.prove.induction import prove
from lockstep.prove.proofs import MEANING, Induction, Proof
from lockstep.prove.relation import Relation
from lockstep.prove.values import NotProvable
from lockstep.prove.witnesses import Counting, Name, Unlimited

Load: TypeAlias = Callable[[tuple[Name, ...]], Model]
"""Loads a model with some names in place of a constant's own."""

_PROVED = (Kind.INVARIANT, Kind.STEP_INVARIANT)
_MOST = 8
"""The most names with which a model is tried."""


@dataclass(frozen=True)
class Enough:
    """With `names` names of a constant a model shows all that it does with more.

    `left_out` tells of properties for which that is not so, and why; `unread` are variables to
    which nothing is written in the proof, for nothing that is left reads them.
    """

    constant: str
    names: int
    left_out: Mapping[str, str]
    unread: tuple[str, ...]


def names_for(constant: str, model: Model) -> Callable[[int], tuple[Name, ...]]:
    """How to name so many: as the constant does, and on from there."""
    own = model.constants.get(constant)
    if not isinstance(own, tuple) or not own or not all(type(each) in (str, int) for each in own):
        listing = [name for name, value in model.constants.items() if isinstance(value, tuple)]
        raise LockstepError(
            f"{model.name} has no constant {constant} that lists names",
            cure=f"those that do are: {', '.join(listing) or 'none'}",
        )

    def fresh() -> Iterator[Name]:
        yield from own
        stem, number = str(own[-1]).rstrip("0123456789"), 1
        while True:
            name: Name = number if isinstance(own[-1], int) else f"{stem}{number}"
            if name not in own:
                yield name
            number += 1

    return lambda count: tuple(name for name, _ in zip(fresh(), range(count), strict=False))


def enough_names(load: Load, constant: str, names: Callable[[int], tuple[Name, ...]]) -> Enough:
    """How many names of a constant are enough; NotProvable where no number is.

    Three names and four are looked at: with fewer, some could be told apart by mistake.
    """
    few, more = load(names(3)), load(names(4))
    few_code, more_code = lower(few), lower(more)
    counting = Counting(frozenset(names(4)))
    left_out = {
        prop.name: why
        for prop in more_code.properties
        if prop.kind in _PROVED and (why := _why_unlimited(counting, prop)) is not None
    }
    codes = [_without(code, left_out) for code in (few_code, more_code)]
    unread = tuple(sorted(_unread(codes[1])))
    few_code, code = (_not_writing(each, unread) for each in codes)
    _check_interchangeable(constant, more, code, names(4))
    if _seen(few, few_code, unread, names(3)) != _seen(more, code, unread, names(4)):
        raise _none(constant, "the text or the first state depends on how many there are")
    if (place := _read_elsewhere(more, constant, {*left_out, *unread})) is not None:
        raise _none(constant, f"it says more than which there are ({place})")
    try:
        return Enough(constant, _counted(counting, code), left_out, unread)
    except Unlimited as error:
        raise _none(constant, str(error)) from None


def prove_for_any(
    load: Load,
    constant: str,
    names: Callable[[int], tuple[Name, ...]],
    *,
    max_seconds: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> tuple[Induction, Enough]:
    """Prove what can be proved for any number of names: with one, with two, up to enough.

    What is proved in all of them is proved in the result; what is not, as it was in the first.
    """
    enough = enough_names(load, constant, names)
    tell = on_progress or (lambda _: None)
    proofs: dict[str, Proof] = {}
    result = Induction(1)
    for count in range(1, enough.names + 1):
        model = load(names(count))
        code = _not_writing(_without(lower(model), enough.left_out), enough.unread)

        def told(text: str, count: int = count) -> None:
            tell(f"{count} of {enough.names} {constant}: {text}")

        found = prove(Relation(model, code), max_seconds=max_seconds, on_progress=told)
        for each in found.proofs:
            known = proofs.get(each.name)
            if known is None or known.proved:
                seconds = each.seconds + (known.seconds if known else 0.0)
                proofs[each.name] = replace(each, seconds=seconds)
        result.obligations += [
            replace(each, name=f"{count}-{each.name}") for each in found.obligations
        ]
        result.silence = found.silence  # that of the most names, where most can happen
        result.seconds += found.seconds
        if found.interrupted:
            result.interrupted = True
            break
    whole = load(names(enough.names))
    # Names can be forgotten only where what is left still has a meaning.
    missing = "interrupted" if result.interrupted else "the text has no meaning somewhere"
    if result.interrupted or not proofs[MEANING].proved:
        proofs = {
            name: replace(each, proved=False, because=each.because or missing)
            for name, each in proofs.items()
        }
    asked = [prop.name for prop in whole.properties if prop.kind in _PROVED]
    result.proofs = [
        proofs.get(name) or Proof(name, False, 0.0, enough.left_out.get(name, "interrupted"))
        for name in (*asked, MEANING)
    ]
    return result, enough


def _why_unlimited(counting: Counting, prop: ir.PropertyCode) -> str | None:
    """Why no number of names is enough for a property; None where some is."""
    try:
        counting.for_goal(prop)
        counting.for_meaning(prop)
        if prop.kind is Kind.INVARIANT:
            counting.for_premise(prop)
    except Unlimited as error:
        return str(error)
    return None


def _counted(counting: Counting, code: ir.ModelCode) -> int:
    """The most names that any question of a proof needs."""
    state = sum(counting.in_values_of(domain) for _, domain in code.variables)
    invariants = [prop for prop in code.properties if prop.kind is Kind.INVARIANT]
    assumed = state + sum(counting.for_premise(prop) for prop in invariants)
    step = max(counting.for_action(action) for action in code.actions)
    of_steps = [
        max(counting.for_goal(prop), counting.for_meaning(prop)) for prop in code.properties
    ]
    of_states = max(counting.for_meaning(action) for action in code.actions)
    enough = assumed + max(1, step + max(of_steps, default=0), of_states)
    if enough > _MOST:
        raise Unlimited(f"{enough} of them may matter at once, and more than {_MOST} are too many")
    return enough


def _without(code: ir.ModelCode, properties: Mapping[str, str]) -> ir.ModelCode:
    """The invariants of states and steps but for some."""
    kept = (
        each for each in code.properties if each.kind in _PROVED and each.name not in properties
    )
    return replace(code, properties=tuple(kept))


def _unread(code: ir.ModelCode) -> set[str]:
    """The variables that no property, no guard, and nothing that is written to another reads."""
    statements = [each for action in code.actions for each in action.statements]
    writes = [each for each in statements if isinstance(each, ir.Write)]
    others = [each for each in statements if not isinstance(each, ir.Write)]
    read = set(_reads(code.properties)) | set(_reads(others))
    while True:
        more = {
            name
            for write in writes
            if write.variable in read
            for name in _reads((write,))
            if name not in read
        }
        if not more:
            return {name for name, _ in code.variables} - read
        read |= more


def _reads(nodes: Any) -> Iterator[str]:
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ir.Read):
                yield part.variable


def _not_writing(code: ir.ModelCode, variables: tuple[str, ...]) -> ir.ModelCode:
    """The same model, but that some variables stay as they are."""

    def is_kept(statement: ir.Statement) -> bool:
        return not (isinstance(statement, ir.Write) and statement.variable in variables)

    actions = (
        replace(action, statements=tuple(filter(is_kept, action.statements)))
        for action in code.actions
    )
    return replace(code, actions=tuple(actions))


def _check_interchangeable(
    constant: str, model: Model, code: ir.ModelCode, names: tuple[Name, ...]
) -> None:
    symmetry = find_symmetry(model, code)
    if not any(set(names) <= set(group) for group in symmetry.groups):
        why = [each for each in symmetry.refused if str(names[0]) in each]
        raise _none(constant, why[0] if why else "no domain declares them as interchangeable")


def _none(constant: str, why: str) -> NotProvable:
    return NotProvable(
        f"no number of {constant} stands for all numbers: {why}",
        cure="prove it with the names listed, and say so",
    )


def _seen(
    model: Model, code: ir.ModelCode, unread: tuple[str, ...], names: tuple[Name, ...]
) -> Any:
    """The text and the first state, as they look when nobody can tell how many names there are."""
    variables = tuple(each for each in code.variables if each[0] not in unread)
    first = zip(model.variables, tuple(model.initial), strict=True)
    values = tuple(value for name, value in first if name not in unread)
    return _shape((replace(code, variables=variables), values), frozenset(names))


def _shape(value: Any, names: frozenset[Name]) -> Any:
    def shape(part: Any) -> Any:
        match part:
            case NameDomain() if not names.isdisjoint(part.names):
                return "names", tuple(name for name in part.names if name not in names)
            case Place() | None:
                return part
            case type():
                domains: Mapping[str, Domain] = getattr(part, "fields", {})
                return part.__name__, shape(domains)
            case Record():
                return type(part).__name__, tuple(map(shape, tuple(part)))
            case TotalMap():
                open_keys = names if names <= set(part) else frozenset()
                pairs = (
                    ("a name" if key in open_keys else shape(key), shape(each))
                    for key, each in part.items()
                )
                return tuple(dict.fromkeys(pairs))
            case Mapping():
                return tuple((key, shape(each)) for key, each in part.items())
            case frozenset():
                return frozenset(map(shape, part))
            case tuple():
                return tuple(map(shape, part))
            case enum.Enum():
                return type(part).__name__, part.name
            case str() if part in names:
                return "a name"
        if is_dataclass(part):
            parts = (field.name for field in fields(part))
            # The type of an expression is only what is known of it, and may know a number of names.
            kept = (n for n in parts if not (n == "domain" and isinstance(part, ir.Expression)))
            return type(part).__name__, tuple(shape(getattr(part, name)) for name in kept)
        return part

    return shape(value)


def _read_elsewhere(model: Model, constant: str, left_out: set[str]) -> Place | None:
    """Where a constant is read other than to say which names there are.

    `left_out` are the variables and properties that do not count.
    """
    for file in model.universe.files.values():
        tree = ast.parse(file.text)
        listed = {id(each) for node in ast.walk(tree) for each in _listed(node)}
        for node in _but(tree, left_out):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    found = name == constant and id(node) not in listed
                case ast.Attribute(attr=name):
                    found = name == constant
                case ast.alias(name=name, asname=str()):
                    found = name == constant
                case _:
                    found = False
            if found:
                return Place.of(node, file.path)
    return None


def _listed(node: ast.AST) -> list[ast.expr]:
    """What `OneOf(NAMES)` or `OneOf((OTHER, *NAMES))` lists."""
    match node:
        case ast.Call(func=ast.Name(id="OneOf"), args=[ast.Tuple(elts=parts)]):
            return [part.value for part in parts if isinstance(part, ast.Starred)]
        case ast.Call(func=ast.Name(id="OneOf"), args=[names]):
            return [names]
    return []


def _but(node: ast.AST, left_out: set[str]) -> Iterator[ast.AST]:
    """All nodes but those of what is left out: functions, and declared variables."""
    match node:
        case ast.FunctionDef() if node.name in left_out:
            return
        case ast.AnnAssign(target=ast.Name(id=name)) if name in left_out:
            return
    yield node
    for part in ast.iter_child_nodes(node):
        yield from _but(part, left_out)
