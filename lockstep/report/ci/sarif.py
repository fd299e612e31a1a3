"""Problems as SARIF 2.1.0, for code scanning and for editors.

There is a result for what is wrong and a notification for what is not known. Nothing says of
anything that it passes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lockstep.errors import LockstepError, not_written
from lockstep.language.source import Place
from lockstep.pages.output import json_text
from lockstep.report.ci.problems import (
    Gap,
    Level,
    Problem,
    Problems,
    Remark,
    Rule,
    SourceRoot,
    Unknown,
    in_characters,
)
from lockstep.words import visible

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"


def sarif(problems: Problems, root: SourceRoot) -> str:
    """The document."""
    rules = list(problems.rules)
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "lockstep",
                "version": version("lockstep"),
                "rules": [_rule(rule) for rule in rules],
                "notifications": [
                    {"id": str(unknown), "shortDescription": {"text": unknown.sentence}}
                    for unknown in Unknown
                ],
            }
        },
        "automationDetails": {"id": f"lockstep/{problems.category}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The top of the repository, or else the workspace."}}
        },
        "invocations": [
            {
                "executionSuccessful": problems.is_whole,
                "exitCode": problems.exit_code,
                "toolExecutionNotifications": [_notification(gap, root) for gap in problems.gaps],
            }
        ],
        "results": [
            _result(problem, numbers[problem.rule.id], root) for problem in problems.problems
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document, indent=1) + "\n"


def fingerprint(problem: Problem) -> str:
    """A number in hexadecimal that stays as long as the same is wrong, wherever its line is."""
    text = json.dumps([problem.rule.id, *problem.identity])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.id.rpartition("/")[2],
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.text},
        "help": {"text": rule.text},
        "defaultConfiguration": {"level": str(Level.ERROR)},
        "properties": {"tags": ["protocol", *rule.tags]},
    }


def _result(problem: Problem, number: int, root: SourceRoot) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.rule.id,
        "ruleIndex": number,
        "level": str(Level.ERROR),
        "message": {"text": problem.message},
        "locations": [_location(problem.place, root)],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{fingerprint(problem)}:1",
            "lockstepIdentity/v1": " ".join([problem.rule.id, *problem.identity]),
        },
    }
    if problem.related:
        result["relatedLocations"] = [
            {"id": identity, **_remark(remark, root)}
            for identity, remark in enumerate(problem.related, start=1)
        ]
    if problem.behaviour:
        result["codeFlows"] = [
            {"threadFlows": [{"locations": list(_steps(problem.behaviour, root))}]}
        ]
    return result


def _steps(behaviour: tuple[Remark, ...], root: SourceRoot) -> Iterator[dict[str, Any]]:
    for number, remark in enumerate(behaviour, start=1):
        yield {
            "executionOrder": number,
            "importance": "essential",
            "location": _remark(remark, root),
        }


def _notification(gap: Gap, root: SourceRoot) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "descriptor": {"id": str(gap.unknown), "index": list(Unknown).index(gap.unknown)},
        "level": str(gap.level),
        "message": {"text": gap.message},
    }
    if gap.place is not None:
        shown["locations"] = [_location(gap.place, root)]
    return shown


def _remark(remark: Remark, root: SourceRoot) -> dict[str, Any]:
    return {**_location(remark.place, root), "message": {"text": remark.text}}


def _location(place: Place, root: SourceRoot) -> dict[str, Any]:
    stretch = in_characters(place)
    shown = {"startLine": stretch.line}
    if (stretch.end_line, stretch.end_column) > (stretch.line, stretch.column):
        shown |= {
            "startColumn": stretch.column,
            "endLine": stretch.end_line,
            "endColumn": stretch.end_column,
        }
    artifact = {"uri": quote(root.path(place.file)), "uriBaseId": _ROOT}
    return {"physicalLocation": {"artifactLocation": artifact, "region": shown}}


_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def workflow_commands(problems: Problems, root: SourceRoot) -> Iterator[str]:
    """A line each, what is wrong before what is not known: GitHub shows the first ten of a kind."""
    for problem in problems.problems:
        yield _command(Level.ERROR, problem.subject, problem.message, problem.place, root)
    for level in (Level.ERROR, Level.WARNING):
        for gap in problems.gaps:
            if gap.level is level:
                yield _command(level, f"{gap.subject}: {gap.unknown}", gap.message, gap.place, root)
    # Of what is no news, only what was skipped is worth an annotation, and one is enough.
    skipped = [gap.message for gap in problems.gaps if gap.unknown is Unknown.SKIPPED]
    if skipped:
        yield _command(Level.NOTE, "not everything was checked", "\n".join(skipped), None, root)


def _command(level: Level, title: str, message: str, place: Place | None, root: SourceRoot) -> str:
    properties: dict[str, object] = {}
    if place is not None:
        stretch = in_characters(place)
        properties = {"file": root.path(place.file), "line": stretch.line}
        properties["endLine"] = stretch.end_line
        if stretch.line == stretch.end_line and stretch.column < stretch.end_column:
            properties |= {"col": stretch.column, "endColumn": stretch.end_column}
    properties["title"] = title
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[level]} {shown}::{_data(message)}"


def _data(text: str) -> str:
    """A message with what would end it, or begin another command, written as GitHub reads it."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def append_summary(file: Path, text: str) -> None:
    """Write a text after all that a file has; `LockstepError` where it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    except OSError as error:
        raise LockstepError(not_written(file, error)) from None
