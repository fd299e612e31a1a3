"""One search with lockstep's compiled engine, with all, some or none of a model's properties.

`lockstep check` always checks everything. Tools that check less are compared with this. Liveness,
which comes after the search, is left out.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from bench.rows import Checks
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Exploration
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec


def with_checks(model: Model, checks: Checks) -> Model:
    """The model with as many of its properties as are to be checked."""
    match checks:
        case Checks.ALL:
            return model.without(Kind.LEADS_TO)
        case Checks.STATES:
            kept = (Kind.INVARIANT, Kind.SOMETIMES)
            properties = tuple(prop for prop in model.properties if prop.kind in kept)
        case Checks.NONE:
            properties = ()
    return dataclasses.replace(model, properties=properties)


def main() -> int:
    """Search as the command line says and print the counts; 0 if everything holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("scope")
    parser.add_argument("checks", type=Checks, choices=list(Checks))
    options = parser.parse_args()
    root = Path.cwd()
    spec = load_model_spec(root, options.model)
    model = load_model(root, options.model, spec.scope(options.scope).constants)
    result = explore(
        with_checks(model, options.checks),
        Exploration(
            "compiled",
            deadlock_allowed=spec.deadlock_allowed,
            expected=spec.scope(options.scope).pins.states or 0,
        ),
    )
    print(f"states {result.states}\ntransitions {result.transitions}\ndepth {result.depth}")
    if result.verdict is not Verdict.HOLDS:
        print(f"{result.verdict}: {result.because}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
