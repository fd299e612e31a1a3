"""`python -m bench.review MODEL SCOPE`: what comparing behaviours takes, part by part.

A model is compared with itself, some of its variables hidden on both sides where `--hide` names
them. Plain Python does the same comparison beside machine code, unless `--without-plain` says that
it would take too long. The times are the processor's: other work on the machine says nothing then.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.machine import this_machine
from bench.table import machine_text
from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import Bounds
from lockstep.plain.space import MOST_STATES, Limits
from lockstep.review.inclusion import find_parting
from lockstep.review.observed import observe
from lockstep.review.pair import Pair
from lockstep.specs.scopes import load_model_spec
from tests.review.plain_inclusion import plain_parting


@dataclass
class Parts:
    """The processor's seconds that each part took, and the most memory by then, in bytes."""

    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measure what is done within."""
        began = time.process_time()
        yield
        self.seconds[name] = time.process_time() - began
        self.memory[name] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> int:
    """Measure as the command line says and print a table; 1 where the two ways differ."""
    parser = argparse.ArgumentParser(prog="python -m bench.review", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("scope")
    parser.add_argument("--hide", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--without-plain", action="store_true")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    constants = load_model_spec(root, options.model).scope(options.scope).constants
    models = [load_model(root, options.model, constants) for _ in range(2)]
    parts, limits = Parts(), Limits.of(Bounds(), MOST_STATES)
    pair = _hiding(models, options.hide)
    with parts.part("both graphs, and their views"):
        one, other = observe(pair, limits)
    with parts.part("machine code, one direction"):
        parting = find_parting(one, other, limits)
    if not options.without_plain:
        with parts.part("plain Python, one direction"):
            differs = plain_parting(one, other) != parting
        if differs:
            print("plain Python and machine code differ")
            return 1
    states, steps = len(one.views), len(one.space.targets)
    views = int(one.views.max()) + 1
    print(machine_text(this_machine(root)), end="\n\n")
    print(
        f"{options.model}, {options.scope}: {states:,} states, {steps:,} steps, {views:,} views\n"
    )
    print("| part | CPU s | us a state | MB at most by then |", "|---|---|---|---|", sep="\n")
    for name, seconds in parts.seconds.items():
        share, memory = 1e6 * seconds / states, parts.memory[name] / 1e6
        print(f"| {name} | {seconds:.2f} | {share:.2f} | {memory:,.0f} |")
    return 0


def _hiding(models: list[Model], names: list[str]) -> Pair:
    """Two models that share all variables but these; `LockstepError` for one that is not there."""
    pair = Pair.of(*models)
    for name in names:
        if name not in pair.shared:
            raise LockstepError(f"{models[0].name} has no variable {name!r}")
    return Pair(pair.one, pair.other, tuple(name for name in pair.shared if name not in names))


if __name__ == "__main__":
    raise SystemExit(main())
