"""The domains of a random model, and the declarations that its text needs for them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import TypeVar

from lockstep.language.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.records import FieldedType, Record
from tests.random_models.parts.choices import Choices
from tests.random_models.parts.pieces import BOOL
from tests.random_models.parts.size import USUAL, Size

WIDE = RangeDomain(0, 2**31 - 1)

_RANGES = {
    "UpTo1": RangeDomain(0, 1),
    "UpTo2": RangeDomain(0, 2),
    "Signed": RangeDomain(-1, 1),
    "OneTo3": RangeDomain(1, 3),
    "Wide": WIDE,
}
_NAMES: dict[str, tuple[str | int, ...]] = {
    "Node": ("n1", "n2"),
    "Peer": ("n3", "n2", "n1"),
    "Ident": (1, 5),
}
MEMBER = NameDomain(("m1", "m2", "m3"), interchangeable=True)
"""Names of which none is special; the texts avoid to mention one."""

SLOT = RangeDomain(1, 70)
TOPIC = NameDomain(tuple(f"t{number}" for number in range(100)))
"""Items of which a set takes more than one word."""


class Phase(enum.Enum):
    """An enum of the random models, here as there."""

    IDLE = 0
    BUSY = 1


class Color(enum.Enum):
    """The same, its members in another order than their values."""

    RED = 0
    GREEN = 2
    BLUE = 1


_Declared = TypeVar("_Declared", bound=Domain)

MOST = 6
"""The most values of a domain that anything iterates over, but for those of the wide sets."""


def is_interchangeable(domain: Domain) -> bool:
    """Whether the values of a domain are names of which none is special."""
    return isinstance(domain, NameDomain) and domain.interchangeable


class Vocabulary:
    """Declares what a text mentions, once, before it is mentioned.

    `declared` maps a name to its declaration, in an order in which Python can run them;
    `constants` are the values that a scope gives instead of those in the text. With `is_symmetric`
    many names are those of which none is special.
    """

    def __init__(self, choices: Choices, size: Size = USUAL, *, symmetric: bool = False) -> None:
        self._choices = choices
        self._size = size
        self.is_symmetric = symmetric
        self.declared: dict[str, str] = {}
        self.constants: dict[str, object] = {}
        self._names: dict[Domain, str] = {BOOL: "Bool"}
        self._records: list[RecordDomain] = []
        self._many: RecordDomain | None = None
        self._limit: int | None = None

    def name(self, domain: Domain) -> str:
        """The name by which a domain of atoms or records is iterated over."""
        return self._names[domain]

    def annotation(self, domain: Domain) -> str:
        """The domain as an annotation."""
        match domain:
            case OptionDomain(some):
                return f"{self.annotation(some)} | None"
            case SetDomain(item):
                return f"Set[{self.annotation(item)}]"
            case SequenceDomain(item, capacity):
                return f"Sequence[{self.annotation(item)}, {capacity}]"
            case MapDomain(key, value):
                return f"Map[{self.annotation(key)}, {self.annotation(value)}]"
        return "bool" if domain == BOOL else self.name(domain)

    def hoisted(self, text: str) -> str:
        """The name of a module-level value with this text."""
        name = f"VALUE{len(self.declared)}"
        self.declared[name] = f"{name} = {text}"
        return name

    @property
    def integers(self) -> list[str]:
        """The names of the constants that are integers, and what they are worth."""
        return [] if self._limit is None else ["LIMIT"]

    @property
    def limit(self) -> int:
        """The value of the constant LIMIT."""
        if self._limit is None:
            self._limit = 1 + self._choices.below(2)
            if self._choices.now_and_then(4):
                self.declared["LIMIT"] = "LIMIT: Constant = 7"
                self.constants["LIMIT"] = self._limit
            else:
                self.declared["LIMIT"] = f"LIMIT: Constant = {self._limit}"
        return self._limit

    def range(self, *, wide: bool = False) -> RangeDomain:
        """A domain of integers."""
        names = ["UpTo1", "UpTo2", "UpToLimit", "Signed", "OneTo3"] + ["Wide"] * wide
        name = self._choices.pick(names)
        domain = RangeDomain(0, self.limit) if name == "UpToLimit" else _RANGES[name]
        ends = "0, LIMIT" if name == "UpToLimit" else f"{domain.low}, {domain.high}"
        return self._declare(name, f"{name} = Range({ends})", domain)

    def names(self) -> NameDomain:
        """A domain of names; two of them overlap."""
        if self.is_symmetric and self._choices.below(4):
            return self.member()
        name = self._choices.pick(list(_NAMES))
        domain = NameDomain(_NAMES[name])
        if name not in self.declared and self._choices.now_and_then(3):
            constant = f"{name.upper()}S"
            self.declared[constant] = f"{constant}: Constant = {domain.names}"
            return self._declare(name, f"{name} = OneOf({constant})", domain)
        return self._declare(name, f"{name} = OneOf({domain.names})", domain)

    def member(self) -> NameDomain:
        """The domain of names of which none is special."""
        text = f"Member = OneOf({MEMBER.names}, interchangeable=True)"
        return self._declare("Member", text, MEMBER)

    def enumeration(self) -> EnumDomain:
        """A domain of enum members."""
        members = self._choices.pick((Phase, Color))
        lines = "".join(f"\n    {member.name} = {member.value}" for member in members)
        name = members.__name__
        return self._declare(name, f"class {name}(Enum):{lines}", EnumDomain(members))

    def scalar(self, *, wide: bool = False) -> Domain:
        """A domain of atoms."""
        kind = self._choices.below(6)
        if kind == 0:
            return BOOL
        if kind <= 2:
            return self.range(wide=wide)
        return self.enumeration() if kind == 3 else self.names()

    def held(self) -> Domain:
        """A domain of atoms for a variable: no name of those that are alike stands out."""
        domain = self.scalar(wide=True)
        return OptionDomain(domain) if is_interchangeable(domain) else domain

    def key(self) -> Domain:
        """A domain of map keys."""
        kind = 0 if self.is_symmetric else self._choices.below(5)
        if kind <= 1:
            return self.names()
        if kind == 2:
            return BOOL
        return self.range() if kind == 3 else self.enumeration()

    def record(self, depth: int) -> RecordDomain:
        """A record's domain, with fields of domains up to that depth."""
        if self._records and (len(self._records) == 2 or self._choices.below(3)):
            return self._choices.pick(self._records)
        base: type[Record] = Record
        if self._records and self._choices.now_and_then(3):
            base = self._records[0].record
        first = len(base.fields)
        count = 1 + self._choices.below(2)
        own = {f"f{first + n}": self.domain(depth - 1) for n in range(count)}
        name = f"Message{len(self._records) + 1}"  # counted after those inside it
        domain = self._record(name, base, own)
        self._records.append(domain)
        return domain

    def _record(self, name: str, base: type[Record], own: Mapping[str, Domain]) -> RecordDomain:
        lines = "".join(f"\n    {field}: {self.annotation(d)}" for field, d in own.items())
        record = FieldedType(name, (base,), {"__annotations__": dict(own)})
        assert issubclass(record, Record)
        return self._declare(name, f"class {name}({base.__name__}):{lines}", RecordDomain(record))

    def item(self, depth: int) -> Domain:
        """A domain of which collections can be made: atoms, or records of few values."""
        if depth > 0 and self._choices.now_and_then(3):
            record = self.record(depth)
            if record.size() <= MOST:
                return record
        return self.scalar()

    def many(self) -> Domain:
        """A domain of more items than a word has bits."""
        kind = self._choices.below(3)
        if kind == 0:
            return self._declare("Slot", f"Slot = Range({SLOT.low}, {SLOT.high})", SLOT)
        if kind == 1:
            names = f'f"t{{n}}" for n in range({TOPIC.size()})'
            return self._declare("Topic", f"Topic = OneOf(tuple({names}))", TOPIC)
        return self._books()

    def _books(self) -> RecordDomain:
        """Records of which there are that many, though not as many as their bits could tell."""
        if self._many is None:
            shelf = self._declare("Shelf", "Shelf = Range(0, 10)", RangeDomain(0, 10))
            fields = {"f0": shelf, "f1": self.enumeration(), "f2": OptionDomain(BOOL)}
            self._many = self._record("Book", Record, fields)
        return self._many

    def domain(self, depth: int) -> Domain:
        """A domain of which the parts go no deeper than that."""
        if depth <= 0:
            return self.held()
        makers: list[Callable[[], Domain]] = [
            self.held,
            lambda: OptionDomain(self.scalar()),
            lambda: SetDomain(
                self.many()
                if self._choices.now_and_then(self._size.wide_sets)
                else self.item(depth - 1)
            ),
            lambda: MapDomain(self.key(), self.domain(depth - 1)),
            lambda: SequenceDomain(self.item(depth - 1), 1 + self._choices.below(3)),
            lambda: self.record(depth),
            lambda: OptionDomain(self.record(depth)),
        ]
        return self._choices.pick(makers)()

    def enumerable(self, most: int = 3) -> Domain:
        """A domain of few values, for parameters."""
        kind = self._choices.below(8)
        if kind >= 6:
            domain: Domain = self.domain(1)
            if domain.size() <= MOST:
                return domain
        domain = self.scalar()
        if kind == 5 and domain.size() < most:
            domain = OptionDomain(domain)
        return domain

    def iterated(self) -> Domain:
        """A domain that has a name to iterate over."""
        wide = [domain for domain in (SLOT, TOPIC, self._many) if domain in self._names]
        if wide and self._choices.now_and_then(4):
            return self._choices.pick(wide)
        small = [record for record in self._records if record.size() <= MOST]
        if small and self._choices.now_and_then(4):
            return self._choices.pick(small)
        return self.scalar()

    def _declare(self, name: str, text: str, domain: _Declared) -> _Declared:
        if name not in self.declared:
            self.declared[name] = text
        self._names.setdefault(domain, name)
        return domain
