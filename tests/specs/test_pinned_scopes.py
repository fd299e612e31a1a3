"""Every scope of every model gives what `specs/` says; together they leave nothing silent."""

import json
from functools import cache
from pathlib import Path

import pytest

from lockstep.cli.main import run
from lockstep.language.model import load_model, model_names
from lockstep.language.notation import Kind
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, load_model_spec

ROOT = Path(__file__).parents[2]
MODELS = model_names(ROOT)
AT_ONCE = 10_000
"""Scopes of up to so many states are explored in every run of the tests."""
BY_THE_ORACLE = 100_000
"""Scopes of up to so many states are explored by plain Python too, the judge of other engines."""


@cache
def spec(name: str) -> ModelSpec:
    return load_model_spec(ROOT, name)


def cases(at_most: int | None = None) -> list[tuple[str, str]]:
    """The scopes of all models, or those that are pinned to no more than `at_most` states."""
    return [
        (name, scope.name)
        for name in MODELS
        for scope in spec(name).scopes.values()
        if at_most is None or (scope.pins.states or 0) <= at_most
    ]


@pytest.fixture(autouse=True)
def in_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def assert_as_pinned(
    name: str, scope: str, engine: str, capsys: pytest.CaptureFixture[str], *options: str
) -> None:
    capsys.readouterr()
    asked = ["check", name, "--scope", scope, "--engine", engine, *options]
    code = run([*asked, "--json", "--no-cache"])
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["because"] == "" or result["because"].endswith("; as pinned")
    pins = spec(name).scope(scope).pins
    assert (result["verdict"], result["states"], result["transitions"], result["depth"]) == (
        pins.verdict,
        pins.states,
        pins.transitions,
        pins.depth,
    )
    assert code == 0


@pytest.mark.daily(3)
@pytest.mark.parametrize(("name", "scope"), cases(AT_ONCE))
def test_small_scope_gives_what_is_pinned(
    name: str, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_as_pinned(name, scope, "auto", capsys)


@pytest.mark.verify
@pytest.mark.parametrize(("name", "scope"), cases())
def test_scope_gives_what_is_pinned(
    name: str, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_as_pinned(name, scope, "auto", capsys)


@pytest.mark.verify
@pytest.mark.parametrize(("name", "scope"), cases(BY_THE_ORACLE))
def test_scope_gives_what_is_pinned_in_plain_python(
    name: str, scope: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_as_pinned(name, scope, "python", capsys, "--liveness")


@pytest.mark.parametrize("name", MODELS)
def test_every_scope_is_pinned(name: str) -> None:
    assert {"small", DEFAULT_SCOPE, "large"} <= set(spec(name).scopes)
    assert {scope.name: scope.pins.missing for scope in spec(name).scopes.values()} == {
        scope: [] for scope in spec(name).scopes
    }


@pytest.mark.parametrize("name", MODELS)
def test_everything_happens_in_some_scope(name: str) -> None:
    """What a scope declares idle or vacuous is compared with each search; here, with the rest."""
    model = load_model(ROOT, name, spec(name).scope(DEFAULT_SCOPE).constants)
    scopes = spec(name).scopes.values()
    idle = set.intersection(*(set(scope.idle) for scope in scopes))
    vacuous = set.intersection(*(set(scope.vacuous) for scope in scopes))
    assert (idle, vacuous) == (set(), set())
    actions = {action.name for action in model.actions}
    claims = {prop.name for prop in model.properties if prop.kind is not Kind.SOMETIMES}
    for scope in scopes:
        assert set(scope.idle) <= actions
        assert set(scope.vacuous) <= claims
