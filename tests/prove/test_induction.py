"""What induction proves and what it does not, on models small enough to know beforehand."""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import z3

from lockstep.language.model import Model, load_model
from lockstep.prove import induction
from lockstep.prove.bounded import check_bounded
from lockstep.prove.equal import contrast
from lockstep.prove.induction import prove
from lockstep.prove.proofs import MEANING, Induction, Proof, comparisons
from lockstep.prove.relation import Relation
from lockstep.prove.solver import Answer, ask, ctrl_c_ends_a_question, new_solver
from lockstep.results.verdict import Verdict
from lockstep.system.crash import InternalError, failure_of
from lockstep.workspace import Workspace

Load = Callable[..., Model]

PAIR = """
from lockstep import Range, State, action, require

LIMIT = 9223372036854775807


class Pair(State):
    low: Range(0, LIMIT) = 0
    high: Range(0, LIMIT) = 0


@action
def grow(s, new, by: Range(1, LIMIT)):
    require(s.high + by <= LIMIT)
    new.high = s.high + by


@action
def follow(s, new):
    new.low = s.high
"""

WALK = """
from lockstep import Range, State, action, require


class Walk(State):
    a: Range(0, 9) = 0
    b: Range(0, 9) = 1
    c: Range(0, 9) = 2


@action
def shift(s, new):
    new.a = s.b
    new.b = s.c
    new.c = s.a
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a model, of which the state class' name in small letters is the name."""

    def load(model: str, invariants: str = "", *, lemmas: bool = True) -> Model:
        name = model.split("(State)")[0].rsplit("class ", 1)[1].lower()
        for folder, text in (("models", model), ("invariants", invariants)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"{name}.py").write_text(text, encoding="utf-8")
        return load_model(tmp_path, name, lemmas=lemmas)

    return load


def proofs(result: Induction) -> dict[str, bool]:
    return {proof.name: proof.proved for proof in result.proofs}


def proof(result: Induction, name: str) -> Proof:
    return next(proof for proof in result.proofs if proof.name == name)


ORDERED = """
from lockstep import invariant, sometimes, step_invariant


@invariant()
def in_order(s):
    return s.low <= s.high


@step_invariant()
def high_never_falls(s, new):
    return new.high >= s.high


@step_invariant()
def low_never_falls(s, new):
    return new.low >= s.low


@sometimes()
def something_is_there(s):
    return s.high > 0
"""


def test_what_keeps_itself_up_is_proved(load: Load) -> None:
    result = prove(Relation(load(PAIR, ORDERED)))
    assert proofs(result) == {
        "in_order": True,
        "high_never_falls": True,
        "low_never_falls": True,  # follows from in_order alone
        MEANING: True,
    }
    names = ("in_order", "high_never_falls", "low_never_falls")
    assert {obligation.name for obligation in result.obligations} == {
        "in_order-initial-0",
        *(f"{name}-step-{action}" for name in names for action in ("grow", "follow")),
        "meaning-of-grow-state",
    }


def test_a_step_is_not_proved_without_the_invariant_it_needs(load: Load) -> None:
    result = prove(Relation(load(PAIR, ORDERED.replace("@invariant()\n", "@sometimes()\n"))))
    assert proofs(result) == {"high_never_falls": True, "low_never_falls": False, MEANING: True}
    example = proof(result, "low_never_falls").example
    assert example is not None
    (step,) = example.steps
    assert step.action == "follow"
    assert example.initial.low > example.initial.high  # type: ignore[attr-defined]


TWICE = """
from lockstep import invariant, lemma


@invariant()
def low_is_even(s):
    return s.low % 2 == 0


@lemma
def high_is_even(s):
    return s.high % 2 == 0
"""


def test_an_invariant_that_needs_a_lemma(load: Load) -> None:
    doubled = PAIR.replace("s.high + by", "s.high + by * 2")
    assert proofs(prove(Relation(load(doubled, TWICE)))) == {
        "low_is_even": True,
        "high_is_even": True,
        MEANING: True,
    }
    result = prove(Relation(load(doubled, TWICE, lemmas=False)))
    assert proofs(result) == {"low_is_even": False, MEANING: True}
    example = proof(result, "low_is_even").example
    assert example is not None
    assert example.initial.high % 2 == 1  # type: ignore[attr-defined]
    assert proof(result, "low_is_even").because == "it does not keep itself up"


