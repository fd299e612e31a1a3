import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.language.model import Model, Property, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.trace import Trace
from lockstep.trace.itf import Origin, constants_of
from lockstep.trace.pytest_export import to_pytest

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
        '        fault="stays_open",\n'
        "    )\n"
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
        repaired = program.replace('        fault="stays_open",\n', "")
        assert run(repaired, tmp_path).returncode == 0


@pytest.mark.parametrize(
    "doc",
    ['Says """so""".', 'Ends with "', "A \\ backslash\\", "Two lines.\n\nAnd more\\n.", ""],
)
def test_any_docstring_makes_a_program(doc: str) -> None:
    model, trace, origin = faulty("stays_open")

    def told(prop: Property) -> Property:
        return replace(prop, doc=doc)

    spoken = replace(model, properties=tuple(map(told, model.properties)))
    program = to_pytest(spoken, trace, origin)
    scope: dict[str, object] = {}
    exec(compile(program, "pasted", "exec"), scope)
    written = getattr(scope["test_turnstile_keeps_entries_are_paid"], "__doc__", "")
    assert " ".join((doc or "entries_are_paid holds.").split()) == " ".join(written.split())


def test_a_behaviour_that_violates_nothing_is_no_test() -> None:
    model, trace, origin = faulty("stays_open")
    with pytest.raises(ValueError, match="makes no test"):
        to_pytest(model, trace, replace(origin, property=None))
