"""Behaviours in files: ITF JSON, one state after the other, with what led to each.

The first `#meta` says of which model, scope and constants the behaviour is, with which fault or
proposal, which property it violates, which engine found it, and a digest of the model's text, so
that a later reader can tell a damaged file from a model that has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, not_written
from lockstep.language.loader import PACKAGES
from lockstep.language.model import Action, Model, Property
from lockstep.language.notation import State
from lockstep.results.trace import Trace
from lockstep.system.strict_json import Json, NotJson, decode_document
from lockstep.system.text_files import write_text
from lockstep.trace.documents import parameters_json
from lockstep.trace.itf_values import (
    Misfit,
    decode,
    decode_parameters,
    decode_plain,
    encode,
    encode_plain,
)
from lockstep.words import shown_path
from lockstep.workspace import Workspace

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


@dataclass(frozen=True)
class Origin:
    """Where a behaviour comes from, and why it was kept.

    `property` is what it violates at its end (`deadlock` included), or None when the model's text
    has no meaning there, as `error` says, or when it was kept because it reaches what `goal` says.
    With `start` it begins in some state of which that is true, which need not be reachable; else in
    the first one. Both are text and never evaluated. `constants` are all that the model declares;
    `binding` are the property's parameters by name, as far as they were kept.
    """

    model: str
    property: str | None
    scope: str | None = None
    fault: str | None = None
    proposal: str | None = None
    engine: str = "python"
    error: str | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    goal: str | None = None
    start: str | None = None
    binding: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model, violated: str | None = None, **given: Any) -> Origin:
        """That of a behaviour of a model in its scope; `given` are other fields."""
        return cls(model.name, violated, constants=constants_of(model), **given)


@dataclass(frozen=True)
class Recording:
    """A behaviour as its file has it: read, but not yet compared with the model.

    `states[i]` is reached by `steps[i - 1]`, an action's name and its parameters by name. With
    `loop` the steps after that many are taken for ever, or nothing happens where there are none.
    """

    file: Path
    origin: Origin
    states: tuple[Mapping[str, Json], ...]
    steps: tuple[tuple[str, Mapping[str, Json]], ...]
    loop: int | None = None

    def state(self, model: Model, index: int) -> State:
        """The recorded state; `Misfit` when it is not a state of the model."""
        place, recorded = f"states[{index}]", self.states[index]
        names = model.variables.keys()
        for name in [*names - recorded.keys(), *recorded.keys() - names]:
            raise Misfit(place, f"{name} is not a variable of both the file and {model.name}")
        return model.state.of(
            decode(domain, recorded[name], f"{place}.{name}")
            for name, domain in model.variables.items()
        )

    def variable(self, model: Model, index: int, name: str) -> Any:
        """One variable of a recorded state; `Misfit` when it is no value of the model's."""
        place = f"states[{index}].{name}"
        return decode(model.variables[name], self.states[index][name], place)

    def binding(self, prop: Property) -> tuple[Any, ...] | None:
        """For which parameters the property failed; None if that was not recorded."""
        recorded = self.origin.binding
        return decode_parameters(prop.parameters, recorded, "#meta.binding") if recorded else None

    def parameters(self, action: Action, index: int) -> tuple[Any, ...]:
        """What `action` was given to reach state `index`; `Misfit` when it cannot be given that."""
        place, recorded = f'states[{index}]["#meta"].parameters', self.steps[index - 1][1]
        values = decode_parameters(action.parameters, recorded, place)
        if values is None:
            raise Misfit(place, f"not the parameters of {action.name}")
        return values


def digest(model: Model) -> str:
    """What identifies the text that a model was loaded from, its invariants and fault included."""
    hashed = hashlib.sha256()
    for path, file in sorted(model.universe.files.items()):
        name = Path(path).relative_to(model.universe.root).as_posix()
        if not name.startswith(PACKAGES):
            continue  # what was asked for on the command line
        hashed.update(f"{name}\0{file.text}\0".encode())
    return f"sha256:{hashed.hexdigest()}"


