"""The models of this workspace, each loaded once in a process."""

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


@cache
def kafka_faults(name: str) -> dict[str, FaultMark]:
    """The marks of a model's faults by their names."""
    return {fault: mark for fault, (mark, _) in fault_marks(ROOT, name).items()}
