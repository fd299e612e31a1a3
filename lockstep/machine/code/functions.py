"""Actions and properties of the IR as LLVM functions.

Parameters become loops, the first the outermost. A guard stands in the outermost loop in which
everything that it reads is known, so that what cannot be enabled is not enumerated; a statement
that may fail, or that comes after one, keeps its place in the order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.notation import Kind
from lockstep.language.source import Place
from lockstep.language.totality import statement_may_fail, walk
from lockstep.machine.code.body import I64, POINTER, Body, Word, Words, word
from lockstep.machine.code.expressions import Expressions
from lockstep.machine.code.layout import RecordLayout, layout_of
from lockstep.machine.code.shapes import Shapes
from lockstep.machine.code.state import StateLayout


@dataclass
class Site:
    """A place in the text where there may be no value. `function` is its number in the model."""

    function: int
    name: str
    place: Place


class FunctionBuilder:
    """Makes the functions of one model in one LLVM module."""

    def __init__(
        self, module: llvm.Module, layout: StateLayout, variables: dict[str, Domain]
    ) -> None:
        self._module = module
        self._layout = layout
        self._variables = variables
        self.tables: dict[tuple[int, ...], llvm.GlobalVariable] = {}
        self.sites: list[Site] = []

    def action(
        self, number: int, code: ir.ActionCode, first_label: int | None = None
    ) -> llvm.Function:
        """`name(state, successors)`: writes each successor in turn and returns how many.

        With `first_label` it is `name(state, successors, labels)` and writes the label of each
        successor, too: the first one and how many instances of the action come before.
        """
        made = self._function(number, code.name, pointers=2 if first_label is None else 3)
        state, out, *labels = made.function.args
        made.states[False] = made.words_at(state)
        count = made.body.variable(word(0))
        next_values = {
            name: made.read(name, False)
            for name in dict.fromkeys(
                part.variable for part in code.statements if isinstance(part, ir.Write)
            )
        }

        def innermost(_: llvm.Block) -> None:
            found = made.body.builder.load(count)
            made.put_state(next_values, found, out)
            if first_label is not None:
                label = made.body.builder.add(word(first_label), made.binding(code.parameters))
                made.put_word(label, labels[0], found)
            made.body.builder.store(made.body.builder.add(found, word(1)), count)

        def write(statement: ir.Write) -> None:
            old = next_values[statement.variable]
            next_values[statement.variable] = made.written(statement, old)

        depths = statement_depths(code.parameters, code.statements)
        made.loops(code.parameters, code.statements, depths, write, innermost, len(code.parameters))
        made.body.builder.ret(made.body.builder.load(count))
        made.body.finish()
        return made.function

    def property(self, number: int, code: ir.PropertyCode) -> llvm.Function:
        """`name(before, after, applied)`: 1 if it fails (of a goal: is reached), else 0.

        `applied` is set when the premise of an invariant is satisfied, and every value that was
        asked for is there: of a failure nothing else is told.
        """
        made = self._function(number, code.name, pointers=3)
        before, after, _ = made.function.args
        made.states[False] = made.words_at(before)
        if code.kind is Kind.STEP_INVARIANT:
            made.states[True] = made.words_at(after)
        else:
            made.states[True] = made.states[False]
        builder = made.body.builder
        decided = made.body.block("decided")
        satisfied = made.body.variable(word(0))

        def innermost(_: llvm.Block) -> None:
            holds = made.expressions.truth(code.claim)
            builder.store(word(1), satisfied)
            wanted = holds if code.kind is Kind.SOMETIMES else builder.not_(holds)
            made.body.leave_if(wanted, decided)

        claim = ir.Bind(code.claim.place, -1, code.claim)
        depths = statement_depths(code.parameters, (*code.statements, claim))
        made.loops(code.parameters, code.statements, depths[:-1], None, innermost, max(depths))
        self._answer(made, code, satisfied, 0)
        made.body.enter(decided)
        self._answer(made, code, satisfied, 1)
        made.body.finish()
        return made.function

    def pledges(self, number: int, code: ir.PropertyCode) -> llvm.Function:
        """`name(state, premises, goals)`: 1 or 0 for each binding of a `leads_to`; returns 0."""
        made = self._function(number, code.name, pointers=3)
        state, premises, goals = made.function.args
        made.states[False] = made.states[True] = made.words_at(state)
        assert code.premise is not None
        parts = ((code.premise, premises), (code.claim, goals))

        def innermost(_: llvm.Block) -> None:
            at = made.binding(code.parameters)
            for condition, out in parts:
                truth = made.expressions.truth(condition)
                made.put_word(made.body.word_of(truth), out, at)

        depths = statement_depths(code.parameters, code.statements)
        made.loops(code.parameters, code.statements, depths, None, innermost, len(code.parameters))
        made.body.builder.ret(word(0))
        made.body.finish()
        return made.function

    def _answer(
        self, made: _Function, code: ir.PropertyCode, satisfied: llvm.Value, answer: int
    ) -> None:
        """Return an answer, and say whether the premise was satisfied."""
        builder = made.body.builder
        if code.kind is not Kind.SOMETIMES:
            applied = made.function.args[2]
            builder.store(builder.or_(builder.load(applied), builder.load(satisfied)), applied)
        builder.ret(word(answer))

    def _function(self, number: int, name: str, *, pointers: int) -> _Function:
        kind = llvm.FunctionType(I64, [POINTER] * pointers)
        function = llvm.Function(self._module, kind, f"{number}.{name}")
        function.linkage = "internal"
        for argument in function.args:
            argument.add_attribute("noalias")

        def site(place: Place) -> int:
            self.sites.append(Site(number, name, place))
            return len(self.sites) - 1

        return _Function(function, self._layout, self._variables, self.tables, site)


class _Function:
    """One function under construction."""

    def __init__(
        self,
        function: llvm.Function,
        layout: StateLayout,
        variables: dict[str, Domain],
        tables: dict[tuple[int, ...], llvm.GlobalVariable],
        site: Callable[[Place], int],
    ) -> None:
        self.function = function
        self.body = Body(function)
        self.shapes = Shapes(self.body, tables)
        self.expressions = Expressions(self.shapes, self.read, site)
        self.states: dict[bool, Words] = {}
        self._rounds: list[Word] = []
        self._layout = layout
        self._variables = variables

    def words_at(self, pointer: llvm.Value) -> Words:
        """The words of a state in memory."""
        builder = self.body.builder
        return [
            builder.load(builder.gep(pointer, [word(index)], inbounds=True))
            for index in range(self._layout.words)
        ]

    def read(self, name: str, after: bool) -> Words:
        """A variable of the state before or after."""
        words, layout = self.states[after], self._layout.layouts[name]
        found = [
            self.body.bits_at(words[place.word], place.shift, width)
            for width, place in zip(layout.widths, self._layout.places[name], strict=True)
        ]
        return self.shapes.unpack(self._variables[name], found)

    def put_state(self, changed: dict[str, Words], number: Word, out: llvm.Value) -> None:
        """Write a successor: the words of the state before, the changed variables replaced."""
        builder = self.body.builder
        words = list(self.states[False])
        for name, value in changed.items():
            layout = self._layout.layouts[name]
            packed = self.shapes.pack(self._variables[name], value)
            for part, width, place in zip(
                packed, layout.widths, self._layout.places[name], strict=True
            ):
                if width:
                    hole = ~(((1 << width) - 1) << place.shift) & (2**64 - 1)
                    kept = builder.and_(words[place.word], word(hole))
                    words[place.word] = builder.or_(kept, builder.shl(part, word(place.shift)))
        first = builder.mul(number, word(self._layout.words))
        for index, value_word in enumerate(words):
            at = builder.add(first, word(index))
            builder.store(value_word, builder.gep(out, [at], inbounds=True))

    def put_word(self, value: Word, out: llvm.Value, number: Word) -> None:
        """Write one word of an array."""
        builder = self.body.builder
        builder.store(value, builder.gep(out, [number], inbounds=True))

    def binding(self, parameters: Sequence[ir.ParameterCode]) -> Word:
        """In the innermost loop: how many bindings of the parameters come before this one."""
        builder, number = self.body.builder, word(0)
        for parameter, index in zip(parameters, self._rounds, strict=True):
            number = builder.add(builder.mul(number, word(parameter.domain.size())), index)
        return number

    def loops(
        self,
        parameters: Sequence[ir.ParameterCode],
        statements: Sequence[ir.Statement],
        depths: Sequence[int],
        write: Callable[[ir.Write], None] | None,
        innermost: Callable[[llvm.Block], None],
        innermost_depth: int,
    ) -> None:
        """The statements, each in its loop, and `innermost` inside the loop of its depth."""
        done = self.body.block("done")

        def level(depth: int, following: llvm.Block) -> None:
            for statement, at in zip(statements, depths, strict=True):
                if at == depth:
                    self._statement(statement, following, write)
            if depth == innermost_depth:
                innermost(following)
                return
            parameter = parameters[depth]
            with self.body.loop(word(parameter.domain.size())) as each:
                self._rounds[depth:] = [each.index]
                value = self.shapes.nth(parameter.domain, each.index)
                self.expressions.bind(parameter.slot, value, parameter.domain)
                level(depth + 1, each.next)

        level(0, done)
        self.body.builder.branch(done)
        self.body.enter(done)

    def _statement(
        self,
        statement: ir.Statement,
        following: llvm.Block,
        write: Callable[[ir.Write], None] | None,
    ) -> None:
        match statement:
            case ir.Bind(_, slot, value):
                self.expressions.bind(slot, self.expressions.value(value), value.domain)
            case ir.Guard(_, test):
                holds = self.expressions.truth(test)
                self.body.leave_if(self.body.builder.not_(holds), following)
            case ir.Write():
                assert write is not None
                write(statement)

    def written(self, statement: ir.Write, old: Words) -> Words:
        """A variable's value once a statement has written to it or to a part of it."""
        # Python evaluates the right-hand side before the target's keys.
        value = self.expressions.value(statement.value)
        keys = [
            self.expressions.value(step.key) if isinstance(step, ir.KeyStep) else []
            for step in statement.path
        ]
        domain = self._variables[statement.variable]
        return self._updated(statement, domain, old, 0, value, keys)

    def _updated(
        self,
        statement: ir.Write,
        domain: Domain,
        old: Words,
        depth: int,
        value: Words,
        keys: Sequence[Words],
    ) -> Words:
        place = statement.place
        coercion = self.expressions.coercion
        if depth == len(statement.path):
            moved, ok = coercion.to(value, statement.value.domain, domain)
            self.expressions.fail_unless(ok, place)
            return moved
        if isinstance(domain, OptionDomain):
            present = self.body.builder.not_(self.shapes.is_none(domain, old))
            self.expressions.fail_unless(present, place)
            inside = self.shapes.unwrap(domain, old)
            changed = self._updated(statement, domain.some, inside, depth, value, keys)
            return self.shapes.wrap(domain, changed)
        step = statement.path[depth]
        if isinstance(step, ir.KeyStep):
            assert isinstance(domain, MapDomain)
            key, ok = coercion.to(keys[depth], step.key.domain, domain.key)
            self.expressions.fail_unless(ok, place)
            index, cells = self.shapes.pack(domain.key, key)[0], self.shapes.map_cells(domain)
            part = self.shapes.unpack(domain.value, self.shapes.cell(cells, old, index))
            changed = self._updated(statement, domain.value, part, depth + 1, value, keys)
            packed = self.shapes.pack(domain.value, changed)
            return self.shapes.with_cell(cells, old, index, packed)
        assert isinstance(domain, RecordDomain)
        layout = layout_of(domain)
        assert isinstance(layout, RecordLayout)
        inner, at = layout.parts[step.position]
        field = domain.record.fields[step.name]
        part = self.shapes.unpack(field, self.shapes.part(old, inner, at))
        changed = self._updated(statement, field, part, depth + 1, value, keys)
        return self.shapes.with_part(old, inner, at, self.shapes.pack(field, changed))


def statement_depths(
    parameters: Sequence[ir.ParameterCode], statements: Sequence[ir.Statement]
) -> list[int]:
    """In how many of the parameters' loops each statement must stand."""
    slots = {parameter.slot: depth for depth, parameter in enumerate(parameters, start=1)}
    depths: list[int] = []
    fallible: list[bool] = []
    for statement in statements:
        depth = max(
            (slots.get(node.slot, 0) for node in walk(statement) if isinstance(node, ir.Local)),
            default=0,
        )
        fails = statement_may_fail(statement)
        for earlier, earlier_fails in zip(depths, fallible, strict=True):
            if fails or earlier_fails:
                depth = max(depth, earlier)
        if isinstance(statement, ir.Write):
            depth = len(parameters)
        if isinstance(statement, ir.Bind):
            slots[statement.slot] = depth
        depths.append(depth)
        fallible.append(fails)
    return depths
