"""How a requirement is answered: derived from what it cites, and from nothing that it says."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path

import msgspec

from lockstep.errors import ExitCode, LockstepError, nearest
from lockstep.language.faults import fault_marks
from lockstep.language.model import Model, Property, load_model, model_names
from lockstep.language.notation import Kind
from lockstep.language.proposals import proposal_names
from lockstep.specs.kip import Kip, Reference, Requirement, load_kip, load_kips
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.text_files import is_file, read_text
from lockstep.words import shown_path

_CLAIMS = {Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.LEADS_TO}


class AnswerKind(StrEnum):
    """The kinds of answer. Of several that a requirement has, the first of these counts."""

    REFUTED = "refuted"
    """A witness shows that it is false."""

    ANSWERED = "answered"
    """An invariant, a step invariant or a `leads_to` states it."""

    SHOWN = "shown"
    """A test finds it in what Apache Kafka itself wrote."""

    REACHED = "reached"
    """A `sometimes` says that it happens; nothing says that it always does."""

    NOT_EXERCISED = "not exercised"
    """Claims state it, the premises of which never hold in any scope."""

    UNANSWERABLE = "unanswerable"
    """Nothing can answer it, for a reason that is given."""

    OPEN = "open"
    """Nothing answers it; actions, faults, deviations and other tests only support an answer."""


def answer_of(
    row: Requirement,
    kinds: Mapping[Reference, Kind],
    unexercised: Collection[Reference] = frozenset(),
) -> AnswerKind:
    """The kind of answer; `kinds` has that of each property which the requirement cites.

    `unexercised` are the properties whose premise never holds in any scope.
    """
    properties = [reference for reference in row.answered_by if reference in kinds]
    cited = {kinds[reference] for reference in properties if reference not in unexercised}
    if row.unanswerable is not None:
        return AnswerKind.UNANSWERABLE
    if row.refuted_by:
        return AnswerKind.REFUTED
    if cited & _CLAIMS:
        return AnswerKind.ANSWERED
    if row.shown_by:
        return AnswerKind.SHOWN
    if Kind.SOMETIMES in cited:
        return AnswerKind.REACHED
    return AnswerKind.NOT_EXERCISED if properties else AnswerKind.OPEN


def check_stated_requirements(model: Model, spec: ModelSpec) -> None:
    """Refuse an id that has no row in the files of requirements which the specification names.

    `LockstepError` with the line of the id, and for a file that cannot be read.
    """
    for error in unknown_requirements(model, spec):
        raise error


def unknown_requirements(model: Model, spec: ModelSpec) -> Iterator[LockstepError]:
    """An error for each id that has no such row, to be raised or printed."""
    files = [model.universe.root / "specs" / f"{name}.toml" for name in spec.requirements]
    ids = [row.id for file in files for row in load_kip(file).requirements]
    own = f"specs/{model.name}.toml"
    why = f"which has no row in {' or '.join(map(shown_path, files))}"
    for prop in model.properties:
        for identity in prop.requirements:
            if identity not in ids:
                yield LockstepError(
                    f"{_place(model, prop, identity)}: {prop.name} states {identity}, "
                    + (why if files else f"and {own} names no file of requirements"),
                    cure=nearest(
                        identity, ids, f"write its row, and its file in `requirements` of {own}"
                    ),
                )


def _place(model: Model, prop: Property, identity: str) -> str:
    """The file and the line where a property states an id."""
    definition = model.universe.definition(prop.function)
    assert definition is not None, f"{prop.name} has no text"
    function, file = definition
    parts = (part for decorator in function.decorator_list for part in ast.walk(decorator))
    lines = (
        part.lineno for part in parts if isinstance(part, ast.Constant) and part.value == identity
    )
    return f"{shown_path(file)}:{next(lines, function.lineno)}"


KAFKA_OUTPUT = "kafka_output"
"""The fixture that hands a test files which Apache Kafka wrote."""


class CitedTests:
    """Looks up test functions below a workspace, reading each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._functions = cache(lambda file: _parameters_in(root / file))
        """By the path of a file, each of its functions with its parameters."""

    @property
    def are_there(self) -> bool:
        """Whether the workspace came with its tests."""
        return (self._root / "tests").is_dir()

    def problem(self, name: str) -> str | None:
        """Why there is no test `FILE::FUNCTION`; None when there is."""
        file, _, function = name.partition("::")
        functions = self._functions(file)
        if functions is None:
            return f"there is no file {file}"
        return None if function in functions else f"{file} has no function {function}"

    def judges_kafka(self, name: str) -> bool:
        """Whether a test takes what Kafka wrote, by itself or through fixtures of its file."""
        file, _, function = name.partition("::")
        functions = self._functions(file) or {}
        taken, pending = set[str](), [function]
        while pending:
            new = functions.get(pending.pop(), set()) - taken
            taken |= new
            pending.extend(new)
        return KAFKA_OUTPUT in taken


