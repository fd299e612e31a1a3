"""The epoch of a session at its real width: what is false only where it wraps is found there.

No behaviour that a solver can spell out gets from the first state to epoch 2147483647, one request
after the other. Induction shows the step that breaks the claim, from a state in its domains; and a
search from any state with that epoch, in which all invariants hold, gives a behaviour to replay.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.cli.main import run
from lockstep.language.model import load_model
from lockstep.plain.run import PlainEngine, walked
from lockstep.prove.bounded import check_bounded
from lockstep.prove.induction import prove
from lockstep.prove.relation import Relation
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec

ROOT = Path(__file__).parents[2]
LAST = 2147483647

GROWS = """

@step_invariant()
def epoch_grows(s, new, f: Fetcher):
    when(was_accepted(s, new, f))
    i = s.request[f].session_id
    return new.sessions[i].epoch > s.sessions[i].epoch
"""


LAST_EPOCH = "any(s.sessions[i] is not None and s.sessions[i].epoch == MAX_EPOCH for i in OpenId)"


@pytest.fixture
def mistaken(tmp_path: Path) -> Path:
    """The workspace with the claim that epochs only grow."""
    for folder in ("models", "invariants", "specs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "lockstep.toml", tmp_path)
    with (tmp_path / "invariants/fetch_session.py").open("a", encoding="utf-8") as invariants:
        invariants.write(GROWS)
    return tmp_path


def test_a_behaviour_that_wraps_is_found_and_replayed(
    mistaken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(mistaken)
    asked = ["prove", "fetch_session", "--proof", "real", "--from", LAST_EPOCH, "--json"]
    assert run(asked) == 1
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert row["violated"] == "epoch_grows"
    assert run(["replay", row["trace"]]) == 1
    output = capsys.readouterr().out
    assert f".epoch: {LAST} -> 1\n" in output
    assert "epoch_grows is violated again, as recorded" in output


def test_an_epoch_that_only_grows_is_refuted_where_it_wraps(mistaken: Path) -> None:
    constants = load_model_spec(ROOT, "fetch_session").proofs["real"].constants
    assert constants["MAX_EPOCH"] == LAST
    whole = load_model(mistaken, "fetch_session", constants)
    asked = ("accepted_request_moves_the_epoch", "epoch_grows")
    model = replace(whole, properties=tuple(whole.property(name) for name in asked))

    true, false, _ = prove(Relation(model)).proofs
    assert (true.name, true.proved) == (asked[0], True)
    assert (false.name, false.proved) == (asked[1], False)
    assert false.example is not None
    trace = walked(PlainEngine(model), false.example)
    epochs = [
        {i: session.epoch for i, session in state.sessions.items() if session}  # type: ignore[attr-defined]
        for state in trace.states
    ]
    changed = [i for i in epochs[0] if epochs[1].get(i, LAST) != epochs[0][i]]
    assert [(epochs[0][i], epochs[1][i]) for i in changed] == [(LAST, 1)]
    assert PlainEngine(model).evaluate(model.property(asked[1]), *trace.states).failing is not None
    assert check_bounded(Relation(model), 4).verdict is Verdict.HOLDS
