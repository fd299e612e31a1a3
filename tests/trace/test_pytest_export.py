import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.language.model import Model, Property, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.trace import Trace
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.behaviour import to_pytest, workspace_from
from lockstep.trace.itf import Origin, constants_of

KAFKA = Path(__file__).parents[2]
ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


def faulty(fault: str) -> tuple[Model, Trace, Origin]:
    model = load_model(ROOT, "turnstile", {"GATES": ("east",)}, fault=fault)
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    constants = constants_of(model)
    origin = Origin("turnstile", violation.properties[0], fault=fault, constants=constants)
    return model, violation.trace, origin


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "test_pasted.py"
    file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_program_is_short_and_plain() -> None:
    assert to_pytest(*faulty("stays_open")) == (
        "from lockstep.trace.behaviour import Behaviour\n"
        "\n"
        "\n"
        "def test_turnstile_keeps_entries_are_paid():\n"
        '    """Nobody gets in without a coin."""\n'
        "    behaviour = Behaviour(\n"
        '        "turnstile",\n'
        '        constants={"GATES": ("east",), "MAX_COINS": 2, "CAN_JAM": True},\n'
        '        fault="stays_open")\n'
        '    behaviour.take("coin", g="east")\n'
        '    behaviour.take("push", g="east")\n'
        '    behaviour.take("push", g="east")\n'
        '    assert not behaviour.violates("entries_are_paid")\n'
    )


@pytest.mark.parametrize("fault", ["stays_open", "kicked_open"])
def test_it_fails_with_the_fault_and_passes_without(fault: str, tmp_path: Path) -> None:
    program = to_pytest(*faulty(fault))
    failing = run(program, tmp_path)
    assert failing.returncode == 1
    assert "AssertionError" in failing.stdout
    if fault == "stays_open":
        repaired = program.replace(',\n        fault="stays_open")', ")")
        assert repaired != program
        assert run(repaired, tmp_path).returncode == 0


@pytest.mark.parametrize(
    "doc",
    ['Says """so""".', 'Ends with "', "A \\ backslash\\", "Two lines.\n\nAnd more\\n.", ""],
)
def test_any_docstring_makes_a_program(doc: str) -> None:
    model, trace, origin = faulty("stays_open")

    def reported(prop: Property) -> Property:
        return replace(prop, doc=doc)

    spoken = replace(model, properties=tuple(map(reported, model.properties)))
    program = to_pytest(spoken, trace, origin)
    scope: dict[str, object] = {}
    exec(compile(program, "pasted", "exec"), scope)
    written = getattr(scope["test_turnstile_keeps_entries_are_paid"], "__doc__", "")
    assert " ".join((doc or "entries_are_paid holds.").split()) == " ".join(written.split())


def test_a_behaviour_that_violates_nothing_is_no_test() -> None:
    model, trace, origin = faulty("stays_open")
    with pytest.raises(ValueError, match="makes no test"):
        to_pytest(model, trace, replace(origin, property=None))


def test_values_are_those_of_the_model() -> None:
    scope = load_model_spec(KAFKA, "fetch_session").scope("small")
    fault = "sends_before_epoch_advances"
    model = load_model(KAFKA, "fetch_session", scope.constants, fault=fault)
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    origin = Origin(model.name, violation.properties[0], fault=fault)
    program = to_pytest(model, violation.trace, origin)
    assert '    Interest = behaviour.named("models.fetch_partitions.Interest")\n' in program
    assert (
        "    behaviour.take(\n"
        '        "send_full", f="c1",\n'
        '        wanted={"p1": Interest(\n'
        "            fetch_offset=0, log_start_offset=-1, partition_max_bytes=0,\n"
        "            current_leader_epoch=-1, last_fetched_epoch=-1)})\n"
    ) in program
    assert "via=Via.AWAITED, filled=set()" in program
    compile(program, "pasted", "exec")


@pytest.mark.parametrize(
    ("file", "expression"),
    [
        ("root/test_x.py", "Path(__file__).parents[0]"),
        ("root/tests/models/test_x.py", "Path(__file__).parents[2]"),
    ],
)
def test_a_file_of_the_workspace_finds_it_wherever_both_are(
    tmp_path: Path, file: str, expression: str
) -> None:
    assert workspace_from(tmp_path / file, tmp_path / "root") == expression


def test_a_file_from_elsewhere_names_the_workspace(tmp_path: Path) -> None:
    expression = workspace_from(tmp_path / "other" / "test_x.py", tmp_path / "root")
    assert expression == f'Path("{tmp_path.resolve()}/root")'
