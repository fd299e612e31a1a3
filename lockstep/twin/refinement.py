"""Whether a twin refines an abstract module: what it does is something that module allows.

Model and twin have the same variables and actions, and may share a mistake. An abstract module,
`tla/abstract/NAME.tla`, is written from the protocol's text alone. `tla/TWINRefines.tla` extends
the twin's module of bounds and defines two things:

- `Behaviours`: the twin's specification, with history variables where the mapping needs them;
- `Refines`: the abstract module's specification, by `INSTANCE NAME WITH` what its variables are in
  the twin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.results.verdict import Verdict
from lockstep.twin.config import scope_config, without_checks, without_specification
from lockstep.twin.findings import TlcProgress, TlcRun
from lockstep.twin.tlc import TlcOptions, run_tlc

MOST_REFINED = 50_000
"""States of a model up to which TLC is asked whether its twin refines a module."""


@dataclass(frozen=True)
class RefinementFiles:
    """The abstract module, by its name, and the module that maps the twin to it."""

    abstract: str
    module: Path


@dataclass(frozen=True)
class Refinement:
    """What TLC says of a twin and the abstract module that it is to refine."""

    abstract: str
    run: TlcRun
    """It has the states of `Behaviours`: more than the twin's where there are history variables."""

    @property
    def verdict(self) -> Verdict:
        """`holds`, or `violated` with the behaviour in `run`."""
        return Verdict.HOLDS if self.run.verdict == "holds" else Verdict.VIOLATED


def refinement_files(root: Path, twin: str, abstract: str) -> RefinementFiles:
    """The files of a refinement; LockstepError when one is not there."""
    module = root / "tla" / f"{twin}Refines.tla"
    for file in (root / "tla" / "abstract" / f"{abstract}.tla", module):
        if not file.is_file():
            raise LockstepError(
                f"the twin {twin} is to refine {abstract}, and there is no {file}",
                cure="write tla/abstract/NAME.tla, and tla/TWINRefines.tla with the mapping to it",
            )
    return RefinementFiles(abstract, module)


@dataclass(frozen=True)
class RefinementCheck:
    """How TLC is asked: of which constants and replacements, and where its configuration goes."""

    constants: Mapping[str, object]
    template: str
    config: Path
    workers: int = 1
    timeout: float | None = None
    on_progress: Callable[[TlcProgress], None] | None = None


def check_refinement(files: RefinementFiles, check: RefinementCheck) -> TlcRun:
    """Runs TLC on the mapping. What is not well formed is a run with the verdict `error`."""
    template = without_specification(without_checks(check.template)).rstrip()
    text = f"{template}\n\nSPECIFICATION Behaviours\nPROPERTY Refines\n"
    check.config.write_text(scope_config(check.constants, text), "utf-8")
    options = TlcOptions(
        workers=check.workers,
        library=files.module.parent / "abstract",
        brief=True,
        timeout=check.timeout,
        on_progress=check.on_progress,
    )
    return run_tlc(files.module, check.config, options)
