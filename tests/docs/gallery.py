"""The facts of docs/gallery.md, measured: what stands between the marks of each bug.

<!-- fault MODEL.FAULT --set NAME=VALUE -->   a bug, and bounds in which it is not seen:
<!-- fault MODEL.FAULT --scope NAME -->       constants, or another scope
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.language.faults import fault_definitions, fault_marks
from lockstep.requests.option import read_constants
from lockstep.results.verdict import Verdict
from lockstep.verbs.check import Checked, CheckRequest, check
from lockstep.words import plural
from lockstep.workspace import Workspace

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
_BUG = re.compile(
    r"^## (?P<title>.*)$(?P<story>(?:(?!^## ).*\n)*?)"
    r"^(?P<mark><!-- fault (?P<model>\w+)\.(?P<fault>\w+) ?(?P<options>.*?) ?-->)\n"
    r"(?P<facts>(?:.*\n)*?)<!-- end -->$",
    re.MULTILINE,
)
_CONTENTS = re.compile(
    r"(?<=^<!-- contents -->\n)(?P<rows>(?:.*\n)*?)(?=<!-- end -->$)", re.MULTILINE
)


@dataclass(frozen=True)
class Bug:
    """One bug as the page has it; `options` are those of smaller bounds."""

    title: str
    model: str
    fault: str
    options: str
    facts: str

    def __str__(self) -> str:
        return f"{self.model}.{self.fault}"


def bugs(text: str) -> list[Bug]:
    """The bugs of the page, in order."""
    names = ("title", "model", "fault", "options", "facts")
    return [Bug(**{name: match[name] for name in names}) for match in _BUG.finditer(text)]


def measured(bug: Bug, folder: Path) -> str:
    """The facts of a bug, as they are."""
    return "".join(f"{line}\n" for line in _facts(bug, folder))


def _facts(bug: Bug, folder: Path) -> Iterator[str]:
    result = _checked(bug, CheckRequest((bug.model,), fault=bug.fault, save=folder))
    violation, mark = result.result.violation, fault_marks(ROOT, bug.model)[bug.fault][0]
    assert violation is not None
    (name, *_), steps = violation.properties, len(violation.trace.steps)
    assert mark.breaks in violation.properties
    name = str(mark.breaks)
    place = fault_definitions(ROOT, bug.model)[bug.fault].rpartition(":")[0]
    yield "| | |"
    yield "|---|---|"
    yield f"| source | {mark.source} |"
    yield f"| fault | [`{bug}`](../{place}) |"
    seen = plural(result.result.states, "state")
    scope = f"scope `{result.scope}`"
    values = ", ".join(f"`{key}={value}`" for key, value in mark.constants.items())
    scope += f" with {values}" * bool(values)
    yield f"| caught by | `{name}` in {steps} steps, after {seen} of {scope} |"
    if bug.options:
        held = f"`{name}` holds in all {_unseen(bug, name, folder)}"
        yield f"| not seen with | `{bug.options}`: {held} |"
    yield ""
    yield "```mermaid"
    diagram = sequence(
        result.model,
        violation.trace,
        violated=name,
        parameters=violation.parameters if violation.properties[0] == name else None,
        fault=bug.fault,
    )
    yield from to_mermaid(diagram).splitlines()
    yield "```"


def _unseen(bug: Bug, name: str, folder: Path) -> str:
    """How many states there are within the smaller bounds, in all of which the claim holds."""
    flag, value = shlex.split(bug.options, posix=False)
    constants = read_constants([value]) if flag == "--set" else {}
    scope = value if flag == "--scope" else None
    request = CheckRequest(
        (bug.model,), fault=bug.fault, scope=scope, constants=constants, only=(name,), save=folder
    )
    result = _checked(bug, request).result
    assert result.verdict is Verdict.HOLDS, (bug, result.because)
    return plural(result.states, "state")


def _checked(bug: Bug, request: CheckRequest) -> Checked:
    request = CheckRequest(**{**vars(request), "workspace": Workspace(ROOT, "kafka")})
    (result,) = check(request).results
    assert isinstance(result, Checked), (bug, result)
    return result


def contents(text: str) -> str:
    """The table of all bugs, from the facts that the page has of each."""
    rows = ["| bug | source | protocol | steps |", "|---|---|---|---|"]
    for bug in bugs(text):
        source = re.search(r"^\| source \| (.*) \|$", bug.facts, re.MULTILINE)
        steps = re.search(r"in (\d+) steps, after", bug.facts)
        anchor = re.sub(r"[^\w -]", "", bug.title.lower()).replace(" ", "-")
        facts = f"{source[1] if source else '?'} | `{bug.model}` | {steps[1] if steps else '?'}"
        rows.append(f"| [{bug.title}](#{anchor}) | {facts} |")
    return "".join(f"{row}\n" for row in rows)


def with_facts(text: str, facts: dict[str, str]) -> str:
    """The page with other facts of some bugs, and the table that comes of them."""

    def replaced(match: re.Match[str]) -> str:
        name = f"{match['model']}.{match['fault']}"
        return match[0].replace(
            f"{match['mark']}\n{match['facts']}<!-- end -->",
            f"{match['mark']}\n{facts.get(name, match['facts'])}<!-- end -->",
        )

    text = _BUG.sub(replaced, text)
    table = contents(text)
    return _CONTENTS.sub(lambda _: table, text, count=1)


def shown_contents(text: str) -> str:
    """The table that the page has."""
    match = _CONTENTS.search(text)
    assert match is not None
    return match["rows"]
