"""One pool of random models before which all judges of engines stand.

A model is drawn by its seed alone, so that no other file changes which models there are. Most seeds
are always the same; one in five is of the day (`LOCKSTEP_DAY`). A process loads, translates and
explores each model once for all. `LOCKSTEP_PROFILE=wide` draws thousands of seeds that nobody
chose, and keeps none.

`python -m tests.random_models.pool SEED` prints a model.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path

from hypothesis import settings

from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from tests.agreement.case import Case
from tests.day import VARIABLE, day
from tests.random_models.parts.choices import RepeatedChoices, SeededChoices
from tests.random_models.parts.size import LARGE, USUAL
from tests.random_models.random_models import Likeness, RandomModel, drawn_model

MODELS = 48
"""How many models the pool has: two of each kind that `likeness` says."""
_OF_THE_DAY = 5
"""One seed in so many changes with the day."""
_CYCLE = 24
"""The models of so many seeds in a row have each combination of what `likeness` fixes."""
_SHRINK_SECONDS = 30.0
"""How long a smaller model is looked for that fails as well."""


class PassedOver(Exception):
    """This model has nothing for a judge to do, or too much."""


class Sample:
    """One random model in a folder of its own, with what has been made of it."""

    def __init__(self, seed: int, text: RandomModel, folder: Path) -> None:
        self.seed = seed
        self.text = text
        self.folder = folder

    @cached_property
    def model(self) -> Model:
        """The model; `PassedOver` where its text is refused: `test_nearly_all_load` counts them."""
        try:
            model = self.text.load(self.folder)
            lower(model)
        except ModelError as error:
            raise PassedOver from error
        return model

    @cached_property
    def case(self) -> Case:
        """The model without what must come to pass, and what plain Python finds of it."""
        return Case.of(self.model)


Judge = Callable[[Sample], object]


def likeness(seed: int) -> Likeness:
    """What the model of a seed is like: some of each kind are among any few seeds in a row."""
    place = seed % _CYCLE
    return Likeness(
        risky=place % 4 == 2,
        size=LARGE if place % 8 == 7 else USUAL,
        symmetric=True if place % 3 == 0 else None,
        faulty=True if place % 3 == 1 else None,
        live=place % 3 == 2,
    )


def model_of(seed: int) -> RandomModel:
    """The model of a seed."""
    return drawn_model(SeededChoices(seed), likeness(seed))


def seeds(most: int = MODELS) -> Iterator[int]:
    """The seeds of so many models of the pool; one of the day is like the one it stands for."""
    for number in range(most):
        of_the_day = number % _OF_THE_DAY == _OF_THE_DAY - 1
        yield number + (day() * 100 * _CYCLE if of_the_day else 0)


def is_the_same_every_day(seed: int) -> bool:
    """Whether the model of a seed is no other on another day; so of those that nobody chose."""
    return seed < MODELS or not settings().derandomize


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="lockstep-random-models-")


@cache
def _sample(seed: int) -> Sample:
    folder = Path(_folder().name) / str(seed)
    folder.mkdir()
    return Sample(seed, model_of(seed), folder)


def samples(most: int = MODELS) -> Iterator[Sample]:
    """So many models of the pool; of others, as many as the profile says, where it is `wide`."""
    if settings().derandomize:
        yield from map(_sample, seeds(most))
        return
    first = random.SystemRandom().randrange(10**12)
    for seed in range(first, first + settings().max_examples):
        with tempfile.TemporaryDirectory(prefix="lockstep-random-model-") as folder:
            yield Sample(seed, model_of(seed), Path(folder))


def judge_all(judge: Judge, *, most: int = MODELS, at_least: int) -> None:
    """Let a judge judge so many models; it must have something to do with at least some of them.

    A failure says of which seed it is, and shows a smaller model that fails as well.
    """
    judged = 0
    for one in samples(most):
        try:
            judge(one)
        except (PassedOver, NotCompiled):
            continue
        except Exception as error:
            error.add_note(
                f"The random model of seed {one.seed} ({VARIABLE}={day()});"
                f" python -m tests.random_models.pool {one.seed} prints it."
                f" A small one that fails as well:\n{shrunk(one.seed, judge)!r}"
            )
            raise
        judged += 1
    assert judged >= at_least, f"only {judged} models had something to judge"


def shrunk(seed: int, judge: Judge, seconds: float = _SHRINK_SECONDS) -> RandomModel:
    """A small model that fails as that of a seed does; that one where the time finds none."""
    kind, choices = likeness(seed), SeededChoices(seed)
    smallest, made = drawn_model(choices, kind), choices.made
    deadline = time.monotonic() + seconds
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for fewer in _smaller(made):
            if time.monotonic() > deadline:
                return smallest
            again = RepeatedChoices(fewer)
            text = drawn_model(again, kind)
            if len(repr(text)) < len(repr(smallest)) and _fails(judge, seed, text):
                smallest, made, is_smaller = text, again.made, True
                break
    return smallest


def _smaller(made: Sequence[int]) -> Iterator[list[int]]:
    """Choices with a part left out, the largest parts first, or with one that is the first."""
    size = len(made)
    while size > 1:
        size //= 2
        for begin in range(0, len(made), size):
            yield [*made[:begin], *made[begin + size :]]
    for place, choice in enumerate(made):
        if choice:
            yield [*made[:place], 0, *made[place + 1 :]]


def _fails(judge: Judge, seed: int, text: RandomModel) -> bool:
    with tempfile.TemporaryDirectory(prefix="lockstep-random-model-") as folder:
        try:
            judge(Sample(seed, text, Path(folder)))
        except (PassedOver, NotCompiled):
            return False
        except Exception:
            return True
    return False


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(model_of(int(argument)))
