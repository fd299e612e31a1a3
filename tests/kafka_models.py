"""The models of this workspace, each loaded once in a process."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lockstep.language.faults import fault_marks
from lockstep.language.model import Model, load_model, model_names
from lockstep.language.notation import FaultMark

ROOT = Path(__file__).parents[1]
MODELS = model_names(ROOT)


@cache
def kafka_model(name: str, *, lemmas: bool = False) -> Model:
    """A model with the constants that its text gives it."""
    return load_model(ROOT, name, lemmas=lemmas)


def fetch_session(constants: Mapping[str, object]) -> Model:
    """The model by which logs are followed, with some constants: lists among them are tuples."""
    return _fetch_session(tuple(constants.items()))


@cache
def _fetch_session(constants: tuple[tuple[str, object], ...]) -> Model:
    return load_model(ROOT, "fetch_session", dict(constants))


@cache
def kafka_faults(name: str) -> dict[str, FaultMark]:
    """The marks of a model's faults by their names."""
    return {fault: mark for fault, (mark, _) in fault_marks(ROOT, name).items()}
