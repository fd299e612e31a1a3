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
from lockstep.machine.code.coercion import Evaluation
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

    def function(
        self, code: ir.ModelCode, number: int, first_labels: Sequence[int]
    ) -> llvm.Function:
        """The function of a number, which counts the model's actions and then its properties."""
        one = code.functions[number]
        if isinstance(one, ir.ActionCode):
            return self.action(number, one, first_labels[number])
        return (self.pledges if one.kind is Kind.LEADS_TO else self.property)(number, one)

    def action(self, number: int, code: ir.ActionCode, first_label: int) -> llvm.Function:
        """`name(state, successors, labels)`: writes each successor in turn and returns how many.

        The label of each is `first_label` and how many instances of the action come before.
        """
        function = self._function(number, code.name, pointers=3)
        body, builder = function.body, function.body.builder
        state, successors, labels = function.arguments
        function.states[False] = function.words_at(state)
        count = body.variable(word(0))
        next_values = {
            name: function.read(name, False)
            for name in dict.fromkeys(
                part.variable for part in code.statements if isinstance(part, ir.Write)
            )
        }

        def write(statement: ir.Write) -> None:
            name = statement.variable
            assignment = Assignment(function.expressions, statement)
            next_values[name] = assignment.applied(self._variables[name], next_values[name])

        def innermost(_: llvm.Block) -> None:
            position = builder.load(count)
            function.put_state(next_values, position, successors)
            label = builder.add(word(first_label), function.binding(code.parameters))
            function.put_word(label, labels, position)
            builder.store(builder.add(position, word(1)), count)

        depths = statement_depths(code.parameters, code.statements)
        function.loops(code, [*depths, len(code.parameters)], innermost, write)
        builder.ret(builder.load(count))
        return function.finished()

    def property(self, number: int, code: ir.PropertyCode) -> llvm.Function:
        """`name(before, after, applied)`: 1 if it fails (of a goal: is reached), else 0.

        `applied` is set when the premise of an invariant is satisfied, and every value that was
        asked for is there: a failure says nothing else.
        """
        function = self._function(number, code.name, pointers=3)
        before, after, _ = function.arguments
        function.states[False] = function.states[True] = function.words_at(before)
        if code.kind is Kind.STEP_INVARIANT:
            function.states[True] = function.words_at(after)
        body, builder = function.body, function.body.builder
        decided = body.block("decided")
        satisfied = body.variable(word(0))

        def innermost(_: llvm.Block) -> None:
            holds = function.expressions.truth(code.claim)
            builder.store(word(1), satisfied)
            wanted = holds if code.kind is Kind.SOMETIMES else builder.not_(holds)
            body.leave_if(wanted, decided)

        claim = ir.Bind(code.claim.place, -1, code.claim)
        depths = statement_depths(code.parameters, (*code.statements, claim))
        function.loops(code, [*depths[:-1], max(depths)], innermost)
        self._answer(function, code, satisfied, 0)
        body.enter(decided)
        self._answer(function, code, satisfied, 1)
        return function.finished()

    def pledges(self, number: int, code: ir.PropertyCode) -> llvm.Function:
        """`name(state, premises, goals)`: 1 or 0 for each binding of a `leads_to`; returns 0."""
        function = self._function(number, code.name, pointers=3)
        state, premises, goals = function.arguments
        function.states[False] = function.states[True] = function.words_at(state)
        assert code.premise is not None
        parts = ((code.premise, premises), (code.claim, goals))

        def innermost(_: llvm.Block) -> None:
            binding = function.binding(code.parameters)
            for condition, out in parts:
                truth = function.expressions.truth(condition)
                function.put_word(function.body.word_of(truth), out, binding)

        depths = statement_depths(code.parameters, code.statements)
        function.loops(code, [*depths, len(code.parameters)], innermost)
        function.body.builder.ret(word(0))
        return function.finished()

    def _answer(
        self, function: _Function, code: ir.PropertyCode, satisfied: llvm.Value, answer: int
    ) -> None:
        """Return an answer, and say whether the premise was satisfied."""
        builder = function.body.builder
        if code.kind is not Kind.SOMETIMES:
            applied = function.arguments[2]
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
        self.arguments = function.args
        self._function = function
        self.body = Body(function)
        self.shapes = Shapes(self.body, tables)
        self.expressions = Expressions(self.shapes, self.read, site)
        self.states: dict[bool, Words] = {}
        self._rounds: list[Word] = []
        self._layout = layout
        self._variables = variables

    def finished(self) -> llvm.Function:
        """The function, every block of which is terminated."""
        self.body.finish()
        return self._function

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
        packed = [
            self.body.bits_at(words[place.word], place.shift, width)
            for width, place in zip(layout.widths, self._layout.places[name], strict=True)
        ]
        return self.shapes.unpack(self._variables[name], packed)

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
        code: ir.ActionCode | ir.PropertyCode,
        depths: Sequence[int],
        innermost: Callable[[llvm.Block], None],
        write: Callable[[ir.Write], None] | None = None,
    ) -> None:
        """The statements, each in the loop of its depth; the last depth is that of `innermost`."""
        done = self.body.block("done")

        def level(depth: int, following: llvm.Block) -> None:
            for statement, its_depth in zip(code.statements, depths, strict=False):
                if its_depth == depth:
                    self._statement(statement, following, write)
            if depth == depths[-1]:
                innermost(following)
                return
            parameter = code.parameters[depth]
            with self.body.loop(word(parameter.domain.size())) as loop:
                self._rounds[depth:] = [loop.index]
                value = self.shapes.nth(parameter.domain, loop.index)
                self.expressions.bind(parameter.slot, value, parameter.domain)
                level(depth + 1, loop.next)

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
