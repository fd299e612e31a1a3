"""The typed intermediate representation that every engine but plain Python starts from.

Helpers and procedures are gone: calls are inlined, arguments bound to numbered slots. What is
left is a list of statements per action (bind, guard, write) and expressions without effects.
Every expression carries its place in the source and its type, a domain that its value lies in.
The place of an operation is where Python reports what goes wrong in it.

Evaluation is strict and left to right, except that `And`, `Or`, `Conditional` and the
comprehensions stop early as Python does. An evaluation that Python would refuse (a field of
None, an index past the end, a division by zero, a record field outside its domain) is an error,
never a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from lockstep.language.domains import Domain
from lockstep.language.notation import Kind
from lockstep.language.records import Record
from lockstep.language.source import Place


@dataclass(frozen=True)
class Expression:
    """What all expressions have: where they stand and the type of their value."""

    place: Place
    domain: Domain


@dataclass(frozen=True)
class Literal(Expression):
    """A value known when the model is loaded."""

    value: Any


@dataclass(frozen=True)
class Read(Expression):
    """A state variable, of the state before or (in step invariants) after."""

    variable: str
    after: bool


@dataclass(frozen=True)
class Local(Expression):
    """The value bound to a slot: a parameter, a local name or an iteration variable."""

    slot: int


@dataclass(frozen=True)
class Let(Expression):
    """Bind a slot, then evaluate the body."""

    slot: int
    value: Expression
    body: Expression


@dataclass(frozen=True)
class Field(Expression):
    """A field of a record."""

    record: Expression
    name: str
    position: int


@dataclass(frozen=True)
class Lookup(Expression):
    """A map's value for a key; an error for a key outside the map's domain."""

    mapping: Expression
    key: Expression


@dataclass(frozen=True)
class Item(Expression):
    """An item of a sequence. Only a literal index is ever negative: -1 is the last item.

    With `certain`, a guard or condition has already said that there is one.
    """

    sequence: Expression
    index: Expression
    certain: bool = False


@dataclass(frozen=True)
class Slice(Expression):
    """A stretch of a sequence, its ends cut off as Python does.

    Only a literal end is ever negative: it counts from the sequence's end.
    """

    sequence: Expression
    start: Expression | None
    stop: Expression | None


@dataclass(frozen=True)
class Unwrap(Expression):
    """The value inside an option; an error for None.

    With `certain`, a guard or condition has already excluded None: there is nothing to check.
    """

    option: Expression
    certain: bool = False


@dataclass(frozen=True)
class IsNone(Expression):
    """Whether an option is None."""

    option: Expression


@dataclass(frozen=True)
class Arithmetic(Expression):
    """`+ - * // %` on integers, `//` and `%` rounding down as Python does."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Negate(Expression):
    """Minus an integer."""

    operand: Expression


