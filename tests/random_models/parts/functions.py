"""Helpers, procedures, actions and claims: statements in order, each with what it may read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from tests.random_models.parts import conditions, numbers, paths
from tests.random_models.parts.body import Body
from tests.random_models.parts.grammar import Function, Writer
from tests.random_models.parts.pieces import BOOL, COMPARISON, Env, Expr, indented
from tests.random_models.parts.vocabulary import MOST
from tests.random_models.parts.writer import choice

_DEPTH = 3
_MOST_INSTANCES = 18
_MOST_OF_ONE = 100
"""Instances for the items of one wide set."""


class Functions:
    """Writes the functions of a model whose state has the given variables."""

    def __init__(self, writer: Writer, variables: Mapping[str, Domain], *, risky: bool) -> None:
        self._writer = writer
        self._choices = writer.choices
        self._vocabulary = writer.vocabulary
        self._variables = variables
        self._risky = risky
        self._actions: dict[str, tuple[tuple[str, Domain], ...]] = {}
        self._written: dict[str, frozenset[str]] = {}

    def helper(self, name: str) -> Function:
        """A function with a value: guard lines and names for expressions, then its `return`."""
        states = ("s",) if self._choices.below(3) else ()
        parameters = self._parameters(2, whole=True)
        body = Body(self._writer, self._env(states, parameters, risky=self._risky))
        wanted, answers = self._any_domain(), list[tuple[Expr, Expr]]()
        for _ in self._choices.times(0, 2, go_on=1):
            if self._choices.below(2):
                answers.append(body.answer(wanted))
            else:
                body.local(self._any_domain())
        result = (self._writer.within if answers else self._writer.value)(body.env, wanted)
        body.add("return ", result)
        for value, test in reversed(answers):
            result = choice(value, test, result)
        text = self._text(name, states, parameters, body, annotated=self._choices.below(2) == 0)
        return Function(name, states, parameters, text, self._risky, result)

    def procedure(self, name: str) -> Function:
        """A function that writes to `new`."""
        states = self._choices.pick((("s", "new"), ("new", "s"), ("new",)))
        parameters = self._parameters(2, whole=True)
        annotated = self._choices.below(2) == 0
        return self._effects(Function(name, states, parameters, "", self._risky), annotated)

    def _effects(self, function: Function, annotated: bool) -> Function:
        """A procedure of that name, those states and those parameters."""
        name, states, parameters = function.name, function.states, function.parameters
        body = Body(self._writer, self._env(states, parameters, risky=self._risky))
        if self._choices.now_and_then(3):
            body.guard("require")
        for _ in self._choices.times(1, 2, go_on=1):
            self._effect(body, certain=False)
        text = self._text(name, states, parameters, body, annotated=annotated)
        self._written[name] = frozenset(body.written)
        return dataclasses.replace(function, text=text, written=self._written[name])

    def action(self, name: str) -> str:
        """An action: guards, locals, writes and calls in any order, with one effect or more."""
        parameters = self._actions[name] = self._parameters(3, whole=False)
        return "@action\n" + self._step(name, parameters)

    def _step(self, name: str, parameters: tuple[tuple[str, Domain], ...]) -> str:
        risky = self._risky and self._choices.below(2) == 1
        body = Body(self._writer, self._env(("s", "new"), parameters, risky=risky))
        for _ in self._choices.times(0, 3, go_on=1):
            kind = self._choices.below(5)
            if kind <= 1:
                body.guard("require")
            elif kind <= 3:
                body.local(self._any_domain())
            else:
                self._effect(body)
        for _ in self._choices.times(1, 3, go_on=1):
            self._effect(body)
        self._written[name] = frozenset(body.written)
        return self._text(name, ("s", "new"), parameters, body, annotated=True)

    def fault(self, name: str) -> str:
        """Another text for a function that there is, or an action more."""
        replaced: list[str | Function] = [*self._actions, *self._writer.functions]
        chosen = self._choices.pick(replaced) if self._choices.below(3) else None
        match chosen:
            case None:
                text = self._step(name, self._parameters(3, whole=False))
            case str():
                text = self._step(name, self._actions[chosen])
            case Function(result=None):
                text = self._effects(dataclasses.replace(chosen, name=name), annotated=False).text
            case Function():
                text = self._other_result(name, chosen)
        where = chosen.name if isinstance(chosen, Function) else chosen
        replaces = "" if where is None else f"replaces={where}, "
        own = self._written.get(name, frozenset[str]())
        left = sorted(part for part in self._written.get(where or "", ()) if _is_left(part, own))
        unchanged = f", unchanged={tuple(left)!r}" if left else ""
        return f'@fault({replaces}harmless="Nothing is known of it."{unchanged})\n{text}'

    def _other_result(self, name: str, helper: Function) -> str:
        """A helper like another, with a result of the same type."""
        assert helper.result is not None
        env = self._env(helper.states, helper.parameters, risky=self._risky)
        body = Body(self._writer, env)
        body.add("return ", self._writer.within(body.env, helper.result.domain))
        return self._text(name, helper.states, helper.parameters, body, annotated=False)

    def leads_to(self, name: str) -> str:
        """What must come to pass, and what is promised for that."""
        parameters = self._parameters(2, whole=False)
        risky = self._risky and self._choices.now_and_then(4)
        body = Body(self._writer, self._env(("s",), parameters, risky=risky))
        for _ in self._choices.times(0, 1, go_on=1):
            body.local(self._any_domain())
        premise, goal = (conditions.likely(self._writer, body.env, 2) for _ in range(2))
        body.lines.append(f"return {premise.text}, {goal.text}")
        text = self._text(name, ("s",), parameters, body, annotated=True)
        return f"@leads_to({self._fairness()})\n{text}"

    def _fairness(self) -> str:
        """Weak and strong fairness of some actions, none of them promised twice; or none at all."""
        if self._choices.below(3) == 0:
            return ""
        given: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
        for word in ("weak", "strong"):
            for action in self._choices.some(list(self._actions), 2):
                names = [name for name, _ in self._actions[action]]
                chosen, text = list[str](), action
                if names and self._choices.below(2):
                    chosen = self._choices.some(names, len(names))
                    quoted = "".join(f', "{parameter}"' for parameter in chosen)
                    text, chosen = f"each({action}{quoted})", chosen or names
                given.setdefault((action, frozenset(chosen)), (word, text))
        promises = []
        for word in ("weak", "strong"):
            texts = [text for kind, text in given.values() if kind == word]
            if texts:
                several = f"({', '.join(texts)})"
                promises.append(f"{word}={texts[0] if len(texts) == 1 else several}")
        return ", ".join(promises)

    def claim(self, name: str, kind: str) -> str:
        """An invariant, a step invariant, a goal or what must come to pass."""
        if kind == "leads_to":
            return self.leads_to(name)
        states = ("s", "new") if kind == "step_invariant" else ("s",)
        parameters = self._parameters(2, whole=False)
        env = self._env(states, parameters, risky=self._risky and self._choices.below(2) == 1)
        if kind == "step_invariant":
            after = (Expr(f"new.{v}", domain, stable=True) for v, domain in self._variables.items())
            env = Env((*env.roots, *after), states, env.depth, env.risky)
        body = Body(self._writer, env)
        for _ in self._choices.times(0, 2, go_on=1):
            if self._choices.now_and_then(3):
                body.local(self._any_domain())
            else:
                body.guard("when")
        body.add("return ", self._claimed(body.env))
        return f"@{kind}()\n" + self._text(name, states, parameters, body, annotated=True)

    def _claimed(self, env: Env) -> Expr:
        """Something that may well hold: random conditions alone fail in most states."""
        shape = self._choices.below(6)
        if shape == 0:
            return conditions.condition(self._writer, env)
        if shape <= 2:
            path = paths.readable(self._writer, env, numbers.is_number)
            if path is not None and isinstance(path.domain, RangeDomain):
                low, high = path.domain.low, path.domain.high
                text = f"{low} <= {path.text} <= {high}"
                return Expr(text, BOOL, COMPARISON, path.fails)
        return conditions.likely(self._writer, env, 3)

    def _effect(self, body: Body, *, certain: bool = True) -> None:
        procedures = [one for one in self._writer.functions if one.result is None]
        if procedures and self._choices.now_and_then(4):
            procedure = self._choices.pick(procedures)
            if (body.env.risky or not procedure.risky) and body.call(procedure):
                return
        body.write(self._variables, certain=certain)

    def _any_domain(self) -> Domain:
        """The type of a local or of what a helper returns."""
        pick = self._choices.below(4)
        if pick == 0:
            return BOOL
        if pick == 1:
            return self._vocabulary.range()
        return self._choices.pick(list(self._variables.values()))

    def _parameters(self, most: int, *, whole: bool) -> tuple[tuple[str, Domain], ...]:
        """Parameters with few values together; with `whole`, of any type that a variable has."""
        parameters: list[tuple[str, Domain]] = []
        instances = 1
        if self._vocabulary.is_symmetric and self._choices.below(4):
            parameters.append(("w", self._vocabulary.member()))
            instances = parameters[0][1].size()
        for round_ in self._choices.times(0, most):
            name = ("x", "y", "z")[round_]
            if whole and self._choices.below(2):
                domain = self._any_domain()
            else:
                domain = self._parameter_domain()
            instances *= domain.size() if not whole else 1
            if instances > (_MOST_OF_ONE if len(parameters) == 0 else _MOST_INSTANCES):
                break
            parameters.append((name, domain))
        return tuple(parameters)

    def _parameter_domain(self) -> Domain:
        """A domain of few values, most often one that the state has somewhere."""
        held = [part for domain in self._variables.values() for part in _parts(domain)]
        wide = [part for part in held if MOST < part.size() <= _MOST_OF_ONE]
        if wide and self._choices.now_and_then(6):
            return self._choices.pick(wide)
        small = [part for part in held if 1 < part.size() <= MOST]
        if small and self._choices.below(4):
            return self._choices.pick(small)
        return self._vocabulary.enumerable()

    def _env(
        self, states: tuple[str, ...], parameters: tuple[tuple[str, Domain], ...], *, risky: bool
    ) -> Env:
        readable = tuple(state for state in states if state == "s")
        roots = tuple(Expr(name, domain, stable=True) for name, domain in parameters)
        if readable:
            variables = self._variables.items()
            roots += tuple(Expr(f"s.{name}", domain, stable=True) for name, domain in variables)
        return Env(roots, readable, _DEPTH, risky)

    def _text(
        self,
        name: str,
        states: tuple[str, ...],
        parameters: tuple[tuple[str, Domain], ...],
        body: Body,
        *,
        annotated: bool,
    ) -> str:
        words = [
            f"{parameter}: {self._vocabulary.annotation(domain)}" if annotated else parameter
            for parameter, domain in parameters
        ]
        return f"def {name}({', '.join((*states, *words))}):\n" + indented("\n".join(body.lines))


def _parts(domain: Domain) -> Iterator[Domain]:
    """A domain and those inside it."""
    yield domain
    match domain:
        case OptionDomain(inner) | SetDomain(inner):
            yield from _parts(inner)
        case SequenceDomain(item):
            yield from _parts(item)
        case MapDomain(key, value):
            yield from _parts(key)
            yield from _parts(value)
        case RecordDomain(record):
            for field in record.fields.values():
                yield from _parts(field)


def _is_left(part: str, written: frozenset[str]) -> bool:
    """Whether nothing is written of a variable or field, or of what it is a part of."""
    return not any(
        f"{part}.".startswith(f"{other}.") or f"{other}.".startswith(f"{part}.")
        for other in written
    )
