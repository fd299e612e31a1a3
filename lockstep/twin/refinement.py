"""Whether a twin refines an abstract module: what it does is something that module allows.

Model and twin have the same variables and actions, and may share a mistake. An abstract module,
`tla/abstract/NAME.tla`, is written from the protocol's text alone. `tla/TWINRefines.tla` extends
the twin's module of bounds and defines two things:

- `Behaviours`: the twin's specification, with history variables where the mapping needs them;
- `Refines`: the abstract module's specification, by `INSTANCE NAME WITH` what its variables are in
  the twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.results.verdict import Verdict
from lockstep.twin.config import scope_config, without_checks, without_specification
from lockstep.twin.findings import TlcRun
from lockstep.twin.tlc import TlcOptions, run_tlc

MOST_REFINED = 50_000
"""States of a model up to which TLC is asked whether its twin refines a module."""


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


def refinement_files(root: Path, twin: str, abstract: str) -> Path:
    """The module that maps a twin to its abstract one; LockstepError when one is not there."""
    module = root / "tla" / f"{twin}Refines.tla"
    for file in (root / "tla" / "abstract" / f"{abstract}.tla", module):
        if not file.is_file():
            raise LockstepError(
                f"the twin {twin} is to refine {abstract}, and there is no {file}",
                cure="write tla/abstract/NAME.tla, and tla/TWINRefines.tla with the mapping to it",
            )
    return module


def check_refinement(
    module: Path,
    constants: Mapping[str, object],
    template: str,
    config: Path,
    options: TlcOptions,
) -> TlcRun:
    """Runs TLC on the mapping of a twin to its abstract module, as `options` say.

    The configuration is written to `config`: the constants, then what `template` says beside its
    claims. What is not well formed is a run with the verdict `error`.
    """
    template = without_specification(without_checks(template)).rstrip()
    text = f"{template}\n\nSPECIFICATION Behaviours\nPROPERTY Refines\n"
    config.write_text(scope_config(constants, text), "utf-8")
    library = module.parent / "abstract"
    return run_tlc(module, config, replace(options, workers=1, library=library, brief=True))
