import dataclasses
import shutil
from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict, exit_code_of
from lockstep.specs.judgement import Difference, Judgement, check_declarations, judge
from lockstep.specs.scopes import ModelSpec, Pins, Scope, load_model_spec
from lockstep.specs.tables import Plain

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"
SMALL: dict[str, Plain] = {"GATES": ("east",), "CAN_JAM": False}
UNPINNED = Pins()


@pytest.fixture
def model() -> Model:
    return load_model(ROOT, "turnstile", SMALL)


@pytest.fixture
def result(model: Model) -> SearchResult:
    return Search(PlainEngine(model)).run()


def scope(pins: Pins = UNPINNED, **idle: str) -> Scope:
    return Scope("small", "", SMALL, pins, "counts", idle or {"jam": "it cannot"})


def code(judgement: Judgement) -> int:
    return exit_code_of(judgement.verdict, expected=judgement.expected)


def test_as_pinned(model: Model, result: SearchResult) -> None:
    judgement = judge(model, scope(Pins("holds", 5, 7, 4)), result, pinned=True)
    assert (judgement.verdict, judgement.because, code(judgement)) == (
        Verdict.HOLDS,
        "",
        ExitCode.HOLDS,
    )


@pytest.mark.parametrize(
    ("pins", "difference"),
    [
        (Pins("holds", 6, 7, 4), Difference("states", 6, 5)),
        (Pins("holds", 5, 1000, 4), Difference("transitions", 1000, 7)),
        (Pins(depth=5), Difference("depth", 5, 4)),
        (Pins("violated", 5), Difference("verdict", "violated", "holds")),
    ],
)
def test_a_pin_that_differs(
    model: Model, result: SearchResult, pins: Pins, difference: Difference
) -> None:
    judgement = judge(model, scope(pins), result, pinned=True)
    assert judgement.verdict is Verdict.DIFFERS
    assert judgement.differences == (difference,)
    assert str(difference) in judgement.because
    assert code(judgement) == ExitCode.DIFFERS
    unpinned = judge(model, scope(pins), result, pinned=False)
    assert (unpinned.verdict, unpinned.pins) == (Verdict.HOLDS, None)


def test_silence_is_no_proof_unless_it_is_declared(model: Model, result: SearchResult) -> None:
    silent = judge(model, Scope("small"), result, pinned=False)
    assert (silent.verdict, silent.idle) == (Verdict.INCONCLUSIVE, ("jam",))
    assert code(silent) == ExitCode.INCONCLUSIVE
    result.applied.discard("opens_only_for_a_coin")
    vacuous = judge(model, scope(), result, pinned=True)
    assert (vacuous.verdict, vacuous.vacuous) == (
        Verdict.INCONCLUSIVE,
        ("opens_only_for_a_coin",),
    )


def test_a_reason_in_every_scope_makes_up_for_no_premise(
    model: Model, result: SearchResult, tmp_path: Path
) -> None:
    """In one scope the reason stands, for another exercises the property; in all it does not."""
    (tmp_path / "specs").mkdir()
    file = tmp_path / "specs" / "turnstile.toml"
    reason = '"Nobody pays." = ["opens_only_for_a_coin"]\n'
    text = '[model]\nname = "turnstile"\n[scopes.small.idle]\n"No." = ["jam"]\n'
    text += f"[scopes.small.vacuous]\n{reason}[scopes.large.vacuous]\n"
    result.applied.discard("opens_only_for_a_coin")

    def judged() -> Judgement:
        declared_scope = load_model_spec(tmp_path, "turnstile").scope("small")
        return judge(model, declared_scope, result, pinned=True)

    file.write_text(text, encoding="utf-8")
    assert (judged().verdict, judged().vacuous) == (Verdict.HOLDS, ())
    file.write_text(text + reason, encoding="utf-8")
    assert (judged().verdict, judged().vacuous) == (
        Verdict.INCONCLUSIVE,
        ("opens_only_for_a_coin",),
    )
    assert "not exercised, premise never true in any scope: opens_only" in judged().because


def test_a_stale_declaration_differs(model: Model, result: SearchResult) -> None:
    judgement = judge(model, scope(jam="", coin="never"), result, pinned=True)
    assert (judgement.verdict, judgement.stale) == (Verdict.DIFFERS, ("coin",))


def test_what_differs_hides_no_silence(model: Model, result: SearchResult) -> None:
    judgement = judge(model, Scope("small", pins=Pins("holds", 6)), result, pinned=True)
    assert (judgement.verdict, code(judgement)) == (Verdict.INCONCLUSIVE, ExitCode.INCONCLUSIVE)
    assert (judgement.idle, [pin.name for pin in judgement.differences]) == (("jam",), ["states"])
    assert "jam" in judgement.because
    assert "states expected 6, found 5" in judgement.because


