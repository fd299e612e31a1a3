"""What becomes of mutants, by plain Python and by machine code."""

from dataclasses import replace

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model
from lockstep.mutants.fate import NO_MEANING, SILENCE, Fate
from lockstep.mutants.judge import Judge, Judged
from lockstep.mutants.mutant import find_mutant, mutants_of
from lockstep.mutants.parting import Parts
from lockstep.plain.exploration import Bounds, Exploration
from tests.mutants.conftest import Load

ENGINES = ("python", "compiled")

MODEL = """
class Lamp(State):
    on: bool = False
    level: Range(0, 3) = 0
    asked: Range(0, 3) = 0
    last: Range(0, 3) = 0

def is_low(s):
    return s.level < 2

@action
def ask(s, new):
    require(s.asked < 3)
    new.asked = s.asked + 1

@action
def rise(s, new):
    require(s.on and s.level < 3)
    require(s.level <= 2)
    new.level = s.level + 1
    new.last = s.asked

@action
def switch_on(s, new):
    require(not s.on and is_low(s))
    new.on = True

@action
def switch_off(s, new):
    require(s.on and s.level == 3)
    new.on = False
    new.level = 0
"""

CLAIMS = """
@invariant
def glows_when_on(s):
    when(s.level > 0)
    return s.on

@step_invariant
def rises_by_one(s, new):
    when(new.level > s.level)
    return new.level == s.level + 1

@sometimes
def is_bright(s):
    return s.level == 3

@leads_to(weak=rise)
def what_is_on_gets_bright(s):
    return s.on, s.level == 3
"""


def judged(model: Model, name: str, engine: str, **asked: object) -> Judged:
    environment = asked.pop("environment", ())
    request = replace(Exploration(engine), **{"deadlock_allowed": False, **asked})  # type: ignore[arg-type]
    return Judge(model, request, environment).judge(find_mutant(model, name))  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "fate", "by", "steps"),
    [
        ("rise: guard dropped: require(s.on and s.level < 3) -> require(s.level < 3)",
         Fate.KILLED, "glows_when_on", 1),
        ("rise: constant shifted: 1 -> 2", Fate.KILLED, "rises_by_one", 2),
        ("rise: assignment dropped: new.level = s.level + 1", Fate.KILLED, "deadlock", 5),
        ("switch_on: guard negated: require(not s.on and is_low(s)) "
         "-> require(s.on and is_low(s))", Fate.KILLED, "deadlock", 3),
        ("rise: guard dropped: require(s.level <= 2)", Fate.EQUAL, None, None),
        ("switch_on: guard dropped: require(not s.on and is_low(s)) -> require(is_low(s))",
         Fate.STUTTERS, None, None),
        ("rise: assignment dropped: new.last = s.asked", Fate.SURVIVES, None, None),
        ("ask: guard dropped: require(s.asked < 3)", Fate.KILLED, NO_MEANING, 3),
        ("ask: comparison shifted: s.asked < 3 -> s.asked <= 3", Fate.KILLED, NO_MEANING, 3),
        ("ask: guard negated: require(s.asked < 3) -> require(s.asked >= 3)",
         Fate.KILLED, SILENCE, None),
        ("ask: constant shifted: 1 -> 0", Fate.SURVIVES, None, None),
        ("is_low: comparison shifted: s.level < 2 -> s.level <= 2", Fate.EQUAL, None, None),
    ],
)  # fmt: skip
def test_the_fate_of_a_mutant(
    load: Load, engine: str, name: str, fate: Fate, by: str | None, steps: int | None
) -> None:
    sentence = judged(load(MODEL, CLAIMS), f"sample.{name}", engine).sentence
    assert (sentence.fate, sentence.by, sentence.steps) == (fate, by, steps)