def test_a_false_lemma_proves_nothing(load: Load) -> None:
    """What rests on what is dropped is dropped with it."""
    result = prove(Relation(load(PAIR, TWICE)))
    assert proofs(result) == {"low_is_even": False, "high_is_even": False, MEANING: True}
    assert result.obligations[0].name.startswith("meaning-of-")


def test_what_is_false_at_first_is_no_help(load: Load) -> None:
    says = "from lockstep import invariant\n\n\n"
    says += "@invariant()\ndef low_is_high(s):\n    return s.low == s.high + 1\n\n\n"
    says += "@invariant()\ndef low_is_one(s):\n    return s.low > 0 or s.high == 0\n"
    result = prove(Relation(load(PAIR, says)))
    assert proof(result, "low_is_high").because == "it is broken"
    assert not proof(result, "low_is_one").proved


SMALL = """
from lockstep import invariant


@invariant()
def a_is_small(s):
    return s.a <= 2
"""


@pytest.mark.parametrize("k", [1, 2, 3])
def test_an_invariant_that_needs_three_steps(load: Load, k: int) -> None:
    """`a` is what `c` was two steps before: three small ones in a row leave no room."""
    result = prove(Relation(load(WALK, SMALL)), k=k)
    assert proofs(result) == {"a_is_small": k == 3, MEANING: True}
    example = proof(result, "a_is_small").example
    if k == 3:
        assert {obligation.name for obligation in result.obligations} >= {"a_is_small-initial-2"}
    else:
        assert example is not None
        assert len(example.steps) == k


def test_the_first_states_are_looked_at_with_more_steps(load: Load) -> None:
    """After two steps it is broken for the first time; three good states never follow."""
    says = SMALL.replace("<= 2", "!= 2")
    for k in (1, 2, 3, 4):
        assert not proof(prove(Relation(load(WALK, says)), k=k), "a_is_small").proved


def test_one_action_and_no_invariant(load: Load) -> None:
    result = prove(Relation(load(WALK)))
    assert proofs(result) == {MEANING: True}
    assert check_bounded(Relation(load(WALK)), 3).verdict is Verdict.HOLDS


RISKY = """
from lockstep import Range, Sequence, State, action, require


class Risky(State):
    items: Sequence[Range(0, 3), 2] = ()
    taken: Range(0, 3) = 0


@action
def put(s, new, n: Range(0, 3)):
    require(len(s.items) < 2)
    new.items = s.items + (n,)


@action
def take(s, new):
    require(s.taken < 3)
    new.taken = s.items[0]
    new.items = s.items[1:]
"""


def test_text_without_meaning_is_not_passed_over(load: Load) -> None:
    model = load(RISKY)
    result = prove(Relation(model))
    assert proofs(result) == {MEANING: False}
    assert proof(result, MEANING).because == "take: it has no meaning somewhere"
    bounded = check_bounded(Relation(model), 3)
    assert (bounded.verdict, bounded.covered) == (Verdict.ERROR, None)
    assert bounded.error is not None
    assert bounded.error.function == "take"
    guarded = RISKY.replace("s.taken < 3", "len(s.items) > 0")
    assert proofs(prove(Relation(load(guarded)))) == {MEANING: True}


@pytest.mark.parametrize("kind", ["invariant", "sometimes", "step_invariant", "leads_to"])
def test_a_property_without_meaning_is_not_passed_over(load: Load, kind: str) -> None:
    of_step = kind == "step_invariant"
    says = f"from lockstep import {kind}\n\n\n@{kind}()\n"
    says += f"def first_is_there(s{', new' * of_step}):\n"
    says += f"    return {'True, ' * (kind == 'leads_to')}"
    says += f"{'new' if of_step else 's'}.items[0] >= 0\n"
    guarded = RISKY.replace("s.taken < 3", "len(s.items) > 0")
    model = load(guarded, says)
    result = prove(Relation(model))
    assert not proof(result, MEANING).proved
    error = check_bounded(Relation(model), 3).error
    assert error is not None
    assert error.function == "first_is_there"


EARLY = """
from lockstep import Range, Sequence, State, action, require


class Early(State):
    x: Range(0, 3) = 0
    items: Sequence[Range(0, 3), 3] = (0, 0)


@action
def look(s, new, n: Range(0, 1)):
    require(not all(i < n for i in range(3) if s.items[i] == 0))
    new.x = 1
"""


