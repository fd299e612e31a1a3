"""Execute the IR: each statement and expression becomes a Python closure over a list of slots.

An independent second reading of a model's text. It shares with plain Python only the values and
the domains; names, calls, guards and writes go through the front end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.language.values import NotInDomain
from lockstep.plain.engine import Outcome, Parameters, Pledge, owed, unwatched
from lockstep.plain.supervision import advice
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step
from tests.interpreter.closures import ExpressionCompiler, Frame, Undefined


class InterpreterEngine:
    """Execute a model by its IR."""

    name = "interpreter"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.watch: Callable[[], None] = unwatched
        self.code = lower(model)
        positions = {name: index for index, (name, _) in enumerate(self.code.variables)}
        expressions = ExpressionCompiler(positions)
        compiler = _Statements(expressions, dict(self.code.variables), positions)
        run = compiler.statements
        self._actions = [(code, run(code.statements)) for code in self.code.actions]
        self._properties = {
            code.name: (code, run(code.statements), expressions.expression(code.claim))
            for code in self.code.properties
        }
        self._premises = {
            code.name: expressions.expression(code.premise)
            for code in self.code.properties
            if code.premise is not None
        }
        codes: list[ir.ActionCode | ir.PropertyCode] = [*self.code.actions, *self.code.properties]
        self._parameters = {
            code.name: Parameters([parameter.domain for parameter in code.parameters])
            for code in codes
        }

    def successors(self, state: State) -> Iterator[Step]:
        for code, run in self._actions:
            for arguments in self._parameters[code.name]:
                self.watch()
                frame = Frame(state, None, code.slots)
                for parameter, argument in zip(code.parameters, arguments, strict=True):
                    frame.slots[parameter.slot] = argument
                written = list(state)
                try:
                    if run(frame, written):
                        yield Step(code.name, arguments, state.of(written))
                except Undefined as undefined:
                    raise _located(code.name, undefined) from undefined

    def pledges(self, prop: Property, state: State) -> Iterator[Pledge]:
        """What a `leads_to` says of a state, for every binding of its parameters."""
        code, run, goal = self._properties[prop.name]
        for arguments in self._parameters[code.name]:
            self.watch()
            frame = Frame(state, None, code.slots)
            for parameter, argument in zip(code.parameters, arguments, strict=True):
                frame.slots[parameter.slot] = argument
            try:
                run(frame, [])
                yield Pledge(arguments, self._premises[prop.name](frame), goal(frame))
            except Undefined as undefined:
                raise _located(code.name, undefined) from undefined

    def evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        if prop.kind is Kind.LEADS_TO:
            return owed(self.pledges(prop, before))
        code, run, claim = self._properties[prop.name]
        wanted = prop.kind is Kind.SOMETIMES
        applied = False
        for arguments in self._parameters[code.name]:
            self.watch()
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
    why, cure = advice(undefined, "require(...)")
    return EvaluationError(function, undefined.place, undefined.reason, why, cure)


Run: TypeAlias = Callable[[Frame, list[Any]], bool]


class _Statements:
    """Turns statements into closures."""

    def __init__(
        self,
        expressions: ExpressionCompiler,
        variables: dict[str, Domain],
        positions: dict[str, int],
    ) -> None:
        self._expression = expressions.expression
        self._variables = variables
        self._positions = positions

    def statements(self, statements: tuple[ir.Statement, ...]) -> Run:
        steps = [self._statement(statement) for statement in statements]

        def run(frame: Frame, written: list[Any]) -> bool:
            return all(step(frame, written) for step in steps)

        return run

    def _statement(self, statement: ir.Statement) -> Run:
        match statement:
            case ir.Bind(_, slot, value):
                evaluate = self._expression(value)

                def bind(frame: Frame, written: list[Any]) -> bool:
                    frame.slots[slot] = evaluate(frame)
                    return True

                return bind
            case ir.Guard(_, test):
                holds = self._expression(test)
                return lambda frame, written: bool(holds(frame))
            case ir.Write():
                return self._write(statement)

    def _write(self, write: ir.Write) -> Run:
        position = self._positions[write.variable]
        value = self._expression(write.value)
        key_evaluators = [
            self._expression(step.key) if isinstance(step, ir.KeyStep) else None
            for step in write.path
        ]
        whole, path, place = self._variables[write.variable], write.path, write.place

        def update(domain: Domain, old: Any, depth: int, new: object, keys: list[Any]) -> Any:
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
                    inner = update(domain.value, old[keys[depth]], depth + 1, new, keys)
                    return domain.updated(old, keys[depth], inner)
                except KeyError:
                    raise Undefined(place, f"{keys[depth]!r} is no key of {domain}") from None
            assert isinstance(domain, RecordDomain)
            values = list(old)
            field = domain.record.fields[step.name]
            values[step.position] = update(field, values[step.position], depth + 1, new, keys)
            return domain.record.of(values)

        def run(frame: Frame, written: list[Any]) -> bool:
            # Python evaluates the right-hand side before the target's keys.
            new = value(frame)
            keys = [None if key is None else key(frame) for key in key_evaluators]
            try:
                written[position] = update(whole, written[position], 0, new, keys)
            except NotInDomain as error:
                raise Undefined(place, str(error)) from None
            return True

        return run
