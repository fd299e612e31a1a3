"""Proofs for any number of names: of partitions, of slots, of whatever a constant lists.

The names are those of a constant that only says which there are: `Partition = OneOf(PARTITIONS,
interchangeable=True)`. How many of them matter at once is counted (`witnesses`); the model is then
proved with one name, with two, and so on up to that many, and so for every number.

What adds up something over all names cannot be proved like that, nor can variables whose domain
depends on their number. Those properties are left out, and so is what is written to variables that
nothing else reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lockstep.errors import unknown
from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.language.symmetry import Name
from lockstep.language.totality import walk
from lockstep.prove.induction import prove
from lockstep.prove.names import Instance, Names, Unlimited, why_special
from lockstep.prove.proofs import MEANING, Induction, Proof
from lockstep.prove.relation import Relation
from lockstep.prove.values import NotProvable
from lockstep.prove.witnesses import Counting

Load: TypeAlias = Callable[[tuple[Name, ...]], Model]
"""Loads a model with some names in place of a constant's own."""

_PROVED = (Kind.INVARIANT, Kind.STEP_INVARIANT)
_MOST = 8
"""The most names with which a model is tried."""


@dataclass(frozen=True)
class Enough:
    """With `names` names of a constant a model shows all that it does with more.

    `left_out` names the properties for which that is not so, and why; `unread` are variables to
    which nothing is written in the proof, for nothing that is left reads them.
    """

    constant: str
    names: int
    left_out: Mapping[str, str]
    unread: tuple[str, ...]


def names_for(constant: str, model: Model) -> Callable[[int], tuple[Name, ...]]:
    """How to name so many: as the constant does, and on from there."""
    own = model.constants.get(constant)
    if not isinstance(own, tuple) or not own or not all(type(name) in (str, int) for name in own):
        listing = [name for name, value in model.constants.items() if isinstance(value, tuple)]
        problem = f"{model.name} has no constant {constant} that lists names"
        raise unknown(problem, constant, listing, "those that do are")

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

    Three names and four are looked at: with fewer, some could be distinguished by mistake.
    """
    few, more = load(names(3)), load(names(4))
    few_code, more_code = lower(few), lower(more)
    counting = Counting(Names(frozenset(names(4))))
    left_out = {
        prop.name: why
        for prop in more_code.properties
        if prop.kind in _PROVED and (why := _why_unlimited(counting, prop)) is not None
    }
    codes = [_without(code, left_out) for code in (few_code, more_code)]
    unread = tuple(sorted(_unread(codes[1])))
    pairs = zip((few, more), (3, 4), codes, strict=True)
    fewer, larger = (
        Instance(model, _not_writing(code, unread), unread, names(count))
        for model, count, code in pairs
    )
    if (why := why_special(constant, fewer, larger, set(left_out))) is not None:
        raise _none(constant, why)
    try:
        return Enough(constant, _counted(counting, larger.code), left_out, unread)
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
    proofs: dict[str, Proof] = {}
    result = Induction(1)
    for count in range(1, enough.names + 1):
        model = load(names(count))
        code = _not_writing(_without(lower(model), enough.left_out), enough.unread)

        def progress(step: str, count: int = count) -> None:
            if on_progress is not None:
                on_progress(f"{count} of {enough.names} {constant}: {step}")

        induction = prove(Relation(model, code), max_seconds=max_seconds, on_progress=progress)
        for proof in induction.proofs:
            before = proofs.get(proof.name)
            if before is None or before.proved:
                seconds = proof.seconds + (before.seconds if before else 0.0)
                proofs[proof.name] = replace(proof, seconds=seconds)
        result.obligations += [
            replace(obligation, name=f"{count}-{obligation.name}")
            for obligation in induction.obligations
        ]
        result.silence = induction.silence  # that of the most names, where most can happen
        result.seconds += induction.seconds
        if induction.interrupted:
            result.interrupted = True
            break
    # Names can be forgotten only where what is left still has a meaning.
    missing = "interrupted" if result.interrupted else proofs[MEANING].because
    if result.interrupted or not proofs[MEANING].proved:
        proofs = {
            name: replace(proof, proved=False, because=proof.because or missing)
            for name, proof in proofs.items()
        }
    provable = [prop.name for prop in model.properties if prop.kind in _PROVED]
    result.proofs = [
        proofs.get(name) or Proof(name, False, 0.0, enough.left_out.get(name, "interrupted"))
        for name in (*provable, MEANING)
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
    state = sum(counting.names.held_in(domain) for _, domain in code.variables)
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
        prop for prop in code.properties if prop.kind in _PROVED and prop.name not in properties
    )
    return replace(code, properties=tuple(kept))


def _unread(code: ir.ModelCode) -> set[str]:
    """The variables that no property, no guard, and nothing that is written to another reads."""
    statements = [statement for action in code.actions for statement in action.statements]
    writes = [statement for statement in statements if isinstance(statement, ir.Write)]
    others = [statement for statement in statements if not isinstance(statement, ir.Write)]
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


def _none(constant: str, why: str) -> NotProvable:
    return NotProvable(
        f"no number of {constant} stands for all numbers: {why}",
        cure="prove it with the names listed, and say so",
    )