def test_no_property_is_no_proof(model: Model) -> None:
    bare = dataclasses.replace(model, properties=())
    judgement = judge(bare, scope(), Search(PlainEngine(bare)).run(), pinned=True)
    assert judgement.verdict is Verdict.INCONCLUSIVE
    assert judgement.because == "nothing is claimed: invariants/turnstile.py has no property"


def test_a_pinned_violation_is_what_was_asked_for(model: Model) -> None:
    broken = load_model(ROOT, "turnstile", SMALL, fault="stays_open")
    result = Search(PlainEngine(broken)).run()
    assert result.verdict is Verdict.VIOLATED
    pins = Pins("violated", result.states, violates=("entries_are_paid",))
    as_pinned = judge(broken, scope(pins), result, pinned=True)
    assert (as_pinned.verdict, as_pinned.expected) == (Verdict.VIOLATED, True)
    assert code(as_pinned) == ExitCode.HOLDS
    other = judge(broken, scope(Pins("violated", result.states + 1)), result, pinned=True)
    assert (other.verdict, code(other)) == (Verdict.DIFFERS, ExitCode.DIFFERS)
    pins = Pins("violated", result.states, violates=("opens_only_for_a_coin",))
    another = judge(broken, scope(pins), result, pinned=True)
    assert (another.verdict, code(another)) == (Verdict.VIOLATED, ExitCode.VIOLATED)
    pins = Pins("violated", result.states, violates=("opens_only_for_a_coin", "entries_are_paid"))
    fewer = judge(broken, scope(pins), result, pinned=True)
    assert (fewer.verdict, code(fewer)) == (Verdict.VIOLATED, ExitCode.VIOLATED)
    surprise = judge(broken, scope(Pins("holds", 5, 7, 4)), result, pinned=True)
    assert code(surprise) == ExitCode.VIOLATED
    assert surprise.differences == (), "the counts of a search that stopped say nothing"


GOALS = """

@sometimes("9-3")
def never_got(s):
    return any(s.entries[g] < 0 for g in Gate)


@sometimes("9-3")
def nor_that(s):
    return any(s.coins[g] < 0 for g in Gate)
"""


def test_a_pinned_violation_hides_no_other(tmp_path: Path) -> None:
    root = Path(shutil.copytree(ROOT, tmp_path / "turnstile"))
    with (root / "invariants" / "turnstile.py").open("a", encoding="utf-8") as claims:
        claims.write(GOALS)
    both = load_model(root, "turnstile", SMALL)
    result = Search(PlainEngine(both)).run()
    assert result.missed == ("never_got", "nor_that")
    one = judge(both, scope(Pins("violated", violates=("never_got",))), result, pinned=True)
    assert code(one) == ExitCode.VIOLATED
    assert "violates expected never_got, found never_got, nor_that" in one.because
    pins = Pins("violated", violates=("nor_that", "never_got"))
    assert code(judge(both, scope(pins), result, pinned=True)) == ExitCode.HOLDS
    unpinned = judge(both, Scope("small"), result, pinned=True)
    never = "never fired in this scope: jam; no reachable state satisfies never_got"
    assert (unpinned.verdict, unpinned.because) == (Verdict.VIOLATED, never)
    silent = judge(both, Scope("small", pins=pins), result, pinned=True)
    assert (silent.verdict, silent.idle) == (Verdict.INCONCLUSIVE, ("jam",))


def test_declarations_must_name_something(model: Model) -> None:
    def declared(scope: Scope) -> ModelSpec:
        return ModelSpec(Path("specs/turnstile.toml"), "turnstile", scopes={"small": scope})

    check_declarations(model, declared(scope()))
    with pytest.raises(
        LockstepError, match=r"scopes.small.idle.jams: turnstile has no such action"
    ):
        check_declarations(model, declared(scope(jams="")))
    wide = dataclasses.replace(scope(jams=""), name="wide")
    scopes = {"small": Scope("small", idle=wide.idle, like="wide"), "wide": wide}
    with pytest.raises(LockstepError, match=r"scopes.wide.idle.jams: turnstile has no such action"):
        check_declarations(model, ModelSpec(Path("turnstile.toml"), "turnstile", scopes=scopes))
    goal = Scope("small", vacuous={"somebody_gets_in": ""})
    with pytest.raises(LockstepError, match="turnstile has no such invariant"):
        check_declarations(model, declared(goal))
    constant = Scope("small", constants={"GATE": 1})
    with pytest.raises(LockstepError, match="turnstile has no such constant"):
        check_declarations(model, declared(constant))
    pinned = Scope("small", pins=Pins("violated", violates=("nothing",)))
    with pytest.raises(LockstepError, match="turnstile has no such property"):
        check_declarations(model, declared(pinned))
