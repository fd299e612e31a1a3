"""Execute the IR: each expression becomes a Python closure over a list of slots.

An independent second reading of a model's text. It shares with plain Python only the values and
the domains; names, calls, guards and writes go through the front end.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from lockstep.explore.engine import EvaluationError, Outcome, Step
from lockstep.language import ir
from lockstep.language.domains import Bag, Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.language.source import Place
from lockstep.language.values import NotInDomain


class Frame:
    """What an evaluation reads: the state before, the state after (or None), and the slots."""

    __slots__ = ("after", "before", "slots")

    def __init__(self, before: State, after: State | None, slots: int) -> None:
        self.before = before
        self.after = after
        self.slots: list[Any] = [None] * slots


Evaluator: TypeAlias = Callable[[Frame], Any]


class Undefined(Exception):
    """An expression has no value in this state."""

    def __init__(self, place: Place, reason: str) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class InterpreterEngine:
    """Execute a model by its IR."""

    name = "interpreter"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.code = lower(model)
        self._positions = {name: index for index, (name, _) in enumerate(self.code.variables)}
        compiler = _Compiler(self._positions)
        self._actions = [(code, compiler.statements(code.statements)) for code in self.code.actions]
        self._properties = {
            code.name: (code, compiler.statements(code.statements), compiler.expression(code.claim))
            for code in self.code.properties
        }

    def successors(self, state: State) -> Iterator[Step]:
        for code, run in self._actions:
            for arguments in itertools.product(*(p.domain for p in code.parameters)):
                frame = Frame(state, None, code.slots)
                for parameter, argument in zip(code.parameters, arguments, strict=True):
                    frame.slots[parameter.slot] = argument
                written = list(state)
                try:
                    if run(frame, written):
                        yield Step(code.name, arguments, state.of(written))
                except Undefined as undefined:
                    raise _located(code.name, undefined) from undefined

    def evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        code, run, claim = self._properties[prop.name]
        wanted = prop.kind is Kind.SOMETIMES
        applied = False
        for arguments in itertools.product(*(p.domain for p in code.parameters)):
            frame = Frame(before, after, code.slots)
            for parameter, argument in zip(code.parameters, arguments, strict=True):
                frame.slots[parameter.slot] = argument
            try:
                if not run(frame, []):
                    continue
                holds = claim(frame)
            except Undefined as undefined:
                raise _located(code.name, undefined) from undefined
            applied = True
            if wanted and holds:
                return Outcome(None, True)
            if not wanted and not holds:
                return Outcome(arguments, True)
        return Outcome(() if wanted else None, applied)


def _located(function: str, undefined: Undefined) -> EvaluationError:
    place = undefined.place
    return EvaluationError(function, place.file, place.line, undefined.reason)


Run: TypeAlias = Callable[[Frame, list[Any]], bool]


class _Compiler:
    """Turns IR nodes into closures."""

    def __init__(self, positions: dict[str, int]) -> None:
        self._positions = positions

    def statements(self, statements: tuple[ir.Statement, ...]) -> Run:
        steps = [self._statement(statement) for statement in statements]

        def run(frame: Frame, written: list[Any]) -> bool:
            return all(step(frame, written) for step in steps)

        return run

    def _statement(self, statement: ir.Statement) -> Run:
        match statement:
            case ir.Bind(_, slot, value):
                evaluate = self.expression(value)

                def bind(frame: Frame, written: list[Any]) -> bool:
                    frame.slots[slot] = evaluate(frame)
                    return True

                return bind
            case ir.Guard(_, test):
                holds = self.expression(test)
                return lambda frame, written: bool(holds(frame))
            case ir.Write():
                return self._write(statement)

    def _write(self, write: ir.Write) -> Run:
        position = self._positions[write.variable]
        value = self.expression(write.value)
        keys = [
            self.expression(step.key) if isinstance(step, ir.KeyStep) else None
            for step in write.path
        ]
        target, path, place = write.target, write.path, write.place

        def update(domain: Domain, old: Any, depth: int, new: object, found: list[Any]) -> Any:
            if depth == len(path):
                return domain.coerce(new, write.variable)
            if isinstance(domain, OptionDomain):
                if old is None:
                    raise Undefined(place, f"{write.variable} is None: it has no part to write")
                domain = domain.some
            step = path[depth]
            if isinstance(step, ir.KeyStep):
                assert isinstance(domain, MapDomain)
                try:
                    inner = update(domain.value, old[found[depth]], depth + 1, new, found)
                    return domain.updated(old, found[depth], inner)
                except KeyError:
                    raise Undefined(place, f"{found[depth]!r} is no key of {domain}") from None
            assert isinstance(domain, RecordDomain)
            values = list(old)
            field = domain.record.fields[step.name]
            values[step.position] = update(field, values[step.position], depth + 1, new, found)
            return domain.record.of(values)

        def run(frame: Frame, written: list[Any]) -> bool:
            # Python evaluates the right-hand side before the target's keys.
            new = value(frame)
            found = [None if key is None else key(frame) for key in keys]
            domain = target if not path else dict(frame.before.fields)[write.variable]
            try:
                written[position] = update(domain, written[position], 0, new, found)
            except NotInDomain as error:
                raise Undefined(place, str(error)) from None
            return True

        return run

    def expression(self, node: ir.Expression) -> Evaluator:
        """A closure that gives the node's value in a frame."""
        method: Callable[[Any], Evaluator] = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node)

    def _literal(self, node: ir.Literal) -> Evaluator:
        value = node.value
        return lambda frame: value

    def _read(self, node: ir.Read) -> Evaluator:
        position = self._positions[node.variable]
        if node.after:
            return lambda frame: tuple.__getitem__(frame.after or frame.before, position)
        return lambda frame: tuple.__getitem__(frame.before, position)

    def _local(self, node: ir.Local) -> Evaluator:
        slot = node.slot
        return lambda frame: frame.slots[slot]

    def _let(self, node: ir.Let) -> Evaluator:
        slot, value, body = node.slot, self.expression(node.value), self.expression(node.body)

        def evaluate(frame: Frame) -> Any:
            frame.slots[slot] = value(frame)
            return body(frame)

        return evaluate

    def _field(self, node: ir.Field) -> Evaluator:
        record, position = self.expression(node.record), node.position
        return lambda frame: tuple.__getitem__(record(frame), position)

    def _lookup(self, node: ir.Lookup) -> Evaluator:
        mapping, key, place = self.expression(node.mapping), self.expression(node.key), node.place

        def evaluate(frame: Frame) -> Any:
            found, wanted = mapping(frame), key(frame)
            try:
                return found[wanted]
            except KeyError:
                raise Undefined(place, f"{wanted!r} is no key of this map") from None

        return evaluate

    def _item(self, node: ir.Item) -> Evaluator:
        sequence, index, place = (
            self.expression(node.sequence),
            self.expression(node.index),
            node.place,
        )

        def evaluate(frame: Frame) -> Any:
            found, wanted = sequence(frame), index(frame)
            if not -len(found) <= wanted < len(found):
                raise Undefined(place, f"there is no item {wanted} in a sequence of {len(found)}")
            return found[wanted]

        return evaluate

    def _slice(self, node: ir.Slice) -> Evaluator:
        sequence = self.expression(node.sequence)
        start = None if node.start is None else self.expression(node.start)
        stop = None if node.stop is None else self.expression(node.stop)
        return lambda frame: sequence(frame)[
            None if start is None else start(frame) : None if stop is None else stop(frame)
        ]

    def _unwrap(self, node: ir.Unwrap) -> Evaluator:
        option, place = self.expression(node.option), node.place

        def evaluate(frame: Frame) -> Any:
            value = option(frame)
            if value is None:
                raise Undefined(place, "this is None here")
            return value

        return evaluate

    def _isnone(self, node: ir.IsNone) -> Evaluator:
        option = self.expression(node.option)
        return lambda frame: option(frame) is None

    def _arithmetic(self, node: ir.Arithmetic) -> Evaluator:
        left, right, place = self.expression(node.left), self.expression(node.right), node.place
        apply = _BINARY[node.operator]

        def evaluate(frame: Frame) -> Any:
            try:
                return apply(left(frame), right(frame))
            except ZeroDivisionError:
                raise Undefined(place, "division by zero") from None

        return evaluate

    def _negate(self, node: ir.Negate) -> Evaluator:
        operand = self.expression(node.operand)
        return lambda frame: -operand(frame)

    def _extremum(self, node: ir.Extremum) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        pick = max if node.largest else min
        return lambda frame: pick(item(frame) for item in items)

    def _binary(self, node: ir.Compare | ir.SetOperation) -> Evaluator:
        left, right = self.expression(node.left), self.expression(node.right)
        apply = _BINARY[node.operator]
        return lambda frame: apply(left(frame), right(frame))

    _compare = _binary
    _setoperation = _binary

    def _contains(self, node: ir.Contains) -> Evaluator:
        item, collection = self.expression(node.item), self.expression(node.collection)

        def evaluate(frame: Frame) -> bool:
            wanted = item(frame)
            return wanted in collection(frame)

        return evaluate

    def _subset(self, node: ir.Subset) -> Evaluator:
        left, right = self.expression(node.left), self.expression(node.right)
        if node.strict:
            return lambda frame: left(frame) < right(frame)
        return lambda frame: left(frame) <= right(frame)

    def _not(self, node: ir.Not) -> Evaluator:
        operand = self.expression(node.operand)
        return lambda frame: not operand(frame)

    def _and(self, node: ir.And) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: all(item(frame) for item in items)

    def _or(self, node: ir.Or) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: any(item(frame) for item in items)

    def _conditional(self, node: ir.Conditional) -> Evaluator:
        test, then = self.expression(node.test), self.expression(node.then)
        otherwise = self.expression(node.otherwise)
        return lambda frame: then(frame) if test(frame) else otherwise(frame)

    def _concatenate(self, node: ir.Concatenate) -> Evaluator:
        left, right = self.expression(node.left), self.expression(node.right)
        return lambda frame: left(frame) + right(frame)

    def _makerecord(self, node: ir.MakeRecord) -> Evaluator:
        parts = [
            (self.expression(value), domain, name)
            for value, (name, domain) in zip(node.values, node.record.fields.items(), strict=True)
        ]
        record, place = node.record, node.place

        def evaluate(frame: Frame) -> Any:
            values = [(value(frame), domain, name) for value, domain, name in parts]
            try:
                return record.of(
                    domain.coerce(value, f"{record.__name__}.{name}")
                    for value, domain, name in values
                )
            except NotInDomain as error:
                raise Undefined(place, str(error)) from None

        return evaluate

    def _makeset(self, node: ir.MakeSet) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: frozenset(item(frame) for item in items)

    def _makesequence(self, node: ir.MakeSequence) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: tuple(item(frame) for item in items)

    def _makebag(self, node: ir.MakeBag) -> Evaluator:
        items = [self.expression(item) for item in node.items]
        return lambda frame: Bag(item(frame) for item in items)

    def _makemap(self, node: ir.MakeMap) -> Evaluator:
        slot, body = node.slot, self.expression(node.body)
        domain = node.domain
        assert isinstance(domain, MapDomain)
        keys = tuple(node.key)

        def values(frame: Frame) -> Iterator[Any]:
            for key in keys:
                frame.slots[slot] = key
                yield body(frame)

        return lambda frame: domain.of(values(frame))

    def _size(self, node: ir.Size) -> Evaluator:
        collection = self.expression(node.collection)
        return lambda frame: len(collection(frame))

    def _bagcount(self, node: ir.BagCount) -> Evaluator:
        bag, item = self.expression(node.bag), self.expression(node.item)
        return lambda frame: bag(frame).count(item(frame))

    def _bagadd(self, node: ir.BagAdd) -> Evaluator:
        bag, item = self.expression(node.bag), self.expression(node.item)
        return lambda frame: bag(frame).add(item(frame))

    def _bagremove(self, node: ir.BagRemove) -> Evaluator:
        bag, item, place = self.expression(node.bag), self.expression(node.item), node.place

        def evaluate(frame: Frame) -> Any:
            held, wanted = bag(frame), item(frame)
            if wanted not in held:
                raise Undefined(place, f"{wanted!r} is not in the bag")
            return held.remove(wanted)

        return evaluate

    def _comprehension(self, node: ir.Comprehension) -> Evaluator:
        rounds = self._rounds(node.generators)
        body, place = self.expression(node.body), node.place

        def values(frame: Frame) -> Iterator[Any]:
            return (body(frame) for _ in rounds(frame))

        match node.gather:
            case ir.Gather.ALL:
                return lambda frame: all(values(frame))
            case ir.Gather.ANY:
                return lambda frame: any(values(frame))
            case ir.Gather.SUM:
                return lambda frame: sum(values(frame))
            case ir.Gather.SET:
                return lambda frame: frozenset(values(frame))
            case ir.Gather.SEQUENCE:
                return lambda frame: tuple(values(frame))
            case ir.Gather.MIN | ir.Gather.MAX:
                pick = min if node.gather is ir.Gather.MIN else max
                default = None if node.default is None else self.expression(node.default)

                def evaluate(frame: Frame) -> Any:
                    found = list(values(frame))
                    fallback = None if default is None else default(frame)
                    if not found and default is None:
                        raise Undefined(place, f"{pick.__name__} of nothing")
                    return pick(found) if found else fallback

                return evaluate

    def _rounds(self, generators: tuple[ir.Generator, ...]) -> Callable[[Frame], Iterator[None]]:
        """Bind the iteration variables to each combination in turn that meets the conditions."""
        if not generators:
            return lambda frame: iter((None,))
        first, rest = generators[0], self._rounds(generators[1:])
        source = self._source(first.source)
        tests = [self.expression(test) for test in first.conditions]
        slot = first.slot

        def rounds(frame: Frame) -> Iterator[None]:
            for item in source(frame):
                frame.slots[slot] = item
                if all(test(frame) for test in tests):
                    yield from rest(frame)

        return rounds

    def _source(self, source: ir.Source) -> Evaluator:
        match source:
            case ir.OverDomain(domain):
                return lambda frame: domain
            case ir.OverCollection(collection):
                return self.expression(collection)
            case ir.OverRange(start, stop):
                low, high = self.expression(start), self.expression(stop)
                return lambda frame: range(low(frame), high(frame))
