"""What the emission of every kind of expression shares: slots, conditions, domains, failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from lockstep.language import ir
from lockstep.language.domains import Domain, SequenceDomain
from lockstep.language.source import Place
from lockstep.machine.code.body import Bit, Body, Word, Words
from lockstep.machine.code.coercion import Coercion
from lockstep.machine.code.shapes import Shapes


class Evaluation(ABC):
    """Emits expressions into a body; a kind of expression emits its parts by way of `value`."""

    def __init__(self, shapes: Shapes, site: Callable[[Place], int]) -> None:
        """`site` gives the number of a place."""
        self.shapes = shapes
        self.coercion = Coercion(shapes)
        self.body: Body = shapes.body
        self.builder = shapes.builder
        self._site = site
        self._slots: dict[int, tuple[Words, Domain]] = {}

    @abstractmethod
    def value(self, node: ir.Expression) -> Words:
        """An expression's value, as one of `node.domain`."""

    def bind(self, slot: int, value: Words, domain: Domain) -> None:
        """Give a slot a value; it may be read where this place is sure to have been passed."""
        self._slots[slot] = value, domain

    def bound(self, node: ir.Local) -> Words:
        """The value of a slot."""
        value, domain = self._slots[node.slot]
        return self.coercion.to(value, domain, node.domain)[0]

    def truth(self, node: ir.Expression) -> Bit:
        """A condition."""
        return self.body.bit_of(self.value(node)[0])

    def as_(self, node: ir.Expression, target: Domain, place: Place | None = None) -> Words:
        """An expression's value as one of `target`, a failure at `place` if it is not one."""
        value, ok = self.coercion.to(self.value(node), node.domain, target)
        if place is not None:
            self.fail_unless(ok, place)
        return value

    def packed(self, node: ir.Expression, target: Domain, place: Place | None = None) -> Words:
        """As `as_`, as a part of something larger."""
        return self.shapes.pack(target, self.as_(node, target, place))

    def fail_unless(self, ok: Bit | None, place: Place) -> None:
        """A failure at `place` unless the bit is set; None always is."""
        if ok is not None:
            self.body.fail_unless(ok, self._site(place))

    def add_item(
        self, domain: Domain, result: Sequence[Word], source: Domain, packed: Words
    ) -> None:
        """Put one more item, packed as one of `source`, into a sequence in variables."""
        assert isinstance(domain, SequenceDomain)
        item = self.coercion.to(self.shapes.unpack(source, packed), source, domain.item)[0]
        packed_item = self.shapes.pack(domain.item, item)
        self.body.store(self.coercion.append(domain, self.body.load(result), packed_item), result)