@dataclass(frozen=True)
class Extremum(Expression):
    """`min` or `max` of two or more integers."""

    largest: bool
    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Compare(Expression):
    """`== !=` on any two values whose types join, `< <= > >=` on integers."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Contains(Expression):
    """Whether a set or sequence has an item; an item that is None is in none."""

    item: Expression
    collection: Expression


@dataclass(frozen=True)
class Subset(Expression):
    """Whether the left set lies in the right one (and differs from it, when `strict`)."""

    strict: bool
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Not(Expression):
    """Negation."""

    operand: Expression


@dataclass(frozen=True)
class And(Expression):
    """Conjunction, left to right, up to the first false."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Or(Expression):
    """Disjunction, left to right, up to the first true."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class Conditional(Expression):
    """`then if test else otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class SetOperation(Expression):
    """`| & - ^` on sets."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Concatenate(Expression):
    """One sequence after another."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class MakeRecord(Expression):
    """A record from one value a field, each checked against the field's domain."""

    record: type[Record]
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class MakeSet(Expression):
    """The set of some values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class MakeSequence(Expression):
    """The sequence of some values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class MakeMap(Expression):
    """The total map that gives, for each value of `key`, the body with the slot bound to it."""

    slot: int
    key: Domain
    body: Expression


@dataclass(frozen=True)
class Size(Expression):
    """How many items a collection has."""

    collection: Expression


@dataclass(frozen=True)
class OverDomain:
    """Iterate over a domain's values in order."""

    domain: Domain


@dataclass(frozen=True)
class OverCollection:
    """Iterate over a collection: a sequence in order, a set in any order.

    No result depends on the order of a set's items.
    """

    collection: Expression


@dataclass(frozen=True)
class OverRange:
    """Iterate over `range(start, stop)`."""

    start: Expression
    stop: Expression


Source: TypeAlias = OverDomain | OverCollection | OverRange


@dataclass(frozen=True)
class Generator:
    """One `for slot in source if conditions` of a comprehension."""

    slot: int
    source: Source
    conditions: tuple[Expression, ...]


class Gather(Enum):
    """What a comprehension makes of its values."""

    ALL = auto()
    ANY = auto()
    SUM = auto()
    MIN = auto()
    MAX = auto()
    SET = auto()
    SEQUENCE = auto()


@dataclass(frozen=True)
class Comprehension(Expression):
    """`all(...)`, `any(...)`, `sum(...)`, `min(...)`, `max(...)`, a set or a sequence of values.

    `default` is the value of an empty `min` or `max`; without it that is an error.
    """

    gather: Gather
    generators: tuple[Generator, ...]
    body: Expression
    default: Expression | None


@dataclass(frozen=True)
class Bind:
    """Give a slot a value."""

    place: Place
    slot: int
    value: Expression


@dataclass(frozen=True)
class Guard:
    """A `require` (in an action) or `when` (in an invariant), or that of a `present`."""

    place: Place
    test: Expression


@dataclass(frozen=True)
class FieldStep:
    """A step into a field, on the way to the part of a variable that is written."""

    name: str
    position: int


@dataclass(frozen=True)
class KeyStep:
    """A step to a map's value for a key, on the way to the part of a variable that is written."""

    key: Expression


@dataclass(frozen=True)
class Write:
    """Give a variable, or a part of it, its value in the next state.

    Writes take effect in order; a later one to the same part wins. `target` is the domain that
    the value is checked against.
    """

    place: Place
    variable: str
    path: tuple[FieldStep | KeyStep, ...]
    value: Expression
    target: Domain


Statement: TypeAlias = Bind | Guard | Write


@dataclass(frozen=True)
class ParameterCode:
    """A parameter: the slot it is bound to, and its domain."""

    name: str
    slot: int
    domain: Domain


@dataclass(frozen=True)
class ActionCode:
    """An action: guards and writes in order. `slots` is how many slots it uses."""

    name: str
    parameters: tuple[ParameterCode, ...]
    statements: tuple[Statement, ...]
    slots: int


@dataclass(frozen=True)
class ShownCode:
    """What a state shows under a name: locals in order, then the value."""

    name: str
    statements: tuple[Statement, ...]
    value: Expression


@dataclass(frozen=True)
class PropertyCode:
    """A property: premises and locals in order, then the claim.

    Of a `leads_to` the claim is the goal, and `premise` what leads to it; else that is None.
    """

    name: str
    kind: Kind
    parameters: tuple[ParameterCode, ...]
    statements: tuple[Statement, ...]
    claim: Expression
    slots: int
    premise: Expression | None = None


@dataclass(frozen=True)
class ModelCode:
    """A whole model in the IR, in the model's own order."""

    variables: tuple[tuple[str, Domain], ...]
    actions: tuple[ActionCode, ...]
    properties: tuple[PropertyCode, ...]

    @property
    def functions(self) -> tuple[ActionCode | PropertyCode, ...]:
        """Actions and properties; engines number the functions of a model in this order."""
        return (*self.actions, *self.properties)
