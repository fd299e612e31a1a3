"""What `prove` prints for a reader: a row a property, and below it whatever has to be said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.prove.proofs import MEANING, Proof
from lockstep.report.output import Output
from lockstep.results.verdict import verdict_without
from lockstep.trace.render import render_trace
from lockstep.verbs.prove import Kept, Proved, Unproved
from lockstep.words import indented, plural, shown_path

if TYPE_CHECKING:
    from lockstep.prove.any_number import Enough


class ProofText:
    """Prints each result as soon as it is there, and the sum of them at the end."""

    def __init__(self, output: Output, root: Path, *, examples: bool) -> None:
        """With `examples`, what is not proved is shown with states from which it is not kept."""
        self._output = output
        self._root = root
        self._examples = examples

    def add(self, found: Proved | Unproved) -> None:
        """Print one result."""
        line = self._output.line
        if isinstance(found, Unproved):
            verdict = verdict_without(found.error)
            line(f"{found.title}: {verdict}", str(verdict))
            line(indented(str(found.error), 2))
            return
        induction = found.induction
        line(
            f"{found.model.name} {found.proof}: {found.verdict}, {induction.seconds:.1f} s",
            str(found.verdict),
        )
        if found.enough is not None:
            self._enough(found.enough)
        width = max(len(each.name) for each in induction.proofs)
        for each in induction.proofs:
            self._proof(found, each, width)
        for name in induction.inferred:
            line(f"  inferred: {name}", "dim")
        if found.unasked:
            line(f"  not asked, being no invariants: {', '.join(found.unasked)}", "dim")
        if found.bounded is not None and found.bounded.because:
            self._because(found)
        for name, what in found.silent.items():
            reason = found.silences.get(name)
            told = f"  {name}: {what}"
            line(f"{told}: {reason}" if reason else told, "dim" if reason else "inconclusive")
        for name in found.outspoken:
            line(f"  {name} is not silent: take it out of [proofs.{found.proof}]", "violated")
        for name in found.needless:
            line(f"  {name} is proved: take it out of [proofs.{found.proof}.bounded]", "violated")
        self._violation(found)
        if found.smt is not None:
            self._kept(found.smt, plural(len(induction.obligations), "question"))

    def finish(self, results: Sequence[Proved | Unproved], left: Sequence[str]) -> None:
        """Print the last lines; `left` are those that Ctrl-C kept from being asked about."""
        proved = [found for found in results if isinstance(found, Proved)]
        proofs = [each for found in proved for each in found.induction.proofs]
        seconds = sum(found.induction.seconds for found in proved)
        count = sum(each.proved for each in proofs)
        if proved:
            self._output.line(
                f"{count} of {len(proofs)} properties proved, {seconds:.1f} s", "bold"
            )
        if left:
            self._output.line(f"not asked about: {', '.join(left)}", "inconclusive")
        for found in proved:
            if found.exit_code:
                self._output.line(f"reproduce with  {found.again}")

    def _proof(self, found: Proved, proof: Proof, width: int) -> None:
        line, name = self._output.line, f"{proof.name:<{width}}"
        if proof.proved:
            line(f"  {name}  proved, {found.induction.k}-induction, {proof.seconds:.2f} s", "holds")
            return
        if found.violation is not None and proof.name in found.violation.properties:
            steps = len(found.violation.trace.steps)
            line(f"  {name}  violated after {plural(steps, 'step')}", "violated")
            return
        reason = found.reasons.get(proof.name)
        looked_at = proof.name in found.searched or proof.name == MEANING
        left_out = found.enough is not None and proof.name in found.enough.left_out
        looked_at = looked_at and not left_out
        covered = found.bounded.covered if found.bounded is not None and looked_at else None
        holds = "" if covered is None else f"; holds up to {plural(covered, 'step')}"
        line(f"  {name}  not proved ({proof.because}){holds}", "dim" if reason else "inconclusive")
        if reason:
            line(f"  {'':<{width}}  {reason}", "dim")
        if self._examples and proof.example is not None:
            line("    from a state that a lemma would have to exclude:")
            for text in render_trace(found.model, proof.example):
                line(f"      {text}")

    def _enough(self, enough: Enough) -> None:
        """Why a proof with a few names is one for any number of them."""
        few = f"1 to {enough.names}" if enough.names > 1 else "1"
        self._output.line(
            f"  for any number of {enough.constant}: proved with {few}, and no more than "
            f"{enough.names} matter at once",
            "dim",
        )
        if enough.unread:
            names = ", ".join(enough.unread)
            self._output.line(f"  not asked about, being read by nothing else: {names}", "dim")

    def _because(self, found: Proved) -> None:
        bounded, line = found.bounded, self._output.line
        assert bounded is not None
        if bounded.error is None or bounded.meaningless is None:
            line(f"  because  {bounded.because}", "inconclusive")
            return
        line(indented(str(bounded.error), 2), "error")
        line()
        for text in render_trace(found.model, bounded.meaningless):
            line(f"    {text}")

    def _violation(self, found: Proved) -> None:
        if found.violation is None or found.saved is None:
            return
        line = self._output.line
        line()
        for text in render_trace(found.model, found.violation.trace):
            line(f"    {text}")
        line()
        self._kept(found.saved, "the behaviour")
        if found.saved.file is not None:
            line(f"  see it with  lockstep replay {shown_path(found.saved.file)}")

    def _kept(self, kept: Kept, what: str) -> None:
        if kept.file is not None:
            self._output.line(f"  {what} written to {shown_path(kept.file)}", "dim")
        else:
            self._output.line(f"  {what} not written: {kept.why_not}", "inconclusive")
