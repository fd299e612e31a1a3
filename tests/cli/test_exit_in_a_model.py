"""A model's text cannot end the command: that is a mistake in the text, with its place."""

from typing import TYPE_CHECKING

import pytest

from lockstep.cli.main import run
from lockstep.language.model import load_model
from lockstep.language.source import ModelError
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.twin.twin import compare_twin

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

ENDS = (
    "exit(0)",
    "quit()",
    "raise SystemExit",
    "raise SystemExit(0)",
    "raise GeneratorExit",
    "raise BaseException('over')",
)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("file", ["models/turnstile.py", "invariants/turnstile.py"])
def test_at_the_top_of_a_file(desk: "Desk", file: str, end: str) -> None:
    path = desk.root / file
    path.write_text(f"{path.read_text('utf-8')}\n\n{end}\n", encoding="utf-8")
    for verb in (("check",), ("faults",), ("prove", "turnstile")):
        ran = desk.run(*verb)
        assert ran.code == 2
        refused = "a model cannot use" if end in ("exit(0)", "quit()") else "running this failed"
        assert f"]: {refused}" in ran.out + ran.err
        line = path.read_text("utf-8").count("\n")
        assert f"{file}:{line}:1" in ran.out + ran.err


def test_in_a_domain_that_is_made_while_the_state_class_is(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "Count = Range(0, MAX_COINS)", "Count = Range(0, exit(0))")
    ran = desk.run("check", "turnstile")
    assert ran.code == 2
    assert "a model cannot use exit" in ran.out


@pytest.mark.parametrize("end", ENDS)
def test_in_an_action_that_plain_python_runs(desk: "Desk", end: str) -> None:
    desk.edit("models/turnstile.py", "    new.arm[g] = Arm.JAMMED", f"    {end}")
    result = Search(PlainEngine(load_model(desk.root, "turnstile"))).run()
    assert result.verdict is Verdict.ERROR
    assert result.error is not None
    assert (result.error.function, result.error.line) == ("jam", 52)
    assert desk.run("check", "turnstile").code == 2
    spec = load_model_spec(desk.root, "turnstile")
    with pytest.raises(ModelError, match=r"models/turnstile.py:52:5"):
        compare_twin(load_model(desk.root, "turnstile"), spec, spec.scope("default"))


@pytest.mark.parametrize("end", ENDS)
def test_in_a_property_that_plain_python_runs(desk: "Desk", end: str) -> None:
    for old in ("    return s.entries[g] <= s.coins[g]", "    return any(s.entries[g] > 0 for g"):
        desk.edit("invariants/turnstile.py", old, f"    {end}\n{old}")
    model = load_model(desk.root, "turnstile")
    for name in ("entries_are_paid", "somebody_gets_in"):
        with pytest.raises(EvaluationError):
            PlainEngine(model).evaluate(model.property(name), model.initial, None)
    assert desk.run("check", "turnstile").code == 2


def test_ctrl_c_while_a_model_is_loaded_is_no_mistake_of_its(
    desk: "Desk", capsys: pytest.CaptureFixture[str]
) -> None:
    path = desk.root / "models/turnstile.py"
    path.write_text(f"raise KeyboardInterrupt\n{path.read_text('utf-8')}", encoding="utf-8")
    assert run(["check", "turnstile"]) == 130
    printed = capsys.readouterr()
    assert printed.err == "lockstep: interrupted\n"
    assert "interrupted; not checked: turnstile" in printed.out
