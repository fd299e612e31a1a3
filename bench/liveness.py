"""`python -m bench.liveness MODEL SCOPE`: what liveness takes beside safety alone.

Both are whole explorations by machine code, on all cores. Elapsed seconds say how well these are
used, where nothing else is at work on the machine; the processor's say what there is to do.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

from bench.machine import this_machine
from bench.table import machine_text
from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Exploration
from lockstep.specs.scopes import load_model_spec


def main() -> int:
    """Measure as the command line says and print a table; 1 where liveness was not checked."""
    parser = argparse.ArgumentParser(prog="python -m bench.liveness", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("scope")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    constants = load_model_spec(root, options.model).scope(options.scope).constants
    model = load_model(root, options.model, constants)
    print(machine_text(this_machine(root)), end="\n\n")
    print("| explored | states | steps | s | CPU s | MB at most by then |")
    print("|---|---|---|---|---|---|")
    for name, version in (("safety", model.without(Kind.LEADS_TO)), ("with liveness", model)):
        began, worked = time.perf_counter(), time.process_time()
        result = explore(version, Exploration("compiled", liveness=True))
        seconds, processor = time.perf_counter() - began, time.process_time() - worked
        memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"| {name} | {result.states:,} | {result.transitions:,} | {seconds:.2f} | "
            f"{processor:.2f} | {memory:,.0f} |"
        )
    if result.unchecked:
        print(f"\n{result.because}")
    return int(bool(result.unchecked))


if __name__ == "__main__":
    raise SystemExit(main())
