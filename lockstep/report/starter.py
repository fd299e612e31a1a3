"""How `init`, `new`, `propose` and `doctor` are shown, and as JSON (docs/reference/json.md)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep.errors import ExitCode
from lockstep.pages.blocks import Block, Paragraph, Section
from lockstep.pages.output import document
from lockstep.verbs.doctor import DoctorResult, Finding, Presence
from lockstep.verbs.new import Begun, Initialized, Proposed
from lockstep.words import shown_path

_STYLES = {Presence.OK: "holds", Presence.ABSENT: "inconclusive", Presence.MISSING: "violated"}


def initialized_blocks(made: Initialized) -> Iterator[Block]:
    """Which files were written, and three things to do with them."""
    root = made.workspace.root
    there = "" if root == Path.cwd() else f"cd {shlex.quote(shown_path(root))} && "
    yield from _written(root, made.files)
    yield Paragraph("")
    yield Paragraph(f"1. {there}lockstep check")
    yield Paragraph("2. drop the require of deliver in models/delivery.py, and check again")
    yield Paragraph("3. lockstep faults  # such mistakes, one at a time, and what catches each")
    yield Paragraph("4. lockstep drive lease --driver drivers/lease.py --pairs  # finds a bug")
    yield Paragraph("5. lockstep new model NAME  # begins a protocol of your own")


def begun_blocks(begun: Begun) -> Iterator[Block]:
    """Which files were written, and what to do with them."""
    yield from _written(begun.workspace.root, begun.files)
    yield Paragraph("")
    yield Paragraph(f"1. lockstep check {begun.model}")
    yield Paragraph(f"2. write your own in place of what models/{begun.model}.py says")
    yield Paragraph(f"3. lockstep check {begun.model} --pin  once you believe what it counts")


def _written(root: Path, files: Sequence[Path]) -> Iterator[Paragraph]:
    return (Paragraph(f"wrote {shown_path(root / file)}") for file in files)


def proposed_blocks(proposed: Proposed) -> Iterator[Block]:
    """Which file was written, and how to see what it changes."""
    version = f"{proposed.model}.{proposed.name}"
    yield from _written(Path(), [proposed.file])
    yield Paragraph(f"see what it changes with  lockstep review {proposed.model} {version}")


def found_blocks(result: DoctorResult) -> Iterator[Block]:
    """A line a thing, what to do about those that are not there, and the sum of it."""
    width = max(len(finding.name) for finding in result.findings)
    for finding in result.findings:
        presence = f"{finding.presence:<{len(Presence.MISSING)}}"
        yield Section(
            text=f"{finding.name:<{width}} {presence} {finding.what}",
            style=None if finding.presence is Presence.OK else _STYLES[finding.presence],
            blocks=tuple(_remarks(finding)),
        )
    missing, absent = result.named(Presence.MISSING), result.named(Presence.ABSENT)
    yield Paragraph("")
    if missing:
        yield Paragraph(f"missing: {', '.join(missing)}", _STYLES[Presence.MISSING])
    else:
        yield Paragraph("everything that lockstep needs is there", _STYLES[Presence.OK])
    if absent:
        yield Paragraph(f"absent, and needed for some things only: {', '.join(absent)}")


def _remarks(finding: Finding) -> Iterator[Paragraph]:
    if finding.needed_for:
        yield Paragraph(finding.needed_for, label="needed for")
    if finding.cure is not None:
        yield Paragraph(finding.cure, label="cure")


def initialized_json(made: Initialized) -> dict[str, object]:
    """The workspace that was made, as a document."""
    root = made.workspace.root
    return _document(workspace=made.workspace.name, folder=str(root), files=_names(made.files))


def begun_json(begun: Begun) -> dict[str, object]:
    """The protocol that was begun, as a document."""
    root = begun.workspace.root
    return _document(model=begun.model, folder=str(root), files=_names(begun.files))


def proposed_json(proposed: Proposed) -> dict[str, object]:
    """The proposal that was begun, as a document."""
    return _document(model=proposed.model, name=proposed.name, file=str(proposed.file))


def _document(**row: object) -> dict[str, object]:
    return document([row], {"exit_code": int(ExitCode.HOLDS)})


def _names(files: Sequence[Path]) -> list[str]:
    return [file.as_posix() for file in files]


def doctor_json(result: DoctorResult) -> dict[str, object]:
    """What was found, as a document."""
    summary = {str(presence): len(result.named(presence)) for presence in Presence}
    return document(result.findings, {**summary, "exit_code": int(result.exit_code)})
