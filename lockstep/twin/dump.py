"""The labelled state graph that TLC writes with `-dump dot,actionlabels`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from lockstep.errors import LockstepError
from lockstep.twin.tla_parser import TlaSyntaxError, TlaValue, parse_state


@dataclass(frozen=True)
class LabelledGraph:
    """A state graph whose edges carry the action that was taken.

    States are named by TLC's fingerprints, signed 64-bit numbers. They mean nothing beyond one
    dump: another TLC, or another seed polynomial, gives the same state another number.
    """

    initial: frozenset[int]
    states: dict[int, dict[str, TlaValue]]
    """Each state's variables. Equal values are one and the same object across states."""
    edges: list[tuple[int, str, int]]
    """(from, action, to), one for every transition that TLC generated, in the order of the dump.

    A transition that an action can take in several ways (for two values of a parameter, say) is
    there as often, and a step that changes nothing is an edge from a state to itself.
    """


def read_dump(path: Path) -> LabelledGraph:
    """Reads a dump, line by line.

    What a constraint keeps out of the model is left out, whether TLC does not write it (2.18) or
    writes it in another colour (later versions); so are the unlabelled stuttering steps that
    liveness checking adds.

    Raises LockstepError, with the line, when the file is not such a dump, is damaged, is cut short,
    or says two different things about one state.
    """
    reader = _Reader(path)
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                reader.line(number, line)
    except OSError as error:
        raise LockstepError(
            f"The state graph {path} cannot be read: {error.strerror}.",
            cure="check the path, or let TLC write the dump again",
        ) from error
    except UnicodeDecodeError as error:
        reader.fail(f"it is not UTF-8 text ({error.reason})")
    return reader.graph()


_EDGE = re.compile(
    r'(-?\d+) -> (-?\d+)(?: \[(?:label="((?:[^"\\]|\\.)*)")?(?:,?\w+="\w*")*\])?;?\Z'
)
_STATE = re.compile(r'(-?\d+) \[label="((?:[^"\\]|\\.)*)"(.*)\];?\Z')
# Lines that say nothing of the graph: settings, ranks, and the legend's `Name [label="Name",..]`.
_LAYOUT = re.compile(
    r"(?:node|edge|graph) ?\[.*\]\Z"
    r'|[a-z]+ ?= ?"?[\w.]+"?;\Z'
    r"|\{rank = same; [-\d;]*\}\Z"
    r'|\S+ \[label=".*",fillcolor=\d+\]\Z'
)
_OPENING = re.compile(r"(?:strict )?digraph \w+ \{\Z|subgraph \w+ \{")
_ESCAPE = re.compile(r"\\(.)")
_INITIAL = ",style = filled"
_OUTSIDE_THE_MODEL = ",style = filled, fillcolor=lightyellow"
_WRITE_AGAIN = "let TLC write the dump again, to its end"


def _unescaped(label: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match.group(1) == "n" else match.group(1), label)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self.is_whole_line = True
        self.open_braces = 0
        self.finished = False
        self.initial: set[int] = set()
        self.states: dict[int, dict[str, TlaValue]] = {}
        self.excluded: set[int] = set()
        self.edges: list[tuple[int, str, int]] = []
        self.actions: dict[str, str] = {}
        self.values: dict[str, TlaValue] = {}

    def line(self, number: int, line: str) -> None:
        self.number, self.is_whole_line = number, line.endswith("\n")
        text = line.strip()
        if not text:
            return
        if self.finished:
            self.fail("there is text after the end of the graph")
        if text[0] not in "-0123456789":
            self.layout(text)
        elif text.startswith(" -> ", text.find(" ")):
            self.edge(text)
        else:
            self.state(text)

    def edge(self, text: str) -> None:
        match = _EDGE.match(text)
        if match is None:
            self.fail("it is not a whole edge")
        source, target, label = match.groups()
        if label is None:
            return
        action = self.actions.get(label)
        if action is None:
            action = self.actions[label] = _unescaped(label)
        self.edges.append((int(source), action, int(target)))

    def state(self, text: str) -> None:
        match = _STATE.match(text)
        if match is None:
            self.fail("it is not a whole state")
        name, label, style = int(match.group(1)), match.group(2), match.group(3)
        # A tooltip that repeats the state may come first.
        if style.endswith(_OUTSIDE_THE_MODEL):
            self.excluded.add(name)
            return
        if style == _INITIAL:
            self.initial.add(name)
        try:
            state = parse_state(_unescaped(label), self.values)
        except TlaSyntaxError as error:
            raise LockstepError(
                f"{self.path}, line {self.number}: state {name} cannot be read. {error.message}",
                cure="a variable's value must be one that TLC writes out in full; if the twin's "
                "are, the dump is damaged",
            ) from error
        if self.states.setdefault(name, state) != state:
            self.fail(f"state {name} is printed twice, and differently")

    def layout(self, text: str) -> None:
        if _OPENING.match(text):
            self.open_braces += 1
        elif text.strip("}") == "":
            self.open_braces -= len(text)
            self.finished = self.open_braces == 0
        elif _LAYOUT.match(text) is None:
            self.fail("it is not a line that TLC writes")
        if self.open_braces < 1 and not self.finished:
            self.fail("the graph does not begin with `digraph`")

    def graph(self) -> LabelledGraph:
        if not self.finished:
            self.fail_cut_short()
        edges = self.edges
        if self.excluded:
            edges = [edge for edge in edges if edge[2] not in self.excluded]
        for source, action, target in edges:
            if source not in self.states or target not in self.states:
                missing = source if source not in self.states else target
                raise LockstepError(
                    f"The state graph {self.path} is damaged: an edge of {action} names the state "
                    f"{missing}, which is not in it.",
                    cure=_WRITE_AGAIN,
                )
        return LabelledGraph(frozenset(self.initial), self.states, edges)

    def fail(self, problem: str) -> NoReturn:
        # A line that stops in the middle is the last one of a file that was cut.
        if not self.is_whole_line and self.open_braces > 0:
            self.fail_cut_short()
        raise LockstepError(
            f"{self.path}, line {self.number}, is not what TLC's `-dump dot,actionlabels` "
            f"writes: {problem}.",
            cure=f"{_WRITE_AGAIN}; the file may be damaged or of another kind",
        )

    def fail_cut_short(self) -> NoReturn:
        raise LockstepError(
            f"The state graph {self.path} is cut short at line {self.number}: its closing brace is "
            "missing, as when TLC was stopped or the disk was full.",
            cure=_WRITE_AGAIN,
        )
