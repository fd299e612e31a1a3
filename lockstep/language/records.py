"""Records: values whose parts have names and domains, and what an annotation of such a part means.

A record class lists its fields with their domains, and is itself the domain of its records: the two
ideas need each other, and so they stand together.
"""

from __future__ import annotations

import enum
import inspect
import itertools
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform, get_args, get_origin

from lockstep.language.domain import BoolDomain, Domain, EnumDomain
from lockstep.language.values import NotInDomain, OrderedSet


class FieldedType(type):
    """The type of record and state classes.

    Iterating over such a class gives each of its values: `for m in Message`, as for an enum. Once
    made it stays as it is: its values would compare and read in another way than engines know.
    """

    fields: dict[str, Domain]

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> FieldedType:
        namespace.setdefault("__slots__", ())  # else each value would carry an empty __dict__
        made = super().__new__(mcs, name, bases, namespace, **options)
        made._is_made = True
        return made

    def __setattr__(cls, name: str, value: object) -> None:
        if vars(cls).get("_is_made") and name != "__dataclass_transform__":  # a decorator's own
            raise TypeError(f"{cls.__name__}.{name} cannot be set: the class is made already")
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        raise TypeError(f"{cls.__name__}.{name} cannot be removed")

    def __iter__(cls) -> Iterator[Any]:
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


@dataclass(frozen=True)
class RecordDomain(Domain):
    """The records of one class, each field within its own domain."""

    record: type[Record]

    def coerce(self, value: object, place: str) -> Record:
        if type(value) is self.record:
            return value
        raise NotInDomain(place, value, self)

    def __iter__(self) -> Iterator[Record]:
        return map(self.record.of, itertools.product(*self.record.fields.values()))

    def size(self) -> int:
        product = 1
        for field in self.record.fields.values():
            product *= field.size()
        return product

    def __str__(self) -> str:
        return self.record.__name__


_INSTEAD: dict[object, str] = {
    int: "Range(low, high)",
    str: 'OneOf(("one", "another"))',
    float: "Range(low, high)",
    list: "Sequence[Item, most]",
    tuple: "Sequence[Item, most]",
    set: "Set[Item]",
    frozenset: "Set[Item]",
    dict: "Map[Key, Value]",
}


class NoDomain(TypeError):
    """An annotation stands for no domain; `cure` says what does."""

    cure: str | None

    def __init__(self, place: str, hint: object) -> None:
        hint = set if hint is OrderedSet else hint
        origin, parts = get_origin(hint) or hint, ", ".join(map(str, get_args(hint)))
        name = origin.__name__ if isinstance(origin, type) else repr(hint)
        name += f"[{parts}]" if parts else ""
        super().__init__(f"{place}: {name} is not a domain")
        form = _INSTEAD.get(get_origin(hint) or hint)
        self.cure = None if form is None else f"write `{form}`"


class NotAnItem(NoDomain):
    """A collection stands where an item of one belongs."""

    def __init__(self, form: str, item: Domain) -> None:
        TypeError.__init__(self, f"the items of {form} are atoms or records, not {item}")
        self.cure = (
            f"wrap it: `class Inner(Record): items: {item}`, and `{form.replace('Item', 'Inner')}`"
        )


def domain_of(hint: object, place: str) -> Domain:
    """The domain that an annotation stands for; `TypeError` naming `place` when it is none."""
    if isinstance(hint, Domain):
        return hint
    if hint is bool:
        return BoolDomain()
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return EnumDomain(hint)
    if isinstance(hint, type) and issubclass(hint, Record):
        return RecordDomain(hint)
    if isinstance(hint, types.UnionType) and len(hint.__args__) == 2:
        some = [part for part in hint.__args__ if part is not types.NoneType]
        if len(some) == 1:
            return domain_of(some[0], place) | None
    raise NoDomain(place, hint)