def _parameters_in(file: Path) -> dict[str, set[str]] | None:
    """Each function of a file with its parameters; None where there is no file."""
    if not is_file(file):
        return None
    try:
        tree = ast.parse(read_text(file), filename=str(file))
    except SyntaxError as error:
        raise LockstepError(f"{file}:{error.lineno}: this is not Python: {error.msg}") from None
    return {
        node.name: {argument.arg for argument in node.args.args}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


@dataclass
class Matrix:
    """Requirements in order, how each is answered, and whatever is wrong with their references.

    `answers` is by the id of the requirement, `kinds` by the reference to a property. `unresolved`
    are references to tests and reviews of a workspace that came without them.
    """

    kips: list[Kip] = field(default_factory=list)
    answers: dict[str, AnswerKind] = field(default_factory=dict)
    kinds: dict[Reference, Kind] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unresolved: list[Reference] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 where a reference leads nowhere, or only one side has it."""
        return int(ExitCode.VIOLATED if self.problems else ExitCode.HOLDS)

    @property
    def requirements(self) -> list[Requirement]:
        """Every requirement, in the order of the files."""
        return [row for kip in self.kips for row in kip.requirements]

    def counts(self, kip: Kip | None = None) -> dict[AnswerKind, int]:
        """How many requirements have each kind of answer, of one file or of all."""
        rows = self.requirements if kip is None else kip.requirements
        counter = Counter(self.answers[row.id] for row in rows)
        return {answer: counter[answer] for answer in AnswerKind}


def build_matrix(root: Path, names: Sequence[str], *, every_file: bool) -> Matrix:
    """The matrix of the requirement files that the models `names` refer to, or of every file.

    `answered_by` of a requirement begins with the properties that state it, of all models that
    refer to its file. `LockstepError` when one of the files or models cannot be loaded.
    """
    workspace = _Workspace(root)
    files = dict.fromkeys(file for name in names for file in workspace.spec(name).requirements)
    kips = load_kips(root) if every_file else [load_kip(root / f"specs/{f}.toml") for f in files]
    stated = workspace.stated({kip.file.stem for kip in kips})
    matrix = Matrix(
        [replace(kip, requirements=_answered(kip.requirements, stated)) for kip in kips]
    )
    for row in matrix.requirements:
        for reference in row.references:
            problem = workspace.problem(reference, matrix) or workspace.misuse(row, reference)
            if problem is not None:
                matrix.problems.append(f"{row.id} refers to {reference}: {problem}")
        matrix.problems.extend(_contradictions(row, stated.get(row.id, ())))
        matrix.kinds |= workspace.property_kinds(row)
        unexercised = workspace.unexercised(row)
        matrix.answers[row.id] = answer_of(row, matrix.kinds, unexercised)
    for name in names:
        matrix.problems.extend(workspace.unknown_requirements(name))
    return matrix


def _answered(
    rows: Sequence[Requirement], stated: Mapping[str, Sequence[Reference]]
) -> tuple[Requirement, ...]:
    """The requirements with the properties that state them, but for those that refute them."""
    answered = []
    for row in rows:
        if row.unanswerable is None:
            every = dict.fromkeys([*stated.get(row.id, ()), *row.answered_by])
            by = tuple(one for one in every if one not in row.refuted_by)
            row = msgspec.structs.replace(row, answered_by=by)
        answered.append(row)
    return tuple(answered)


def _contradictions(row: Requirement, stated: Sequence[Reference]) -> Iterator[str]:
    """What is wrong with a requirement as a whole, which some properties state."""
    if row.unanswerable is not None:
        for reference in stated:
            yield f"{reference} states {row.id}, which is unanswerable: take away one of the two"
    elif not row.references:
        yield (
            f"nothing answers {row.id}: state it in a property, cite what supports it in "
            "answered_by, or say in `unanswerable` why nothing can"
        )


class _Workspace:
    """Looks up what references name, loading each model, its file and its faults once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names = model_names(root)
        self._tests = CitedTests(root)
        self.spec = cache(partial(load_model_spec, root))
        """What `specs/` says of a model, by its name."""
        self._faults = cache(partial(fault_marks, root))
        self._model = cache(self._loaded)

    def stated(self, files: Collection[str]) -> dict[str, list[Reference]]:
        """The properties by the id that they state, of the models that refer to one of `files`."""
        stated: dict[str, list[Reference]] = {}
        for name in self._names:
            if not set(files).isdisjoint(self.spec(name).requirements):
                for prop in self._model(name).properties:
                    for identity in prop.requirements:
                        reference = Reference(f"invariant {name}.{prop.name}")
                        stated.setdefault(identity, []).append(reference)
        return stated

    def unknown_requirements(self, name: str) -> Iterator[str]:
        """The ids that a model's properties state and that have no row, a line each."""
        for error in unknown_requirements(self._model(name), self.spec(name)):
            yield f"{error.message}: {error.cure}"

    def problem(self, reference: Reference, matrix: Matrix) -> str | None:
        """Why a reference leads nowhere; None when it does not."""
        if reference.kind == "deviation":
            deviations = {row.id for kip in matrix.kips for row in kip.deviations}
            return None if reference.name in deviations else "there is no such deviation"
        if reference.kind == "test":
            if self._tests.are_there:
                return self._tests.problem(reference.name)
            matrix.unresolved.append(reference)
            return None
        if reference.kind == "review":
            return self._problem_of_review(reference, matrix)
        model_name, _, name = reference.name.partition(".")
        if model_name not in self._names:
            return f"there is no model {model_name}"
        if reference.kind == "fault":
            names = set(self._faults(model_name))
        elif reference.kind == "proposal":
            names = set(proposal_names(self._root, model_name))
        elif reference.kind == "scope":
            names = set(self.spec(model_name).scopes)
        elif reference.kind == "action":
            names = {action.name for action in self._model(model_name).actions}
        else:
            names = {prop.name for prop in self._model(model_name).properties}
        return None if name in names else f"{model_name} has no {reference.kind} {name}"

    def _problem_of_review(self, reference: Reference, matrix: Matrix) -> str | None:
        if not (self._root / "docs").is_dir():
            matrix.unresolved.append(reference)
            return None
        page = self._root / "docs" / "reviews" / f"{reference.name}.md"
        return None if is_file(page) else f"there is no file docs/reviews/{page.name}"

    def misuse(self, row: Requirement, reference: Reference) -> str | None:
        """Why what a reference names is there, but is not what the requirement takes it for."""
        if reference in row.shown_by:
            if not self._tests.are_there or self._tests.judges_kafka(reference.name):
                return None
            return f"it does not take the fixture {KAFKA_OUTPUT}, so it shows nothing of Kafka"
        model_name, _, name = reference.name.partition(".")
        if reference.kind == "invariant" and row.id not in (
            self._model(model_name).property(name).requirements
        ):
            return f'it does not state {row.id}: write "{row.id}" in its decorator'
        if reference not in row.refuted_by:
            return None
        if reference.kind == "fault":
            mark, _ = self._faults(model_name)[name]
            return "it is harmless, so it refutes nothing" if mark.harmless is not None else None
        if reference.kind == "scope":
            violated = self.spec(model_name).scopes[name].pins.violates or ()
            properties = map(self._model(model_name).property, violated)
            if any(row.id in prop.requirements for prop in properties):
                return None
            return f"nothing that states {row.id} is pinned as violated there"
        if self._model(model_name).property(name).kind is Kind.SOMETIMES:
            return None
        return "it holds always: a witness is a `sometimes`, or a fault that breaks something"

    def property_kinds(self, row: Requirement) -> dict[Reference, Kind]:
        """What kind of property each is that the requirement cites, of those that exist."""
        kinds: dict[Reference, Kind] = {}
        for reference in row.references:
            model_name, _, name = reference.name.partition(".")
            if reference.kind == "invariant" and model_name in self._names:
                prop = self._model(model_name).find_property(name)
                kinds |= {} if prop is None else {reference: prop.kind}
        return kinds

    def unexercised(self, row: Requirement) -> set[Reference]:
        """The properties that the requirement cites and no scope exercises."""
        return {
            reference
            for reference in self.property_kinds(row)
            for model_name, _, name in [reference.name.partition(".")]
            for scope in self.spec(model_name).scopes.values()
            if name in scope.unexercised
        }

    def _loaded(self, name: str) -> Model:
        return load_model(self._root, name, self.spec(name).usual_scope.constants)
