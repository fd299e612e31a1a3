"""Random behaviours come where few steps lead."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lockstep.drive.driver import NOT_DONE
from lockstep.drive.driving import drive_randomly
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import Walks
from lockstep.specs.scopes import load_model_spec
from lockstep.workspace import find_workspace
from tests.drive.test_random_models import Execution


class Counting(Execution):
    """Software that counts what it did."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.done: Counter[str] = Counter()

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        came = super().do(action, arguments)
        self.done[action] += came is not NOT_DONE
        return came


def test_sessions_live_until_incremental_requests_are_answered() -> None:
    """By even chances of all actions 7 to 11 responses arrived, by those of shapes 26 to 38."""
    root = find_workspace().root
    small = load_model_spec(root, "fetch_session").scope("small").constants
    model = load_model(root, "fetch_session", {**small, "MAX_EPOCH": 2**31 - 1})
    software = Counting(model)
    drive_randomly(Following(model, Guarded(software)), Walks(count=60, steps=100, seed=0))
    assert software.done["receive_incremental"] > 20, software.done


def test_wide_actions_take_records_of_the_state() -> None:
    """A fetcher asks again for what it asked for, though it might ask for 2**63 offsets."""
    root = find_workspace().root
    constants = load_model_spec(root, "fetch_session").proofs["real"].constants
    model = load_model(root, "fetch_session", {**constants, "MAX_DISTURBANCES": 0})
    software = Counting(model)
    drive_randomly(Following(model, Guarded(software)), Walks(count=5, steps=60, seed=0))
    assert software.done["send_incremental"] > 0, software.done
