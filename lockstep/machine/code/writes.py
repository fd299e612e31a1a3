"""What a statement writes, as LLVM instructions: a whole variable, or a part of one."""

from __future__ import annotations

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.machine.code.body import Words
from lockstep.machine.code.evaluation import Evaluation
from lockstep.machine.code.layout import RecordLayout, layout_of


class Assignment:
    """One statement that writes, its value and the keys on the way to the part evaluated here.

    Python evaluates the right-hand side before the target's keys.
    """

    def __init__(self, evaluation: Evaluation, statement: ir.Write) -> None:
        self._evaluation = evaluation
        self._shapes = evaluation.shapes
        self._coercion = evaluation.coercion
        self._statement = statement
        self._value = evaluation.value(statement.value)
        self._keys = [
            evaluation.value(step.key) if isinstance(step, ir.KeyStep) else []
            for step in statement.path
        ]

    def applied(self, domain: Domain, old: Words, depth: int = 0) -> Words:
        """A value once it is written to, or its part at the end of the path from `depth` on."""
        place, path = self._statement.place, self._statement.path
        if depth == len(path):
            value, ok = self._coercion.to(self._value, self._statement.value.domain, domain)
            self._evaluation.fail_unless(ok, place)
            return value
        if isinstance(domain, OptionDomain):
            present = self._evaluation.builder.not_(self._shapes.is_none(domain, old))
            self._evaluation.fail_unless(present, place)
            inside = self._shapes.unwrap(domain, old)
            return self._shapes.wrap(domain, self.applied(domain.some, inside, depth))
        step = path[depth]
        if isinstance(step, ir.KeyStep):
            assert isinstance(domain, MapDomain)
            key, ok = self._coercion.to(self._keys[depth], step.key.domain, domain.key)
            self._evaluation.fail_unless(ok, place)
            index, cells = self._shapes.pack(domain.key, key)[0], self._shapes.map_cells(domain)
            cell = self._shapes.unpack(domain.value, self._shapes.cell(cells, old, index))
            changed = self.applied(domain.value, cell, depth + 1)
            packed = self._shapes.pack(domain.value, changed)
            return self._shapes.with_cell(cells, old, index, packed)
        assert isinstance(domain, RecordDomain)
        layout = layout_of(domain)
        assert isinstance(layout, RecordLayout)
        inner, at = layout.parts[step.position]
        field = domain.record.fields[step.name]
        part = self._shapes.unpack(field, self._shapes.part(old, inner, at))
        changed = self.applied(field, part, depth + 1)
        return self._shapes.with_part(old, inner, at, self._shapes.pack(field, changed))
