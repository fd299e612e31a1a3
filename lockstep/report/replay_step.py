"""A behaviour step by step, forward and back, as somebody at a terminal or a pipe asks for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from lockstep.errors import LockstepError, unknown
from lockstep.language.notation import State
from lockstep.pages.output import Output
from lockstep.trace.render import (
    Line,
    render_position,
    render_refusal,
    render_taken,
    render_variable,
)
from lockstep.verbs.replay_result import Replay
from lockstep.words import plural

_COMMANDS = {
    "next": ("n [N]", "one step on, or N; an empty line does the same"),
    "back": ("b [N]", "one step back, or N"),
    "go": ("g N", "to the state after step N"),
    "until": ("u PREDICATE", "on to a state in which it is true, as in: until s.x > 3"),
    "show": ("s [VARIABLE]", "the whole state, or one variable"),
    "list": ("l", "all steps"),
    "help": ("?", "this list"),
    "quit": ("q", "the end; so does Ctrl-D"),
}
"""Each command with its short form and what it does."""


Predicate: TypeAlias = "Callable[[str], Callable[[State], bool]]"
"""What reads a predicate; `LockstepError` for a text that is none."""


def walk(output: Output, result: Replay, predicate: Predicate) -> None:
    """Do what standard input says line by line, until it ends."""
    _Walk(output, result, predicate).run(_lines)


def _lines(prompt: str) -> str | None:
    """The next line of standard input, None where it ends; only a terminal is prompted."""
    if sys.stdin is None:
        return None
    try:
        return input(prompt if sys.stdin.isatty() and sys.stdout.isatty() else "")
    except EOFError:
        return None
    except UnicodeDecodeError:
        raise LockstepError("a command is no text", cure="write commands in UTF-8") from None


class _Walk:
    """Where somebody is in a behaviour."""

    def __init__(self, output: Output, result: Replay, predicate: Predicate) -> None:
        self._output = output
        self._result = result
        self._predicate = predicate
        self._trace = result.trace
        self._number = 0

    def run(self, next_line: Callable[[str], str | None]) -> None:
        """Show where it begins, and do what each line says."""
        last = len(self._trace.steps)
        self._output.line(f"{plural(last, 'step')}; ? lists the commands", "dim")
        self._position()
        while (text := next_line(f"[{self._number}/{last}] ")) is not None:
            try:
                word, _, rest = text.strip().partition(" ")
                command = _command(word)
                if command == "quit":
                    return
                self._do(command, rest.strip())
            except LockstepError as error:
                self._output.line(str(error), "inconclusive")

    def _do(self, command: str, rest: str) -> None:
        match command:
            case "next":
                self._forward(_count(rest))
            case "back":
                self._to(max(0, self._number - _count(rest)), "this is the beginning already")
            case "go":
                self._go(rest)
            case "until":
                self._until(rest)
            case "show":
                self._show(rest)
            case "list":
                self._list()
            case "help":
                self._help()

    def _forward(self, count: int) -> None:
        last, loop = len(self._trace.steps), self._trace.loop
        if self._number == last and loop is not None and loop < last:
            self._output.line(f"it goes on as after step {loop}", "bold")
            self._number = loop
        self._to(min(last, self._number + count), "this is the end already")

    def _go(self, rest: str) -> None:
        last = len(self._trace.steps)
        if not rest.isdecimal() or int(rest) > last:
            raise LockstepError(f"{rest or 'nothing'} is no step", cure=f"go 0 to go {last}")
        self._number = int(rest)
        self._position()

    def _to(self, number: int, why_not: str) -> None:
        if number == self._number:
            self._output.line(why_not, "dim")
            return
        self._number = number
        self._position()

    def _until(self, text: str) -> None:
        is_true = self._predicate(text)
        for number in range(self._number + 1, len(self._trace.states)):
            if is_true(self._trace.states[number]):
                self._number = number
                self._position()
                return
        is_here = is_true(self._trace.states[self._number])
        here = "here, and " if is_here else ""
        self._output.line(f"it is true {here}in no later state", "dim")

    def _show(self, name: str) -> None:
        state = self._trace.states[self._number]
        if name and name not in state.fields:
            raise unknown(f"there is no variable {name!r}", name, state.fields, "the variables are")
        for one in [name] if name else state.fields:
            self._print(render_variable(state, one))

    def _list(self) -> None:
        for number, text in enumerate(self._instances()):
            mark = "*" if number == self._number else " "
            self._output.line(f"{mark} {number}  {text}", "bold" if mark == "*" else None)

    def _instances(self) -> Iterator[str]:
        yield "the beginning"
        for step in self._trace.steps:
            yield render_taken(self._result.model, step)

    def _help(self) -> None:
        for name, (short, what) in _COMMANDS.items():
            self._output.line(f"  {name:<6} {short:<14} {what}")

    def _position(self) -> None:
        result, is_last = self._result, self._number == len(self._trace.steps)
        self._print(render_position(result.model, result.shown, self._number, result.fault))
        if is_last and (refusal := result.refusal) is not None:
            step = refusal.action, refusal.parameters
            self._print(render_refusal(result.model, self._trace, *step))

    def _print(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._output.line(line.text, line.style)


def _command(word: str) -> str:
    """The command that a word stands for; `LockstepError` where there is none."""
    if not word:
        return "next"
    for name, (short, _) in _COMMANDS.items():
        if word in (name, short.split(" ")[0]):
            return name
    raise LockstepError(f"there is no command {word!r}", cure="? lists the commands")


def _count(text: str) -> int:
    if not text:
        return 1
    if not text.isdecimal() or len(text) > 9:
        raise LockstepError(f"{text!r} is no number of steps", cure="write one, as in: next 3")
    return int(text)
