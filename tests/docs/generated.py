"""The pages of docs/reference/ that are generated: `python -m tests.docs.generated` writes them."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import msgspec
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from lockstep.answers.answer import Answer
from lockstep.answers.history import Entry
from lockstep.cli.app import app
from lockstep.specs.kip import Requirement
from lockstep.twin.findings import TlcCounts
from lockstep.verbs.ask import EqualDetails, FindDetails
from lockstep.verbs.check_result import CheckDetails
from lockstep.verbs.costs import AttainedDetails, CostDetails, CostsDetails
from lockstep.verbs.doctor import Finding
from lockstep.verbs.drive import DepartureDetails, DriveDetails, ReasonDetails
from lockstep.verbs.explore import ExploreDetails
from lockstep.verbs.fault_task import FaultDetails
from lockstep.verbs.mutants import MutantDetails
from lockstep.verbs.new import BegunDetails
from lockstep.verbs.prove_kept import (
    BoundedDetails,
    EnoughDetails,
    PropertyDetails,
    ProveDetails,
)
from lockstep.verbs.replay_result import OnDetails, ReplayDetails
from lockstep.verbs.review.evidence import Evidence
from lockstep.verbs.review.result import (
    ActionDetails,
    ActionsDetails,
    DifferenceDetails,
    DirectionDetails,
    ExampleDetails,
    PropertyReview,
    ReviewDetails,
)
from lockstep.verbs.twin_result import RefinementDetails, TwinDetails
from lockstep_kafka.rules import Rule
from lockstep_kafka.verbs.drift import MethodDrift
from lockstep_kafka.verbs.simulate import BrokerResult

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
CASES = ROOT / "tests" / "language" / "diagnostics"

_COMMAND_LINE = """\
# The command line

`lockstep VERB ...` does one thing with the workspace of the current folder. `lockstep VERB --help`
says the same as this page, which is generated from the command itself.
"""

_ERRORS = """\
# Errors in a model

Here is an example of each error with which a model's text can be refused: the line, why it is
refused, and what to write instead. [The notation](language.md) says what is allowed. This page is
generated from the tests.
"""


def command_line() -> str:
    """`cli.md`: every verb with its arguments and options."""
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    top = root.context_class(root, info_name="lockstep", **root.context_settings)
    parts = [_COMMAND_LINE]
    for name, verb in sorted(root.commands.items()):
        assert isinstance(verb, TyperCommand)
        context = verb.context_class(verb, info_name=name, parent=top, **verb.context_settings)
        usage = verb.get_usage(context).removeprefix("Usage: ")
        records = [parameter.get_help_record(context) for parameter in verb.get_params(context)]
        rows = [_row(*record) for record in records if record is not None]
        table = "\n".join(["| argument or option | meaning |", "|---|---|", *rows])
        parts.append(f"## `{name}`\n\n```text\n{usage}\n```\n\n{verb.help}\n\n{table}\n")
    return "\n".join(parts)


def _row(form: str, meaning: str) -> str:
    plain = form.partition(" <")[0]  # the type of an argument says nothing that its name does not
    return f"| `{_cell(plain)}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def errors() -> str:
    """`diagnostics.md`: the first example of each code, as it is printed."""
    parts = [_ERRORS]
    for case in sorted(CASES.glob("*.err")):
        if "__" not in case.stem:
            first = case.read_text(encoding="utf-8").partition("\n\n")[0].rstrip()
            parts.append(f"## {case.stem.replace('_', '-')}\n\n```text\n{first}\n```\n")
    return "\n".join(parts)


_KINDS = (
    *(Answer, CheckDetails, Entry, FaultDetails, MutantDetails),
    *(ProveDetails, PropertyDetails, BoundedDetails, EnoughDetails),
    *(RefinementDetails, TlcCounts, TwinDetails, ReplayDetails, OnDetails),
    *(CostsDetails, CostDetails, AttainedDetails),
    *(DriveDetails, DepartureDetails, ReasonDetails),
    *(ReviewDetails, PropertyReview, DirectionDetails, DifferenceDetails, Evidence),
    *(ActionsDetails, ActionDetails, ExampleDetails, BrokerResult, MethodDrift),
    *(FindDetails, EqualDetails, Requirement, ExploreDetails, BegunDetails, Finding),
)
_STRUCTS = {kind.__name__: kind for kind in _KINDS}
"""The structs of which `json.md` has a table."""

_WORDS = {"str": "text", "int": "integer", "float": "number", "bool": "true or false"}
_WORDS |= dict.fromkeys(
    ("Moment", "Verdict", "Change", "Standing", "Strength", "Presence", "Kind"), "text"
)


def json_output() -> str:
    """`json.md`: the page as it is, with each table of fields written again from its struct."""
    text = REFERENCE.joinpath("json.md").read_text(encoding="utf-8")
    parts = r"(<!-- the fields of (\w+) -->\n).*?(\n<!-- that is all -->)"
    return re.sub(
        parts,
        lambda found: f"{found[1]}\n{_fields(_STRUCTS[found[2]])}\n{found[3]}",
        text,
        flags=re.S,
    )


def _fields(kind: type) -> str:
    """A row a field of a struct: the text below the field is its meaning."""
    (body,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(body, ast.ClassDef)
    rows = ["| field | type | meaning |", "|---|---|---|"]
    renamed = msgspec.structs.fields(kind) if issubclass(kind, msgspec.Struct) else ()
    names = {field.name: field.encode_name for field in renamed}
    for one, after in zip(body.body, [*body.body[1:], body], strict=True):
        if isinstance(one, ast.AnnAssign):
            is_reported = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            meaning = str(after.value.value) if is_reported else ""  # type: ignore[attr-defined]
            name = ast.unparse(one.target)
            row = f"`{names.get(name, name)}` | {_type(one.annotation)}"
            rows.append(f"| {row} | {' '.join(meaning.split())} |")
    return "\n".join(rows)


def _between(text: str, name: str, content: str) -> str:
    """The page, with what stands between the marks of a generated part replaced."""
    parts = rf"(<!-- {name} -->\n).*?(\n<!-- that is all -->)"
    return re.sub(parts, lambda found: f"{found[1]}\n{content}\n{found[2]}", text, flags=re.S)


def conformance() -> str:
    """`conform.md`: the page as it is, with the table of rules written again."""
    rows = ["| rule | side | verdict | sentence | requirements |", "|---|---|---|---|---|"]
    for rule in Rule:
        requirements = ", ".join(rule.requirements)
        side = rule.side or "either"
        sentence = _cell(rule.sentence.replace(":request}", "} request(s)"))
        rows.append(f"| `{rule.id}` | {side} | {rule.verdict} | {sentence} | {requirements} |")
    text = REFERENCE.joinpath("conform.md").read_text(encoding="utf-8")
    return _between(text, "the rules", "\n".join(rows))


def _type(annotation: ast.expr) -> str:
    text = ast.unparse(annotation)
    first = text.removesuffix(" | None")
    is_list = first.startswith(("tuple", "list"))
    word = "list" if is_list else _WORDS.get(first, "object")
    return word if first == text else f"{word} or null"


PAGES = {
    "cli.md": command_line,
    "conform.md": conformance,
    "diagnostics.md": errors,
    "json.md": json_output,
}

if __name__ == "__main__":
    for page, text in PAGES.items():
        REFERENCE.joinpath(page).write_text(text(), encoding="utf-8")