def to_json(model: Model, trace: Trace, origin: Origin) -> str:
    """The file's text, which depends on nothing but the arguments and the version of lockstep."""
    meta: dict[str, Json] = {
        "format": "ITF",
        "format-description": FORMAT,
        "description": f"Created by lockstep {version('lockstep')}",
        "status": "violation" if origin.property else "found" if origin.goal else "error",
        "model": origin.model,
        "scope": origin.scope,
        "constants": {name: encode_plain(value) for name, value in origin.constants.items()},
        "fault": origin.fault,
        "property": origin.property,
        "error": origin.error,
        "engine": origin.engine,
        "digest": origin.digest or digest(model),
        **({} if origin.proposal is None else {"proposal": origin.proposal}),
        **({} if origin.goal is None else {"goal": origin.goal}),
        **({} if origin.start is None else {"start": origin.start}),
        **({"binding": dict(origin.binding)} if origin.binding else {}),
    }
    states: list[Json] = [{"#meta": {"index": 0}, **state_json(trace.initial)}]
    for index, step in enumerate(trace.steps, start=1):
        parameters = parameters_json(model.action(step.action).parameters, step.parameters)
        state_meta: Json = {"index": index, "action": step.action, "parameters": parameters}
        states.append({"#meta": state_meta, **state_json(step.state)})
    lines = ",\n".join(json.dumps(state, ensure_ascii=False) for state in states)
    # One state a line, so that a difference between two files is one between states.
    # The state that begins what is repeated is also the last one: the step back to it has a name.
    loop = "" if trace.loop is None else f',\n"loop": {trace.loop}'
    return (
        f'{{"#meta": {json.dumps(meta, indent=1, ensure_ascii=False)},\n'
        f'"vars": {json.dumps(list(model.variables))},\n"states": [\n{lines}\n]{loop}}}\n'
    )


def constants_of(model: Model) -> dict[str, Any]:
    """The constants that make a model's scope: all that it declares and a file can hold."""
    constants = {}
    for name, value in model.constants.items():
        try:
            encode_plain(value)
        except TypeError:
            continue  # computed from others, as a domain is
        constants[name] = value
    return constants


def binding_of(prop: Property, values: Sequence[Any]) -> dict[str, Json]:
    """The parameters of a property as a file holds them."""
    return parameters_json(prop.parameters, values)


def read(file: Path) -> Recording:
    """Read a file that `to_json` made; `LockstepError` naming the place of the first damage."""
    try:
        return _recording(file, _parse(file))
    except Misfit as misfit:
        raise damaged(file, misfit) from None
    except RecursionError:
        raise damaged(file, Misfit("", "it is nested too deeply")) from None


def damaged(file: Path, misfit: Misfit) -> LockstepError:
    """The error for a file that is not as it must be."""
    return LockstepError(
        f"{file} is damaged at {misfit.place or 'its top'}: {misfit.reason}",
        cure="make it again with `lockstep check`",
    )


def state_json(state: State) -> dict[str, Json]:
    """The variables of a state by name."""
    return {name: encode(domain, getattr(state, name)) for name, domain in state.fields.items()}


