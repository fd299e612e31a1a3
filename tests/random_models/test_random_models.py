"""What the random models are worth as a judge: they load, they differ, they use everything."""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, RangeDomain, SetDomain
from lockstep.language.faults import fault_marks
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.language.source import ModelError
from lockstep.language.symmetry import find_symmetry
from lockstep.language.totality import walk
from lockstep.machine.code.cells import WORD
from lockstep.machine.code.state import state_layout
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import SearchResult
from tests.random_models.parts.size import LARGE
from tests.random_models.random_models import RandomModel, random_models

EXAMPLES = 400

NOT_GENERATED = {"Expression", "ModelCode", "ShownCode"}
"""What is abstract, and what tests/review puts into random models."""
NODES = {
    name
    for name, thing in vars(ir).items()
    if dataclasses.is_dataclass(thing)
    and thing.__module__ == ir.__name__
    and name not in NOT_GENERATED
}
NO_CLAIMS = {Kind.ACTION, Kind.MEASURE, Kind.SHOWS}
"""Random models have measures in tests/costs, and functions that show something in tests/review."""
VARIANTS = (
    {f"Arithmetic {operator}" for operator in ("+", "-", "*", "//", "%")}
    | {f"Compare {operator}" for operator in ("==", "!=", "<", "<=", ">", ">=")}
    | {f"SetOperation {operator}" for operator in ("|", "&", "-", "^")}
    | {f"Comprehension {gather.name}" for gather in ir.Gather}
    | {"Comprehension MIN with default", "Comprehension MAX with default"}
    | {
        f"{node} {truth}"
        for node in ("Extremum", "Item", "Subset", "Unwrap", "Read")
        for truth in (0, 1)
    }
    | {f"PropertyCode {kind.name}" for kind in Kind if kind not in NO_CLAIMS}
    | {"two generators", "deep write", "condition", "premise", "argument evaluated once"}
    | {"wide set", "interchangeable names", "last item", "guarded index"}
    | {f"{word} fairness of {what}" for word in ("weak", "strong") for what in ("all", "each")}
    | {"guard line", "present in an action", "present in a claim", "named argument"}
    | {f"fault {what}" for what in ("that replaces", "that adds an action")}
)


def features(code: ir.ModelCode) -> Iterator[str]:
    """The IR nodes of a model by name, and by what distinguishes those of one class."""
    for node in walk(code):
        name = type(node).__name__
        yield name
        match node:
            case ir.Arithmetic() | ir.Compare() | ir.SetOperation():
                yield f"{name} {node.operator}"
            case ir.Comprehension():
                yield f"{name} {node.gather.name}"
                if node.default is not None:
                    yield f"{name} {node.gather.name} with default"
                if len(node.generators) > 1:
                    yield "two generators"
                if any(generator.conditions for generator in node.generators):
                    yield "condition"
            case ir.Extremum(largest=flag) | ir.Subset(strict=flag) | ir.Unwrap(certain=flag):
                yield f"{name} {flag:d}"
            case ir.Read():
                yield f"{name} {node.after:d}"
            case ir.Item():
                yield f"{name} {node.certain:d}"
                index = node.index.domain
                if isinstance(index, RangeDomain) and index.low < 0:
                    yield "last item" if isinstance(node.index, ir.Literal) else "guarded index"
            case ir.Let():
                yield "argument evaluated once"
            case ir.Write() if len(node.path) > 1:
                yield "deep write"
            case ir.PropertyCode():
                yield f"{name} {node.kind.name}"
                if any(isinstance(line, ir.Guard) for line in node.statements):
                    yield "premise"


def features_of(model: Model) -> Iterator[str]:
    """The same, and what a model has beside its actions and claims."""
    yield from features(lower(model))
    if any(isinstance(part, SetDomain) and part.item.size() > WORD for part in parts(model)):
        yield "wide set"
    if find_symmetry(model, lower(model)).groups:
        yield "interchangeable names"
    for prop in model.properties:
        for fair in prop.fairness:
            strength, what = (
                "strong" if fair.strong else "weak",
                "each" if fair.positions else "all",
            )
            yield f"{strength} fairness of {what}"
    for fault, _ in fault_marks(model.universe.root, model.name).values():
        yield f"fault {'that adds an action' if fault.replaces is None else 'that replaces'}"


