"""How `init`, `new`, `propose` and `doctor` are shown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from lockstep.pages.blocks import Block, Paragraph, Section
from lockstep.pages.output import document
from lockstep.verbs.doctor import DoctorResult, Finding, Presence, finding_answer
from lockstep.verbs.new import Begun
from lockstep.words import shown_path

_STYLES = {Presence.OK: "holds", Presence.ABSENT: "inconclusive", Presence.MISSING: "violated"}


def begun_blocks(begun: Begun) -> Iterator[Block]:
    """Which files were written, and what to do with them."""
    root, model = begun.workspace.root, begun.model
    yield from (Paragraph(f"wrote {shown_path(root / file)}") for file in begun.files)
    if begun.proposal is not None:
        version = f"{model}.{begun.proposal}"
        yield Paragraph(f"see what it changes with  lockstep review {model} {version}")
        return
    yield Paragraph("")
    there = "" if root == Path.cwd() else f"cd {shlex.quote(shown_path(root))} && "
    steps = [
        f"{there}lockstep check",
        "delete the require in deliver, in models/delivery.py, and check again",
        "lockstep faults  # such mistakes, one at a time, and what catches each",
        "lockstep drive lease --driver drivers/lease.py --pairs  # finds a bug",
        "lockstep new model NAME  # begins a protocol of your own",
    ]
    if model:
        steps = [
            f"lockstep check {model}",
            f"write your own in place of what models/{model}.py says",
            "do the same in the other files above: they fit that model only",
            f"lockstep check {model} --pin  once you believe what it counts",
        ]
    yield from (Paragraph(f"{number}. {step}") for number, step in enumerate(steps, start=1))


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


def doctor_json(result: DoctorResult) -> dict[str, object]:
    """What was found, as a document."""
    summary = {str(presence): len(result.named(presence)) for presence in Presence}
    rows = list(map(finding_answer, result.findings))
    return document(rows, {**summary, "exit_code": int(result.exit_code)})
