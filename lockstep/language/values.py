"""The values that states are made of: immutable, hashable, and equal exactly when TLA+ says so.

Integers, booleans, enum members, names, `None`, `frozenset` and `tuple` are Python's own. This
module adds the two shapes that Python lacks in immutable form: records and total maps.
Records and maps are tuples underneath, so that hashing and comparing a whole state runs in C.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from lockstep.language.domains import Domain


class NotInDomain(Exception):
    """A value was about to be stored where its domain does not allow it.

    `place` names what was written (a variable, a field, a key), `value` is what was offered.
    """

    def __init__(self, place: str, value: object, domain: Domain) -> None:
        super().__init__(f"{place} = {value!r} is not in {domain}")
        self.place = place
        self.value = value
        self.domain = domain


class TooManyValues(Exception):
    """A domain was about to be gone through that has too many values for that."""


class FieldedType(type):
    """The type of record and state classes.

    Iterating over such a class gives each of its values: `for m in Message`, as for an enum.
    """

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> FieldedType:
        namespace.setdefault("__slots__", ())  # else each value would carry an empty __dict__
        return super().__new__(mcs, name, bases, namespace, **options)

    def __iter__(cls) -> Iterator[Any]:
        from lockstep.language.domains import domain_of

        return iter(domain_of(cls, cls.__name__))


_RESERVED = frozenset({"fields", "first_values", "of"})


class Fielded(tuple[Any, ...], metaclass=FieldedType):
    """A tuple whose items have names and domains: what records and states have in common.

    A class derived from one with fields has those first, then its own.
    """

    fields: ClassVar[dict[str, Domain]] = {}
    """Name and domain of each field, in order of declaration."""

    def __init_subclass__(cls) -> None:
        if Fielded in cls.__bases__:
            return  # Record and State themselves: no fields yet
        # Domains are built from this module's classes, so they are imported late.
        from lockstep.language.domains import domain_of

        own = inspect.get_annotations(cls)
        for name in own:
            if name.startswith("_") or name in _RESERVED:
                raise TypeError(f"{cls.__name__}.{name}: this name is taken by lockstep itself")
        cls.fields = {
            **cls.fields,
            **{name: domain_of(hint, f"{cls.__name__}.{name}") for name, hint in own.items()},
        }
        for position, name in enumerate(cls.fields):
            setattr(cls, name, property(itemgetter(position)))

    @classmethod
    def of(cls, values: Iterable[object]) -> Self:
        """Build from values that are known to be canonical and in their domains."""
        return tuple.__new__(cls, values)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True)
        )
        return f"{type(self).__name__}({inside})"


@dataclass_transform(kw_only_default=False, frozen_default=True)
class Record(Fielded):
    """A record: `class Request(Record): session: SessionId; epoch: Epoch`.

    Construction checks every field against its domain and raises `NotInDomain`.
    """

    def __init_subclass__(cls) -> None:
        for name in inspect.get_annotations(cls):
            if name in cls.__dict__:
                raise TypeError(f"{cls.__name__}.{name}: a record's field has no default value")
        super().__init_subclass__()

    def __new__(cls, *positional: object, **named: object) -> Self:
        names = list(cls.fields)
        if len(positional) > len(names):
            raise TypeError(
                f"{cls.__name__} has {len(names)} fields, {len(positional)} values given"
            )
        given = dict(zip(names, positional, strict=False))
        for name in named:
            if name in given or name not in cls.fields:
                raise TypeError(f"{cls.__name__} has no field {name!r}, or it is given twice")
        given.update(named)
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{cls.__name__} lacks {', '.join(missing)}")
        return cls.of(
            domain.coerce(given[name], f"{cls.__name__}.{name}")
            for name, domain in cls.fields.items()
        )


AnyRecord = TypeVar("AnyRecord", bound=Record)


def replace(record: AnyRecord, **changes: object) -> AnyRecord:
    """A copy of `record` with some fields changed, as `dataclasses.replace` does."""
    if not isinstance(record, Record):
        raise TypeError(f"replace takes a record, not {record!r}")
    for name in changes:
        if name not in record.fields:
            raise TypeError(f"{type(record).__name__} has no field {name!r}")
    return record.of(
        domain.coerce(changes[name], f"{type(record).__name__}.{name}") if name in changes else kept
        for (name, domain), kept in zip(record.fields.items(), record, strict=True)
    )


class TotalMap(tuple[Any, ...]):
    """A total function from the values of a finite domain: one value a key, in the keys' order.

    Each map domain has a subclass of its own that knows where a key's value stands.
    """

    __slots__ = ()

    positions: ClassVar[dict[object, int]] = {}

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.positions[key])

    def __contains__(self, key: object) -> bool:
        raise TypeError("a total map has every key: ask for its value instead")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.positions)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dict):
            return self.positions.keys() == other.keys() and all(
                self[k] == v for k, v in other.items()
            )
        return tuple.__eq__(self, other) if isinstance(other, tuple) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the keys."""
        return tuple(tuple.__iter__(self))

    def items(self) -> Iterator[tuple[object, Any]]:
        """Pairs of key and value, in the order of the keys."""
        return zip(self.positions, tuple.__iter__(self), strict=True)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self.items()) + "}"
