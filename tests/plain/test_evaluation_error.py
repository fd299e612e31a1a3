"""Where a model's text has no meaning, its reader sees the line, a mark in it, and a cure."""

from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict

HEAD = """from lockstep import Map, Range, Sequence, State, action, require

Few = Range(0, 3)
Key = Range(0, 4)


class Case(State):
    count: Few = 0
    last: Few | None = None
    seen: Map[Few, bool] = {key: False for key in Few}
    queue: Sequence[Few, 2] = ()


def half(s, of):
    return of // s.count


@action
def step(s, new):
"""
CASES = {
    "count = -1 is not in 0..3": (
        "new.count = s.count - 1",
        "new.count",
        "bring the value into 0..",
    ),
    "ZeroDivisionError": ("new.count = half(s, 3)", "of // s.count", "require(divisor != 0)"),
    "IndexError": ("new.count = s.queue[s.count]", "s.queue[s.count]", "len(items) > index"),
    "TypeError": ("new.count = s.last + 1", "s.last + 1", "require(x is not None)"),
    "KeyError: 4": (
        "new.count = 1 if s.seen[max(k for k in Key)] else 0",
        "s.seen[max(k for k in Key)]",
        "a wider domain of keys",
    ),
    "ValueError": ("new.count = min(k for k in s.queue)", "min(k for k in s.queue)", "default=0"),
}


def model(root: Path, line: str) -> Model:
    (root / "models").mkdir()
    (root / "models" / "case.py").write_text(f"{HEAD}    {line}\n", encoding="utf-8")
    return load_model(root, "case")


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("case", CASES)
def test_the_line_is_shown_with_the_cure(case: str, engine: str, tmp_path: Path) -> None:
    line, marked, cure = CASES[case]
    result = explore(model(tmp_path, line), Exploration(engine))
    assert result.verdict is Verdict.ERROR
    assert result.error is not None
    head, _, _, source, carets, why, how = str(result.error).splitlines()
    assert head.startswith(f"error[no-meaning]: step: {case}")
    assert why.strip().startswith("= why: ")
    assert cure in how
    at = carets.index("^")
    assert source[at : at + carets.count("^")] == marked


def test_it_is_input_that_cannot_be_used(tmp_path: Path) -> None:
    """So whatever a verb does not expect of a model ends as such, with the line shown."""
    loaded = model(tmp_path, "new.count = s.count - 1")
    with pytest.raises(EvaluationError, match=r"  cure|= cure: ") as raised:
        PlainEngine(loaded).run(loaded.action("step"), loaded.initial, ())
    assert isinstance(raised.value, LockstepError)
    assert raised.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_goal_without_a_value_is_an_error_also_after_it_was_reached(
    engine: str, threads: int, tmp_path: Path
) -> None:
    """Which state comes first on a level depends on the engine and on the number of threads."""
    model(tmp_path, "new.count = (s.count + 1) % 4")
    (tmp_path / "invariants").mkdir()
    (tmp_path / "invariants" / "case.py").write_text(
        "from lockstep import sometimes\n\n\n"
        "@sometimes\ndef one_is_divided(s):\n    return 6 // (s.count - 3) <= -2\n",
        encoding="utf-8",
    )
    result = explore(load_model(tmp_path, "case"), Exploration(engine, threads=threads))
    assert result.verdict is Verdict.ERROR
    assert str(result.error).startswith("error[no-meaning]: one_is_divided: ZeroDivisionError")
