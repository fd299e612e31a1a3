"""What is asked of `prove`: which models, at which widths, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from lockstep.requests.option import (
    anew_option,
    command_line,
    constants_option,
    fault_option,
    option,
    seconds_option,
)
from lockstep.requests.search import ModelsRequest
from lockstep.specs.tables import Plain

SECONDS = 60.0
"""How long a question may take unless the request says another time."""


_OF_PROOFS = ("--any", "--infer", "--k", "--smt", "--examples", "--sarif", "--summary", "--github")
"""What other questions do not go with."""


@dataclass(frozen=True)
class AskOptions:
    """Other questions about one model than what can be proved.

    A shortest behaviour is looked for: to what `find` says, or to a violation. It begins in the
    first state, or in any in which `start` is true and all invariants hold. Both are predicates as
    an invariant has them. Or two actions are compared in every state, reached or not.
    """

    apart: ClassVar = {
        "--find": ("--equal", *_OF_PROOFS),
        "--from": ("--equal", *_OF_PROOFS),
        "--equal": _OF_PROOFS,
    }

    find: str | None = option(
        "--find", metavar="PREDICATE", help="Look for a shortest behaviour to it, as in 's.x > 3'."
    )
    start: str | None = option(
        "--from",
        metavar="PREDICATE",
        help="Search from any state in which it and all invariants hold, reached or not.",
    )
    equal: tuple[str, str] | None = option(
        "--equal", metavar="ACTION ACTION", help="Ask whether two actions do the same."
    )

    @property
    def is_question(self) -> bool:
        """Whether one of these is asked."""
        return not (self.find is None and self.start is None and self.equal is None)


@dataclass(frozen=True)
class ProveRequest(ModelsRequest):
    """Proofs of some models; None stands for what a proof says, and every field has a default.

    The constants and the text are those of `proof`, a name in `specs/MODEL.toml`, or of all its
    proofs; a `scope` takes the place of a proof. `constants` are put over its own, and `fault` in
    place of what it changes.
    """

    apart: ClassVar = {"--proof": ("--scope",), "--any": ("--k", "--infer")}

    models: tuple[str, ...] = option(
        default=(), metavar="MODEL", help="Names of models; all that have proofs unless some given."
    )
    proof: str | None = option("--proof", metavar="NAME", help="A proof of specs/MODEL.toml.")
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope in place of a proof, with its constants."
    )
    constants: Mapping[str, Plain] = constants_option()
    fault: str | None = fault_option()
    any_number: str | None = option(
        "--any", metavar="CONSTANT", help="Prove for any number of the names that CONSTANT lists."
    )
    k: int | None = option("--k", least=1, metavar="K", help="Go by induction over K steps.")
    depth: int | None = option(
        "--depth", least=0, metavar="N", help="Look for violations in up to N steps."
    )
    infer: bool = option(
        "--infer", default=False, help="Try comparisons of numbers as helps, and show those used."
    )
    max_seconds: float = seconds_option(
        "Bound each question of a proof, and the search for a behaviour in all.", SECONDS
    )
    smt: Path | None = option(
        "--smt",
        metavar="DIR",
        is_asked_again=False,
        help="Write every question of the proofs as SMT-LIB 2 into a folder.",
    )
    anew: bool = anew_option()

    @property
    def is_pinned(self) -> bool:
        """Whether the answer can be compared with what the specification says is proved."""
        changes = (self.scope, self.fault, self.any_number, self.k, self.depth)
        return not self.constants and all(change is None for change in changes)

    def again(self, model: str, proof: str, scope: str | None) -> str:
        """The command that asks the same of one model in one proof, or in a scope."""
        where = replace(self, proof=None if scope else proof, scope=scope)
        return command_line("prove", where, model)
