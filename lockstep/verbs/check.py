"""Checks one model in one scope: loads it, explores it, judges it, keeps the counterexample."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError, not_written
from lockstep.plain.exploration import DEFAULT_ENGINE
from lockstep.results.exits import INTERRUPTED
from lockstep.system.crash import failure_of
from lockstep.system.interruption import INTERRUPTION

if TYPE_CHECKING:
    from lockstep.language.inventory import Unused
    from lockstep.language.model import Model
    from lockstep.plain.exploration import Walks
    from lockstep.results.search_result import SearchResult
    from lockstep.results.trace import Trace
    from lockstep.results.verdict import Verdict
    from lockstep.specs.judgement import Judgement
    from lockstep.specs.scopes import ModelSpec, Scope
    from lockstep.specs.tables import Plain
    from lockstep.trace.itf import Origin
    from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Request:
    """What was asked of `check` for every model alike."""

    scope: str
    engine: str
    folder: Path
    """Where counterexamples are saved."""
    max_states: int | None = None
    max_seconds: float | None = None
    constants: Mapping[str, Plain] = field(default_factory=dict)
    fault: str | None = None
    memory: int | None = None
    """The most bytes that the process may have in memory."""
    spill: Path | None = None
    threads: int | None = None
    checkpoint: Path | None = None
    """Where searches are kept, each in a folder of its own."""
    symmetry: bool = False
    """Whether states that differ by interchangeable names only count as one."""
    liveness: bool = False
    """Whether not to know what comes to pass is inconclusive."""
    walks: Walks | None = None
    """Random behaviours to take instead of a search."""

    @property
    def is_the_scope_itself(self) -> bool:
        """Whether what is found can be held against what the scope pins.

        A bound changes nothing where it is not met, and is inconclusive where it is.
        """
        is_changed = self.constants or self.symmetry or self.fault is not None
        return not is_changed and self.walks is None

    def again(self, model: str) -> str:
        """The command that asks the same of one model."""
        parts = ["lockstep check", model, "--scope", self.scope]
        parts += [] if self.engine == DEFAULT_ENGINE else ["--engine", self.engine]
        parts += [f"--set {name}={_typed(value)}" for name, value in self.constants.items()]
        if self.max_states is not None:
            parts.append(f"--max-states {self.max_states}")
        if self.max_seconds is not None:
            parts.append(f"--max-seconds {self.max_seconds:g}")
        if self.memory is not None:
            parts.append(f"--memory {self.memory}B")
        if self.spill is not None:
            parts.append(f"--spill {shlex.quote(str(self.spill))}")
        if self.fault is not None:
            parts.append(f"--fault {self.fault}")
        parts += ["--symmetry"] * self.symmetry
        parts += ["--liveness"] * self.liveness
        if self.walks is not None:
            parts.append(f"--simulate {self.walks.count} --steps {self.walks.steps}")
            parts.append(f"--seed {self.walks.seed}")
        if self.checkpoint is not None:
            parts.append(f"--checkpoint {shlex.quote(str(self.checkpoint))}")
        return " ".join(parts)


@dataclass
class Checked:
    """One model in one scope: explored and judged, or not even that, as `problem` says."""

    model: Model
    result: SearchResult
    judgement: Judgement
    trace: Trace | None = None
    """The shortest behaviour to the violation or to where the text has no meaning."""
    origin: Origin | None = None
    saved: Path | None = None
    not_saved: str | None = None
    """Why the trace could not be saved."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model in this scope."""
        return self.judgement.verdict

    @property
    def checked(self) -> int:
        """Of how many properties it is known whether they hold as far as the search went."""
        return len(self.model.properties) - len(self.result.undecided(self.model))

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        return INTERRUPTED if self.result.interrupted else int(self.judgement.exit_code)


@dataclass(frozen=True)
class Unchecked:
    """A model that could not be explored: it is not well formed, or has no such scope."""

    name: str
    error: LockstepError

    @property
    def exit_code(self) -> int:
        """2 where something is wrong with what was given, 70 where it is lockstep's own mistake."""
        return int(self.error.exit_code)


@dataclass
class Omitted:
    """What a run did not check: models that it has not come to, and files that nothing reads."""

    models: list[str]
    unused: list[Unused]

    @property
    def exit_code(self) -> int:
        """What this alone would end the process with: never 0 where something was to be checked."""
        if self.models:
            return INTERRUPTED
        is_mistaken = any(file.is_mistake for file in self.unused)
        return int(ExitCode.USAGE if is_mistaken else ExitCode.HOLDS)


FAULT_SCOPE = "small"
"""Where a fault runs unless it names a scope."""


