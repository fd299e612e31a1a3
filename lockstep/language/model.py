"""A model is loaded from its files, as they are or with a fault in place.

What it is made of stands in `protocol`; users of a model find that here, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, unknown
from lockstep.language.declarations import (
    OF_MODELS,
    initial_state,
    read_parameters,
    refuse_misplaced,
    state_class,
)
from lockstep.language.domains import Domain
from lockstep.language.fairness import FairAction, read_fairness
from lockstep.language.faults import apply_faults
from lockstep.language.frontend.functions import refusals
from lockstep.language.inventory import Inventory
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK, Kind, Mark
from lockstep.language.proposals import apply_proposal
from lockstep.language.protocol import DEADLOCK, Action, Model, Parameter, Property, Shown
from lockstep.language.python_subset import altered_classes
from lockstep.language.source import Change, Diagnostic, ModelError, Place
from lockstep.language.unread import is_of_model, missing_functions, unread_functions
from lockstep.system.text_files import is_file

__all__ = [
    "DEADLOCK",
    "Action",
    "Model",
    "Parameter",
    "Property",
    "load_model",
    "model_names",
    "model_places",
    "with_goal",
]

CLAIMS = ("invariants", "invariants.lemmas")
"""The packages with a file of claims for each model, under its name."""


def load_model(
    root: Path,
    name: str,
    constants: Mapping[str, object] | None = None,
    *,
    fault: str | None = None,
    proposal: str | None = None,
    lemmas: bool = False,
    change: Change | None = None,
) -> Model:
    """Load `models/NAME.py` with its claims below `root`, constants as given.

    The claims are those of `invariants/NAME.py` and `invariants/lemmas/NAME.py`, where there are
    such files. With `lemmas`, what is there for proofs only is among the invariants. With `fault`,
    the function of that name in `models/faults/NAME.py` is put in place first, or several, `A+B`;
    with `proposal`, all of `models/proposals/NAME/PROPOSAL.py`; with `change`, the text of one file
    is another. `LockstepError` for an unknown model, constant, fault or proposal, or faults that
    are in each other's way; `ModelError` for text that is not well formed.
    """
    universe = Universe(root, dict(constants or {}), change=change, collects=True)
    if not is_file(root / "models" / f"{name}.py"):
        problem = f"there is no model {name!r}"
        raise unknown(problem, name, model_names(root), "the models here are", "in models/")
    module = universe.load(f"models.{name}")
    files = [(f"{package}.{name}", root.joinpath(*package.split("."))) for package in CLAIMS]
    checks = [universe.load(file) for file, folder in files if is_file(folder / f"{name}.py")]
    claims = {key: value for part in checks for key, value in vars(part).items()}
    members = [*vars(module).values(), *claims.values()]
    universe.report(missing_functions(universe, name, members, list(universe.modules)))
    extra = {} if fault is None else apply_faults(universe, name, fault)
    proposed = None if proposal is None else apply_proposal(universe, name, proposal)
    if proposed is not None:
        extra |= proposed.functions
    if not universe.problems and (unused := universe.unused_constants()):
        problem = f"{name} has no constant {unused[0]}"
        raise unknown(problem, unused[0], sorted(universe.declared), "its constants are")
    if changed := universe.changed_constants():
        raise LockstepError(
            f"{name}: the constant {changed[0]} is given another value after its declaration",
            cure="a scope sets constants: compute from them under another name",
        )
    with _without_more(universe.problems):
        state = state_class(module)
    if proposed is not None:
        state = proposed.state_in_place_of(state)
    first = initial_state(universe, state)
    for part in (module, *checks):
        kinds = OF_MODELS if part is module else frozenset(Kind) - OF_MODELS
        with universe.noting():
            refuse_misplaced(universe, part, kinds)
    for part in universe.modules.values():
        if (file := universe.files.get(str(vars(part).get("__file__")))) is not None:
            universe.report(altered_classes(file.tree, part, file.path))
            if part in checks or is_of_model(part.__name__):
                universe.report(unread_functions(universe, part))
    own = {**vars(module), **extra}
    actions, shown = _actions(universe, own), _shown(universe, own)
    kept = [claim for claim in _marked(claims) if lemmas or not claim[2].lemma]
    properties = _properties(universe, kept, actions)
    measures = tuple(prop for prop in properties if prop.kind is Kind.MEASURE)
    properties = tuple(prop for prop in properties if prop.kind is not Kind.MEASURE)
    if any(prop.name == DEADLOCK for prop in properties):
        raise LockstepError(
            f"invariants/{name}.py: a property cannot be called {DEADLOCK}",
            cure="give it another name: a state that no step leaves is called so",
        )
    doc = (module.__doc__ or "").strip()
    declared = dict(universe.declared)
    model = Model(name, doc, universe, state, first, actions, properties, declared, measures, shown)
    if universe.problems:
        raise ModelError(universe.in_file_order([*universe.problems, *_problems_in(model)]))
    if not actions:
        raise LockstepError(
            f"models/{name}.py has no action", cure="mark at least one with @action"
        )
    universe.collects = False
    return model


def _problems_in(model: Model) -> list[Diagnostic]:
    """What is wrong in the functions of a model that has problems elsewhere."""
    refused = {problem.place for problem in model.universe.problems}

    def is_readable(function: Callable[..., Any]) -> bool:
        definition = model.universe.definition(function)
        return definition is not None and Place.of(*definition) not in refused

    actions = tuple(action for action in model.actions if is_readable(action.function))
    properties = tuple(prop for prop in model.properties if is_readable(prop.function))
    measures = tuple(measure for measure in model.measures if is_readable(measure.function))
    shown = tuple(one for one in model.shown if is_readable(one.function))
    return refusals(
        replace(model, actions=actions, properties=properties, measures=measures, shown=shown)
    )


@contextmanager
def _without_more(problems: list[Diagnostic]) -> Iterator[None]:
    """Where nothing more can be read, show the problems that were noted before."""
    try:
        yield
    except LockstepError:
        if problems:
            raise ModelError(problems) from None
        raise


def model_places(model: Model) -> list[Path]:
    """Where the text of a model was looked for: another model is loaded if one of these changes.

    Files, of which some are not there.
    """
    root, name = model.universe.root, model.name
    claims = [root.joinpath(*package.split("."), f"{name}.py") for package in CLAIMS]
    return [*claims, *model.universe.places]


def model_names(root: Path) -> list[str]:
    """The files directly below `models/` that declare a state class, in alphabetical order."""
    return Inventory(root).models


def _actions(universe: Universe, members: Mapping[str, object]) -> tuple[Action, ...]:
    return tuple(
        Action(name, function, _parameters(universe, function, mark.kind), _doc(function))
        for name, function, mark in _marked(members)
        if mark.kind is Kind.ACTION
    )


def _shown(universe: Universe, members: Mapping[str, object]) -> tuple[Shown, ...]:
    shown = []
    for name, function, mark in _marked(members):
        if mark.kind is Kind.SHOWS:
            _parameters(universe, function, mark.kind)
            shown.append(Shown(name, function))
    return tuple(shown)


def _properties(
    universe: Universe,
    marked: list[tuple[str, Callable[..., Any], Mark]],
    actions: tuple[Action, ...],
) -> tuple[Property, ...]:
    fair_actions = {
        action.name: FairAction(
            tuple(parameter.name for parameter in action.parameters),
            action.function.__module__,
            action.function.__module__.startswith(("models.faults.", "models.proposals.")),
        )
        for action in actions
    }
    return tuple(
        Property(
            name,
            mark.kind,
            function,
            _parameters(universe, function, mark.kind),
            mark.requirements,
            _doc(function),
            read_fairness(universe, function, mark, fair_actions),
        )
        for name, function, mark in marked
        if mark.kind not in OF_MODELS
    )


def with_goal(model: Model, goal: str, predicate: str, file: Path) -> Model:
    """The model with one goal more: a predicate over `s`, in the notation.

    It may name all that the model's file names, and the files that this imports from. It is written
    to `file` as a module, where diagnostics show it. ModelError where it is not well formed.
    """
    own = model.universe.load(f"models.{model.name}")
    modules: dict[str, str] = {}
    for module in (own, *model.universe.of_models.values()):
        modules |= {n: module.__name__ for n in vars(module) if n[0] != "_" and n not in modules}
    imports = "".join(f"from {module} import {name}\n" for name, module in modules.items())
    file.write_text(
        '"""What is asked for."""\n\n'
        f"from lockstep import sometimes\n{imports}\n\n"
        f"@sometimes()\ndef {goal}(s):\n    return {predicate}\n",
        encoding="utf-8",
    )
    module = model.universe.load_file(f"invariants.{goal}", file)
    goals = _properties(model.universe, _marked({goal: vars(module)[goal]}), ())
    return replace(model, properties=(*model.properties, *goals))


def _marked(members: Mapping[str, object]) -> list[tuple[str, Callable[..., Any], Mark]]:
    """The marked functions, each by the first of its names."""
    functions: dict[int, tuple[str, Callable[..., Any], Mark]] = {}
    for name, member in members.items():
        if callable(member) and isinstance(mark := getattr(member, MARK, None), Mark):
            functions.setdefault(id(member), (name, member, mark))
    return list(functions.values())


def _parameters(
    universe: Universe, function: Callable[..., Any], kind: Kind
) -> tuple[Parameter, ...]:
    parameters: list[tuple[str, Domain]] = []
    with universe.noting():
        parameters = read_parameters(universe, function, kind)
    return tuple(Parameter(name, domain) for name, domain in parameters)


def _doc(function: Callable[..., Any]) -> str:
    return inspect.cleandoc(function.__doc__ or "")
