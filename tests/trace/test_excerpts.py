"""The lines of a model in which a function is written."""

from pathlib import Path

from lockstep.language.model import load_model
from lockstep.trace.conjuncts import excerpt

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


def test_an_action_with_its_decorator() -> None:
    model = load_model(TURNSTILE, "turnstile")
    part = excerpt(model.universe, model.action("coin").function)
    assert part is not None
    lines = (TURNSTILE / part.file).read_text("utf-8").splitlines()
    assert part.file == "models/turnstile.py"
    assert part.lines == tuple(lines[part.first - 1 : part.first - 1 + len(part.lines)])
    assert part.lines[0] == "@action"
    assert part.lines[-1].strip() == "new.coins[g] = s.coins[g] + 1"


def test_a_fault_is_in_its_own_file() -> None:
    model = load_model(TURNSTILE, "turnstile", fault="stays_open")
    part = excerpt(model.universe, model.action("push").function)
    assert part is not None
    assert part.file == "models/faults/turnstile.py"


def test_what_is_from_elsewhere_has_no_lines() -> None:
    assert excerpt(load_model(TURNSTILE, "turnstile").universe, load_model) is None