def fault_scope(spec: ModelSpec, name: str | None) -> Scope:
    """The scope that a fault names, or that of faults that name none."""
    from lockstep.specs.scopes import DEFAULT_SCOPE, Scope

    if spec.file is None and name is None:
        return Scope(DEFAULT_SCOPE)
    return spec.scope(name or FAULT_SCOPE)


def usual_scope(workspace: Workspace, names: Sequence[str], fault: str | None) -> str:
    """The scope where none is asked for: that of the fault, if one is put in place."""
    from lockstep.language.model import fault_mark
    from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec

    if fault is None:
        return DEFAULT_SCOPE
    mark = fault_mark(workspace.root, names[0], fault)
    spec = load_model_spec(workspace.root, names[0])
    return fault_scope(spec, None if mark is None else mark.scope).name


def check_model(workspace: Workspace, name: str, request: Request) -> Checked | Unchecked:
    """Explore one model as asked. Errors of this model alone are in the result, not raised."""
    INTERRUPTION.heed()
    try:
        return _check(workspace, name, request)
    except Exception as error:
        return Unchecked(name, failure_of(error, workspace))


def _check(workspace: Workspace, name: str, request: Request) -> Checked:
    from lockstep.explore.engines import explore, simulate
    from lockstep.language.frontend import lower
    from lockstep.language.model import fault_mark, load_model
    from lockstep.language.notation import Kind
    from lockstep.plain.exploration import Bounds, Exploration
    from lockstep.report.progress import progress_line
    from lockstep.specs.judgement import check_declarations, judge
    from lockstep.specs.scopes import load_model_spec

    spec = load_model_spec(workspace.root, name)
    scope = spec.scope(request.scope)
    mark = fault_mark(workspace.root, name, request.fault)
    own = {} if mark is None else mark.constants
    constants = {**scope.constants, **own, **request.constants}
    model = load_model(workspace.root, name, constants, fault=request.fault)
    breaks_in_time = mark is not None and mark.breaks in {
        prop.name for prop in model.of_kind(Kind.LEADS_TO)
    }
    check_declarations(model, spec)
    lower(model)  # refuses what is outside the notation, whichever engine runs
    pinned = request.is_the_scope_itself
    with progress_line(f"{name} {scope.name}", scope.pins.states if pinned else None) as watch:
        bounds = Bounds(
            request.max_states, request.max_seconds, memory=request.memory, spill=request.spill
        )
        how = Exploration(
            request.engine,
            bounds,
            deadlock_allowed=spec.deadlock_allowed,
            liveness=request.liveness or breaks_in_time,
            threads=request.threads,
            checkpoint=_checkpoint(request, name, scope.name),
            symmetry=request.symmetry,
            expected=(scope.pins.states or 0) if pinned else 0,
            on_progress=watch,
        )
        if request.walks is not None:
            result = simulate(model, request.walks, how)
        else:
            result = explore(model, how)
    judgement = judge(model, scope, result, pinned=pinned)
    checked = Checked(model, result, judgement)
    _keep(checked, request, workspace)
    return checked


def _checkpoint(request: Request, name: str, scope: str) -> Path | None:
    """The folder of one model's search in that of all checkpoints."""
    if request.checkpoint is None:
        return None
    return request.checkpoint / "-".join(filter(None, (name, scope, request.fault)))


def _keep(checked: Checked, request: Request, workspace: Workspace) -> None:
    """Save the trace of a violation or error, if there is one; a failure to do so is noted."""
    from lockstep.results.verdict import Verdict
    from lockstep.trace.itf import Origin, constants_of, save, to_json

    result, judged = checked.result, checked.judgement
    if result.violation is not None:
        broken, trace = result.violation.properties[0], result.violation.trace
    elif result.error_trace is not None:
        broken, trace = None, result.error_trace
    else:
        return
    checked.trace = trace
    checked.origin = Origin(
        model=checked.model.name,
        property=broken,
        scope=request.scope,
        fault=request.fault,
        engine=request.engine,
        error=judged.because if judged.verdict is Verdict.ERROR else None,
        constants=constants_of(checked.model),
    )
    parts = [checked.model.name, broken or "error", *([request.fault] if request.fault else [])]
    file = request.folder / f"{'-'.join(parts)}.itf.json"
    try:
        if request.folder.is_relative_to(workspace.output):
            workspace.make_output()
        save(file, to_json(checked.model, trace, checked.origin))
        checked.saved = file
    except OSError as error:
        checked.not_saved = not_written(workspace.output, error)
    except LockstepError as error:
        checked.not_saved = error.message


def _typed(value: Plain) -> str:
    """A constant as `--set` reads it, quoted for the shell."""
    import json

    return shlex.quote(json.dumps(value))
