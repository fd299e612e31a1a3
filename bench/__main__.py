"""`python -m bench`: measure every tool on every model, print the table, and keep it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.bench import Bench
from bench.cases import MODELS, Case, load_case
from bench.machine import this_machine
from bench.rows import Row, Status
from bench.table import LEGEND, as_json, document, machine_text, markdown
from bench.tools import handwritten, lockstep, spin, stateright, tlc
from lockstep.errors import LockstepError

TOOLS: Mapping[str, Callable[[Case, Bench], Iterator[Row]]] = {
    "lockstep": lockstep.rows,
    "cpp": handwritten.rows,
    "spin": spin.rows,
    "stateright": stateright.rows,
    "tlc": tlc.rows,
}


def main() -> int:
    """Measure as the command line says; 1 where a row is void."""
    root = Path(__file__).resolve().parent.parent
    options = _arguments(root)
    machine = this_machine(root)
    print(machine_text(machine), LEGEND, sep="\n\n", end="\n\n", flush=True)
    measured: list[tuple[Case, list[Row]]] = []
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch:
        bench = Bench(root / "bench" / "build", Path(scratch), options.limit, options.repeats)
        for model in options.models:
            case = load_case(root, model, options.scope)
            rows: list[Row] = []
            for tool in options.tools:
                for row in TOOLS[tool](case, bench):
                    _tell(f"{model} {options.scope}: {row.tool} ({row.checks}): {_outcome(row)}")
                    rows.append(row)
            measured.append((case, rows))
            print(markdown(case, rows), flush=True)
            # After each model, for the next one may take an hour.
            options.results.mkdir(parents=True, exist_ok=True)
            kept = options.results / f"{machine.date}-{options.scope}.md"
            kept.write_text(document(machine, measured), "utf-8")
            kept.with_suffix(".json").write_text(as_json(machine, measured), "utf-8")
    print(f"Kept in {kept} and beside it in JSON.")
    return int(any(row.status is Status.VOID for _, rows in measured for row in rows))


def _arguments(root: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--scope", default="large")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--tools", nargs="+", choices=list(TOOLS), default=list(TOOLS))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a run may take")
    parser.add_argument("--repeats", type=int, default=3, help="how often a short run is made")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    return parser.parse_args()


def _outcome(row: Row) -> str:
    time = "" if row.run is None else f"{row.run.seconds:.1f} s by the clock"
    return "; ".join(part for part in (str(row.status), time, row.because) if part)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except LockstepError as error:
        print(error, file=sys.stderr)
        raise SystemExit(int(error.exit_code)) from None