def test_what_is_never_evaluated_does_not_fail(load: Load) -> None:
    """The first false claim ends an `all`: there is no third item, and nobody asks for it."""
    assert check_bounded(Relation(load(EARLY)), 2).verdict is Verdict.HOLDS


WIDE = """
from lockstep import invariant


@invariant()
def nothing_is_between(s, n: Range(0, 9223372036854775807)):
    return not (s.high < n and n < s.low)
"""


def test_more_parameters_than_can_be_listed(load: Load) -> None:
    """Assumed of all by a quantifier, refuted by one binding, and judged by Python for that."""
    head = "from lockstep import Range\n"
    assert proofs(prove(Relation(load(PAIR, head + WIDE)))) == {
        "nothing_is_between": True,
        MEANING: True,
    }
    model = load(PAIR, head + WIDE.replace("n < s.low", "n < s.high + 5"))
    assert not proof(prove(Relation(model)), "nothing_is_between").proved
    violation = check_bounded(Relation(model), 1).violation
    assert violation is not None
    assert 0 < violation.parameters[0] < 5


def test_parameters_are_in_their_domains(load: Load) -> None:
    says = "from lockstep import Range, invariant, step_invariant\n"
    for kind, new in (("invariant", ""), ("step_invariant", ", new")):
        says += f"\n\n@{kind}()\ndef of_{kind}(s{new}, n: Range(2, 5)):\n"
        says += "    return 10 // (n - 1) < 20 and s.high + n > s.high + 1\n"
    assert set(proofs(prove(Relation(load(PAIR, says)))).values()) == {True}


def test_names_that_look_alike_are_two(load: Load) -> None:
    text = PAIR.replace("import Range", "import Map, OneOf, Range")
    both = 'low: Map[OneOf((1, "1")), Range(0, 9)] = {1: 0, "1": 0}'
    text = text.replace("low: Range(0, LIMIT) = 0", both)
    text = text.replace("new.low = s.high", "new.low[1] = 1")
    says = "from lockstep import invariant\n\n\n"
    says += '@invariant()\ndef both_are_the_same(s):\n    return s.low[1] == s.low["1"]\n'
    assert not proof(prove(Relation(load(text, says))), "both_are_the_same").proved


def test_inferred_only_where_it_helps(load: Load) -> None:
    says = ORDERED.replace("@invariant()\n", "@sometimes()\n")
    linked = Relation(load(PAIR, says))
    result = prove(linked, inferred=comparisons(linked))
    assert proof(result, "low_never_falls").proved
    assert result.inferred == ["low <= high"]
    assert "low <= high-step-grow" in {obligation.name for obligation in result.obligations}
    enough = Relation(load(PAIR, ORDERED))
    assert prove(enough, inferred=comparisons(enough)).inferred == []


def test_an_unknown_answer_is_no_proof_and_no_help(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z3 gives up on whatever claims `high_is_even`: then `low_is_even` is not proved with it."""

    def gives_up(solver: z3.Solver, limit: float | None, *assumptions: z3.BoolRef) -> Answer:
        claim = str(solver.assertions()[-1])
        return "Z3 gave up: tired" if "s1.high%2" in claim else ask(solver, limit, *assumptions)

    monkeypatch.setattr(induction, "ask", gives_up)
    doubled = PAIR.replace("s.high + by", "s.high + by * 2")
    result = prove(Relation(load(doubled, TWICE)))
    assert proof(result, "high_is_even").because == "Z3 gave up: tired, asked of a step of grow"
    assert not proof(result, "low_is_even").proved
    assert all("even" not in obligation.name for obligation in result.obligations)


def test_no_time(load: Load) -> None:
    result = prove(Relation(load(PAIR, ORDERED)), max_seconds=0)
    assert not any(proofs(result).values())
    assert {proof.because for proof in result.proofs} == {"there is no time left"}
    bounded = check_bounded(Relation(load(PAIR, ORDERED)), 3, max_seconds=0)
    assert (bounded.verdict, bounded.covered) == (Verdict.INCONCLUSIVE, None)
    asked = "asked whether anything is broken after 0 steps"
    assert bounded.because == f"no answer within 0 s, {asked}"


def test_ctrl_c_keeps_what_is_proved(load: Load) -> None:
    def tell(what: str) -> None:
        if what.startswith("high_never_falls"):
            raise KeyboardInterrupt

    result = prove(Relation(load(PAIR, ORDERED)), on_progress=tell)
    assert result.interrupted
    assert proof(result, "in_order").proved
    assert proof(result, "low_never_falls").because == "interrupted"


def test_ctrl_c_reaches_the_solver(ctrl_c: Callable[[], None]) -> None:
    """Left to itself, Z3 would take the signal and let the work go on."""
    x, y, z = z3.Ints("x y z")
    solver = new_solver()
    solver.add(x * x * x + y * y * y + z * z * z == 33, x > 3)
    timer = threading.Timer(0.3, ctrl_c)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(solver, 20)
    finally:
        timer.cancel()


def test_ctrl_c_waits_for_the_next_question(ctrl_c: Callable[[], None]) -> None:
    """Between two calls of Z3 it would be lost in a destructor, or in a conversion."""
    solver = new_solver()
    with ctrl_c_ends_a_question():
        ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            ask(solver, 20)
        with pytest.raises(KeyboardInterrupt):
            ctrl_c()
    assert ask(solver, 20) is not None
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """This process ignores SIGINT, as what a shell starts in the background does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_is_ignored_stays_so_while_z3_works(in_the_background: None) -> None:
    """Z3 would install a handler of its own."""
    x, y, z = z3.Ints("x y z")
    solver = new_solver()
    solver.add(x * x * x + y * y * y + z * z * z == 33, x > 3)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    assert ask(solver, 1.0) == "no answer within 1 s"
    timer.join()


def test_a_signal_that_came_to_nothing_is_pressed_again_as_itself(in_the_background: None) -> None:
    """Where no question is asked; SIGINT, which is ignored, would come to nothing again."""

    def work() -> None:
        signal.raise_signal(signal.SIGTERM)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt), ctrl_c_ends_a_question():
        work()