def spellings(text: RandomModel) -> Iterator[str]:
    """What a model's text has that the IR writes as something else."""
    for file, place in ((text.model, "an action"), (text.invariants, "a claim")):
        for node in ast.walk(ast.parse(file)):
            match node:
                case ast.If():
                    yield "guard line"
                case ast.Call(ast.Name("present")):
                    yield f"present in {place}"
                case ast.Call(ast.Name(name), keywords=[_, *_]) if name.startswith("helper"):
                    yield "named argument"


def parts(model: Model) -> Iterator[Domain]:
    """The domains of a model's variables, and those in maps."""
    for domain in model.variables.values():
        while isinstance(domain, MapDomain):
            domain = domain.value
        yield domain


@dataclass
class Survey:
    """What was seen of some random models, each text counted once."""

    texts: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    features: Counter[str] = field(default_factory=Counter)
    results: list[SearchResult] = field(default_factory=list)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@pytest.fixture(scope="module")
def survey(folder: Path) -> Survey:
    seen = Survey()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(random_models())
    def look(text: RandomModel) -> None:
        if repr(text) in seen.texts:
            return
        seen.texts.add(repr(text))
        try:
            model = text.load(folder)
            seen.features.update({*features_of(model), *spellings(text)})
        except ModelError as error:
            seen.refused.append(str(error))
        else:
            # Without claims: random ones are soon violated.
            free = dataclasses.replace(model, properties=())
            seen.results.append(
                Search(PlainEngine(free), Exploration(bounds=Bounds(max_states=100))).run()
            )

    look()
    return seen


def test_nearly_all_load(survey: Survey) -> None:
    assert len(survey.texts) > EXAMPLES / 3
    assert len(survey.refused) <= len(survey.texts) / 50, "\n\n".join(survey.refused)


@pytest.mark.parametrize("feature", sorted(NODES | VARIANTS))
def test_every_construct_is_used(survey: Survey, feature: str) -> None:
    assert survey.features[feature] >= 1


def test_state_spaces_differ(survey: Survey) -> None:
    results = survey.results
    sizes = [result.states for result in results]
    assert sum(size > 1 for size in sizes) > len(sizes) / 2
    assert sum(size > 10 for size in sizes) > len(sizes) / 10
    assert max(result.depth for result in results) > 5
    assert any(result.deadlocks for result in results)
    assert any(result.idle_actions for result in results)
    assert 5 < sum(result.error is not None for result in results) < len(results) / 3


def test_some_are_as_large_as_real_ones(folder: Path) -> None:
    """As many variables, actions and claims as the largest models of the workspace have."""
    largest: Counter[str] = Counter()

    @settings(
        max_examples=60,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(random_models(size=LARGE))
    def measure(text: RandomModel) -> None:
        model = text.load(folder)
        largest["variables"] = max(largest["variables"], len(model.variables))
        largest["actions"] = max(largest["actions"], len(model.actions))
        largest["claims"] = max(largest["claims"], len(model.properties))
        words = state_layout(model.state, model.variables).words
        largest["words"] = max(largest["words"], words)

    measure()
    assert largest["variables"] == LARGE.variables.most
    assert largest["actions"] == LARGE.actions.most
    assert largest["claims"] == LARGE.claims.most
    assert largest["words"] > 2


@pytest.mark.verify
def test_shrinking_leaves_what_matters() -> None:
    """A model in which an action takes the larger of two numbers needs little more than that."""
    shown = find(
        random_models(),
        lambda text: "max(" in text.model,
        settings=settings(derandomize=True, deadline=None, database=None),
    )
    assert len([line for line in shown.model.splitlines() if line]) <= 20, shown
    assert shown.invariants == ""