def _parse(file: Path) -> Json:
    try:
        return decode_document(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise LockstepError(f"{shown_path(file)} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Misfit(f"byte {error.start}", "not UTF-8") from None
    except NotJson as error:
        raise Misfit(error.place, error.reason) from None


def _recording(file: Path, document: Json) -> Recording:
    top = _object(document, "")
    origin = _origin(_object(top.get("#meta"), "#meta"))
    recorded = top.get("states")
    if not isinstance(recorded, list) or not recorded:
        raise Misfit("states", "not an array of one or more states")
    states, steps = [], []
    for index, state in enumerate(recorded):
        place = f"states[{index}]"
        variables = dict(_object(state, place))
        meta = _object(variables.pop("#meta", None), f'{place}["#meta"]')
        if meta.get("index") != index:
            raise Misfit(f'{place}["#meta"].index', f"not {index}: a state is missing or moved")
        if index:
            name = _text(meta, "action", f'{place}["#meta"]')
            steps.append((name, _object(meta.get("parameters"), f'{place}["#meta"].parameters')))
        states.append(variables)
    return Recording(file, origin, tuple(states), tuple(steps), _loop(top, states))


def _loop(top: Mapping[str, Json], states: Sequence[Mapping[str, Json]]) -> int | None:
    """The state from which on it is repeated, which is also its last; None if it ends."""
    loop = top.get("loop")
    if loop is None:
        return None
    if type(loop) is not int or not 0 <= loop < len(states):
        raise Misfit("loop", "not the index of a state")
    if states[loop] != states[-1]:
        raise Misfit("loop", f"the last state is not states[{loop}], where it goes on")
    return loop


def _origin(meta: Mapping[str, Json]) -> Origin:
    if "model" not in meta:
        raise Misfit("#meta", "no model is named: this is not a trace that lockstep wrote")
    constants = _object(meta.get("constants"), "#meta.constants")
    names = ("property", "scope", "fault", "proposal", "error", "goal", "start")
    return Origin(
        model=_name(meta, "model"),
        engine=_text(meta, "engine", "#meta"),
        constants={
            name: decode_plain(value, f"#meta.constants.{name}")
            for name, value in constants.items()
        },
        digest=_text(meta, "digest", "#meta"),
        binding=_object(meta.get("binding", {}), "#meta.binding"),
        **{name: None if meta.get(name) is None else _text(meta, name, "#meta") for name in names},
    )


def _object(written: Json, place: str) -> Mapping[str, Json]:
    if not isinstance(written, dict):
        raise Misfit(place, "missing, or not an object")
    return written


def _text(meta: Mapping[str, Json], key: str, place: str) -> str:
    value = meta.get(key)
    if not isinstance(value, str) or not value:
        raise Misfit(f"{place}.{key}", "missing, or not a text")
    return value


def _name(meta: Mapping[str, Json], key: str) -> str:
    """A text that names a file of the workspace, so it must be no path to anywhere else."""
    name = _text(meta, key, "#meta")
    if not name.isidentifier():
        raise Misfit(f"#meta.{key}", f"{name!r} is not a name")
    return name


@dataclass(frozen=True)
class Saved:
    """Where a file was written, or why it was not."""

    file: Path | None = None
    why_not: str | None = None

    @property
    def place(self) -> str | None:
        """The path of the file as a text."""
        return None if self.file is None else str(self.file)


NOTHING_SAVED = Saved()


def save_trace(
    workspace: Workspace, model: Model, trace: Trace, origin: Origin, folder: Path | None = None
) -> Saved:
    """Write a behaviour to a file in `folder`, by default the workspace's own for traces.

    An earlier file of the same name is replaced. Nothing is raised when it cannot be written: a
    verdict stands without its trace.
    """
    folder = traces_folder(workspace) if folder is None else folder
    return save_as(folder / file_name(origin), workspace, model, trace, origin)


def save_as(file: Path, workspace: Workspace, model: Model, trace: Trace, origin: Origin) -> Saved:
    """Write a behaviour to a file of a given name, in the same way."""
    folder = file.parent
    try:
        if folder.is_relative_to(workspace.output):
            workspace.make_output()
        write_text(file, to_json(model, trace, origin))
    except OSError as error:
        return Saved(None, not_written(workspace.output, error))
    except LockstepError as error:
        return Saved(None, error.message)
    return Saved(file)


def traces_folder(workspace: Workspace) -> Path:
    """Where traces are saved unless another folder is named."""
    return workspace.output / "counterexamples"


def file_name(origin: Origin) -> str:
    """`MODEL-PROPERTY.itf.json`, with the name of a fault or a proposal after the property.

    In place of a property stands `found` where a goal was looked for, and `error` where the text
    has no meaning.
    """
    shows = origin.property or ("error" if origin.goal is None else "found")
    parts = [origin.model, shows, *filter(None, (origin.fault, origin.proposal))]
    return f"{'-'.join(parts)}.itf.json"