PARTLY_RUN = """
class Lamp(State):
    level: Range(0, 2) = 0
    last: Range(0, 2) = 0

def put(new, level):
    new.level = level

@action
def rise(s, new):
    require(s.level < 2 or s.last > 2)
    put(new, s.level + 1)
    new.last = s.level if s.level < 2 else 0

@action
def break_down(s, new):
    require(s.level < 0 and s.last == 1)
    put(new, 1)
    new.last = 2
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "fate"),
    [
        ("rise: constant shifted: 0 -> 1", Fate.NOT_EXERCISED),
        ("rise: comparison shifted: s.last > 2 -> s.last >= 2", Fate.EQUAL),
        ("break_down: guard dropped: require(s.level < 0 and s.last == 1) -> require(s.level < 0)",
         Fate.NOT_EXERCISED),
        ("break_down: guard negated: require(s.level < 0 and s.last == 1) "
         "-> require(s.level < 0 and s.last != 1)", Fate.NOT_EXERCISED),
        ("break_down: call dropped: put(new, 1)", Fate.NOT_EXERCISED),
        ("break_down: assignment dropped: new.last = 2", Fate.NOT_EXERCISED),
    ],
)  # fmt: skip
def test_what_never_runs_is_not_exercised(load: Load, engine: str, name: str, fate: Fate) -> None:
    """A branch that is not taken, an operand that is not looked at, what follows a false guard."""
    model = load(PARTLY_RUN, "@sometimes\ndef is_bright(s):\n    return s.level == 2\n")
    sentence = judged(model, f"sample.{name}", engine, deadlock_allowed=True).sentence
    assert sentence.fate is fate


@pytest.mark.parametrize("engine", ENGINES)
def test_a_survivor_parts_from_its_model(load: Load, engine: str) -> None:
    model = load(MODEL, CLAIMS)
    mutant = judged(model, "sample.ask: constant shifted: 1 -> 0", engine)
    assert mutant.parting is not None
    assert [step.action for step in mutant.parting.trace.steps] == ["ask"]
    assert mutant.parting.parts is Parts.OTHERWISE
    text = MODEL.replace(
        "    require(s.asked < 3)\n", "    require(s.asked < 3)\n    require(s.on)\n"
    )
    text = text.replace("require(s.asked < 3)", "require(s.asked <= 1)")
    name = "sample.ask: comparison shifted: s.asked <= 1 -> s.asked < 1"
    lacking = judged(load(text, CLAIMS), name, engine)
    assert lacking.parting is not None
    assert lacking.parting.parts is Parts.LESS
    steps = [step.action for step in lacking.parting.trace.steps]
    assert steps == ["switch_on", "ask", "ask"]
    killed = judged(model, "sample.rise: constant shifted: 1 -> 2", engine)
    assert killed.parting is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_goal_that_is_missed_kills(load: Load, engine: str) -> None:
    name = "sample.rise: assignment dropped: new.level = s.level + 1"
    sentence = judged(load(MODEL, CLAIMS), name, engine, deadlock_allowed=True).sentence
    assert (sentence.fate, sentence.by, sentence.steps) == (Fate.KILLED, "is_bright", None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_planted_hole_lets_a_mutant_survive(load: Load, engine: str) -> None:
    name = "sample.rise: guard dropped: require(s.on and s.level < 3) -> require(s.level < 3)"
    whole = judged(load(MODEL, CLAIMS), name, engine, deadlock_allowed=True).sentence
    assert (whole.fate, whole.by) == (Fate.KILLED, "glows_when_on")
    hole = CLAIMS.replace("return s.on\n", "return True\n")
    assert hole != CLAIMS
    sentence = judged(load(MODEL, hole), name, engine, deadlock_allowed=True).sentence
    assert sentence.fate is Fate.SURVIVES


@pytest.mark.parametrize("engine", ENGINES)
def test_liveness_kills(load: Load, engine: str) -> None:
    name = "sample.switch_off: comparison shifted: s.level == 3 -> s.level <= 3"
    sentence = judged(load(MODEL, CLAIMS), name, engine).sentence
    assert (sentence.fate, sentence.by) == (Fate.KILLED, "what_is_on_gets_bright")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_environment_may_act_when_it_likes_but_not_do_what_it_likes(
    load: Load, engine: str
) -> None:
    model = load(MODEL.replace("require(s.asked < 3)", "require(s.asked < 2)"), CLAIMS)
    guard = "sample.ask: comparison shifted: s.asked < 2 -> s.asked <= 2"
    effect = "sample.ask: constant shifted: 1 -> 0"
    assert judged(model, guard, engine).sentence.fate is Fate.SURVIVES
    free = judged(model, guard, engine, environment=("ask",))
    assert free.sentence.fate is Fate.ENVIRONMENT
    assert judged(model, effect, engine, environment=("ask",)).sentence.fate is Fate.SURVIVES
    other = judged(model, guard, engine, environment=("rise",))
    assert other.sentence.fate is Fate.SURVIVES


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_that_ends_at_its_bound_kills_nothing(load: Load, engine: str) -> None:
    name = "sample.rise: assignment dropped: new.last = s.asked"
    bounded = judged(load(MODEL, CLAIMS), name, engine, bounds=Bounds(max_states=5))
    assert bounded.sentence.fate is Fate.INCONCLUSIVE
    assert "stopped as bounded" in bounded.sentence.because


@pytest.mark.parametrize("engine", ENGINES)
def test_a_claim_that_calls_a_helper_is_changed_with_it(load: Load, engine: str) -> None:
    """Both are wrong together: so a claim has to say in other words what the helper says."""
    calls = "\n@step_invariant\ndef f(s, new):\n    when(new.on and not s.on)\n    return "
    name = "sample.is_low: comparison shifted: s.level < 2 -> s.level <= 2"
    # The level falls on its own, so that the lamp may be off at any level.
    text = MODEL.replace("    require(s.on and s.level == 3)", "    require(s.on)")
    text = text.replace("    new.level = 0\n", "")
    model = load(text, f"{calls}is_low(s)\n")
    assert judged(model, name, engine, deadlock_allowed=True).sentence.fate is Fate.SURVIVES
    model = load(text, f"{calls}s.level < 2\n")
    assert judged(model, name, engine, deadlock_allowed=True).sentence.by == "f"


def test_what_does_not_load_or_changes_nothing_is_not_counted(load: Load) -> None:
    text = MODEL.replace("require(s.asked < 3)", "require(s.asked < 3 and 1 + 1 == 2)")
    judge = Judge(load(text, CLAIMS), Exploration("python"))
    void = {
        mutant.name: judge.judge(mutant).sentence
        for mutant in mutants_of(load(text, CLAIMS))
        if mutant.name.startswith("sample.rise: constant shifted: 1 -> 0")
        or mutant.name.startswith("sample.switch_off: constant shifted: 0 -> -1")
    }
    assert [sentence.fate for sentence in void.values()].count(Fate.VOID) == 1
    assert "does not load" in void["sample.switch_off: constant shifted: 0 -> -1"].because


@pytest.mark.parametrize("engine", ENGINES)
def test_a_model_that_does_not_hold_has_no_mutants_to_judge(load: Load, engine: str) -> None:
    model = load(MODEL, "@invariant\ndef never_on(s):\n    return not s.on\n")
    with pytest.raises(LockstepError, match="does not hold itself: never_on") as error:
        Judge(model, Exploration(engine))
    assert error.value.exit_code is ExitCode.USAGE


def test_an_unknown_mutant(load: Load) -> None:
    with pytest.raises(LockstepError, match="has no mutant"):
        find_mutant(load(MODEL, CLAIMS), "sample.rise: guard dropped")


def test_without_machine_code_plain_python_judges(load: Load) -> None:
    wide = "    wide: Set[Range(0, 5000)] = set()\n"
    model = load(MODEL.replace("    on: bool", f"{wide}    on: bool"), CLAIMS)
    name = "sample.rise: constant shifted: 1 -> 2"
    outcome = judged(model, name, "auto")
    assert (outcome.sentence.by, outcome.result and outcome.result.engine) == (
        "rises_by_one",
        "python",
    )
    with pytest.raises(LockstepError, match="no machine code"):
        judged(model, name, "compiled")