def test_what_a_conversion_makes_of_a_second_press_is_ctrl_c(
    tmp_path: Path, ctrl_c: Callable[[], None]
) -> None:
    def converted() -> None:
        try:
            ctrl_c()
            ctrl_c()
        except KeyboardInterrupt as error:
            raise ctypes.ArgumentError("argument 2: KeyboardInterrupt:") from error

    with ctrl_c_ends_a_question():
        with pytest.raises(ctypes.ArgumentError) as error:
            converted()
        with pytest.raises(KeyboardInterrupt):
            failure_of(error.value, Workspace(tmp_path, "here"))
    assert isinstance(failure_of(ValueError(), Workspace(tmp_path, "here")), InternalError)


def test_no_other_signal_ends_a_question() -> None:
    """The caller of lockstep may have another clock."""
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    try:
        with ctrl_c_ends_a_question():
            signal.raise_signal(signal.SIGUSR1)
            time.sleep(0.2)
            assert ask(new_solver(), 20) is not None
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1]


def test_a_limit_is_reported(load: Load) -> None:
    x, y, z = z3.Ints("x y z")
    solver = z3.Solver()
    solver.add(x * x * x + y * y * y + z * z * z == 33, x > 3)
    assert ask(solver, 0.05) == "no answer within 0.05 s"
    assert ask(z3.Solver(), 1e9) is not None


def test_a_counterexample_is_covered_up_to_the_step_before(load: Load) -> None:
    says = ORDERED.replace("s.low <= s.high", "s.low <= 7")
    result = check_bounded(Relation(load(PAIR, says)), 5)
    assert result.violation is not None
    assert result.violation.properties == ("in_order",)
    assert [step.action for step in result.violation.trace.steps] == ["grow", "follow"]
    assert (result.depth, result.covered) == (2, 1)


FORMS = """
@action
def follow_up(s, new):
    new.low = max(s.low, s.high)


@action
def stay(s, new):
    require(s.low <= s.high)
    new.low = s.high
"""


def test_two_ways_to_write_an_action(load: Load) -> None:
    """Any state counts, one that is never reached as well: there `low` may be above `high`."""
    model = Relation(load(PAIR + FORMS))
    assert contrast(model, "stay", "stay") is None
    difference = contrast(model, "follow", "follow_up")
    assert difference is not None
    assert difference.before.low > difference.before.high  # type: ignore[attr-defined]
    other = contrast(model, "follow", "stay")
    assert other is not None
    assert other.does[1] is None


def test_relations_are_written_out_where_they_are_small(load: Load) -> None:
    model = Relation(load(PAIR, "from lockstep import Range\n" + WIDE))
    wide = model.properties["nothing_is_between"]
    assert not model.is_written_out(wide)
    assert z3.is_quantifier(model.holds(wide, model.state("s"), None))
