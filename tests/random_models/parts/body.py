"""The statements of a function, one after the other: guards, locals, calls and writes."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.language.domains import Domain, MapDomain, OptionDomain, RangeDomain, RecordDomain
from tests.random_models.parts import conditions, moves, numbers, paths
from tests.random_models.parts.grammar import Function, Writer
from tests.random_models.parts.pieces import Env, Expr, fits

_LINE = 88
"""Statements longer than this are broken where that is easy."""


class Body:
    """The statements of a function so far; `env` is what the next one may read.

    `written` are the variables that have been written already, or their fields: `a`, `a.log`.
    """

    def __init__(self, writer: Writer, env: Env) -> None:
        self._writer = writer
        self._choices = writer.choices
        self.env = env
        self.lines: list[str] = []
        self.written: set[str] = set()

    def add(self, start: str, expression: Expr) -> None:
        """A statement that begins with these words and ends with an expression."""
        too_long = len(start) + len(expression.text) > _LINE
        self.lines.append(
            start + (expression.broken if too_long and expression.broken else expression.text)
        )

    def guard(self, word: str) -> None:
        """`require(...)` or `when(...)`, or `present(...)`, which is either with a name."""
        if self._choices.now_and_then(4) and self._present():
            return
        if self._choices.below(2):
            test = conditions.likely(self._writer, self.env, 2)
        else:
            test, self.env = conditions.guard(self._writer, self.env)
        if len(test.text) > _LINE and test.broken is not None:
            self.lines.append(word + test.broken)
        else:
            self.lines.append(f"{word}({test.text})")

    def _present(self) -> bool:
        """A name for something that may be None, and is not after this; False where none is."""
        pair = conditions.presence(self._writer, self.env)
        if pair is None:
            return False
        option, inside = pair
        name = self._name()
        self.lines.append(f"{name} = present({option.text})")
        self.env = self.env.knowing(inside).naming(name, inside.domain)
        return True

    def answer(self, domain: Domain) -> tuple[Expr, Expr]:
        """A guard line of a helper; its value and its condition."""
        test, if_true, self.env = conditions.branching(self._writer, self.env)
        expression = self._writer.within(if_true, domain)
        self.lines.append(f"if {test.text}:\n    return {expression.text}")
        return expression, test

    def _name(self) -> str:
        return self._choices.pick(("t", "u", "x"))

    def local(self, domain: Domain) -> None:
        """A name for an expression; perhaps one that had a meaning already."""
        name = self._name()
        expression = self._writer.value(self.env, domain)
        self.add(f"{name} = ", expression)
        self.env = self.env.naming(name, expression.domain)

    def call(self, procedure: Function) -> bool:
        """Call a procedure, if arguments for it can be written."""
        if "s" in procedure.states and not self.env.states:
            return False
        given = self._writer.arguments(self.env, procedure)
        if given is None:
            return False
        self.lines.append(given[0])
        self.written |= procedure.written
        return True

    def write(self, variables: Mapping[str, Domain], *, certain: bool) -> None:
        """Write a variable or a part of one.

        With `certain`, a part of an option is written only after a guard that excludes None; a
        procedure cannot know what its callers wrote before, and leaves such parts alone.
        """
        fresh = [name for name in variables if not self._has_written(name)]
        again = not fresh or self._choices.now_and_then(4)
        variable = self._choices.pick(list(variables) if again else fresh)
        domain, steps, part = variables[variable], "", variable
        while self._choices.below(3):
            inside = domain
            if isinstance(domain, OptionDomain):
                if not isinstance(domain.some, MapDomain | RecordDomain):
                    break
                if not self._excludes_none(variable, steps, domain.some, certain=certain):
                    break
                inside = domain.some
            if isinstance(inside, MapDomain):
                key = self._key(inside.key)
                steps, domain = f"{steps}[{key.text}]", inside.value
            elif isinstance(inside, RecordDomain):
                field = self._choices.pick(list(inside.record.fields))
                steps, domain = f"{steps}.{field}", inside.record.fields[field]
                part = f"{part}.{field}"
            else:
                break
        self.add(f"new.{variable}{steps} = ", self._written_value(f"s.{variable}{steps}", domain))
        self.written.add(part)

    def _has_written(self, variable: str) -> bool:
        return any(part.partition(".")[0] == variable for part in self.written)

    def _excludes_none(self, variable: str, steps: str, some: Domain, *, certain: bool) -> bool:
        text = f"s.{variable}{steps}"
        if self.env.risky and self._choices.now_and_then(3):
            return True
        if not certain or self._has_written(variable):
            return False
        if self.env.known(text) is None:
            self.lines.append(f"require({text} is not None)")
        return True

    def _key(self, domain: Domain) -> Expr:
        if self.env.risky and self._choices.now_and_then(3):
            other = paths.readable(
                self._writer,
                self.env,
                lambda candidate: candidate != domain and fits(candidate, domain),
            )
            if other is not None:
                return other
        env = Env(self.env.roots, self.env.states, 1, self.env.risky)
        return self._writer.within(env, domain)

    def _written_value(self, old: str, domain: Domain) -> Expr:
        if self.env.risky and self._choices.now_and_then(4):
            if isinstance(domain, RangeDomain):
                number = numbers.number(self._writer, self.env)
                if fits(number.domain, domain):
                    return number
            other = paths.readable(
                self._writer,
                self.env,
                lambda candidate: candidate != domain and fits(candidate, domain),
            )
            if other is not None:
                return other
        expression = self._writer.value(self.env, domain) if self._choices.below(3) == 0 else None
        if (expression is None or expression.text == old) and self.env.states:
            expression = moves.moved(self._writer, self.env, Expr(old, domain)) or expression
        return expression or self._writer.value(self.env, domain)
