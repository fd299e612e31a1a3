"""What `prove` prints for a reader: a row a property, and below it whatever has to be said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lockstep.cli.output import Output, indented, plural, shown_path
from lockstep.cli.proving import Proved, Request, Unproved
from lockstep.explore.engine import Verdict
from lockstep.prove.induction import Proof
from lockstep.trace.render import render_trace


class ProofText:
    """Prints each result as soon as it is there, and the sum of them at the end."""

    def __init__(self, output: Output, root: Path, request: Request, *, examples: bool) -> None:
        """With `examples`, what is not proved is shown with states from which it is not kept."""
        self._output = output
        self._root = root
        self._request = request
        self._examples = examples

    def add(self, found: Proved | Unproved) -> None:
        """Print one result."""
        line = self._output.line
        if isinstance(found, Unproved):
            line(f"{found.name} {found.proof}: {Verdict.INCONCLUSIVE}", "inconclusive")
            line(indented(str(found.error), 2))
            return
        induction = found.induction
        line(
            f"{found.model.name} {found.proof}: {found.verdict}, {induction.seconds:.1f} s",
            str(found.verdict),
        )
        width = max(len(each.name) for each in induction.proofs)
        for each in induction.proofs:
            self._proof(found, each, width)
        for name in induction.inferred:
            line(f"  inferred: {name}", "dim")
        if found.bounded is not None and found.bounded.verdict is Verdict.INCONCLUSIVE:
            line(f"  because  {found.bounded.because}", "inconclusive")
        for name in found.needless:
            line(f"  {name} is proved: take it out of [proofs.{found.proof}.bounded]", "violated")
        self._violation(found)
        if found.written:
            line(f"  {plural(found.written, 'question')} written as SMT-LIB", "dim")

    def finish(self, results: Sequence[Proved | Unproved]) -> None:
        """Print the last lines."""
        proofs = [each for found in results if isinstance(found, Proved) for each in _all(found)]
        proved = sum(each.proved for each in proofs)
        seconds = sum(found.induction.seconds for found in results if isinstance(found, Proved))
        self._output.line(f"{proved} of {len(proofs)} properties proved, {seconds:.1f} s", "bold")
        for found in results:
            if isinstance(found, Proved) and found.exit_code:
                self._output.line(
                    f"reproduce with  {self._request.again(found.model.name, found.proof)}"
                )

    def _proof(self, found: Proved, proof: Proof, width: int) -> None:
        line, name = self._output.line, f"{proof.name:<{width}}"
        if proof.proved:
            line(f"  {name}  proved, {found.induction.k}-induction, {proof.seconds:.2f} s", "holds")
            return
        depth = found.bounded.depth if found.bounded is not None else 0
        broken = found.violation is not None and proof.name in found.violation.properties
        if broken:
            line(f"  {name}  violated after {plural(depth, 'step')}", "violated")
            return
        reason = found.reasons.get(proof.name)
        style = "dim" if reason else "inconclusive"
        line(f"  {name}  not proved ({proof.because}); holds up to {plural(depth, 'step')}", style)
        if reason:
            line(f"  {'':<{width}}  {reason}", "dim")
        if self._examples and proof.example is not None:
            line("    from a state that a lemma would have to exclude:")
            for text in render_trace(found.model, proof.example):
                line(f"      {text}")

    def _violation(self, found: Proved) -> None:
        if found.violation is None:
            return
        line = self._output.line
        line()
        for text in render_trace(found.model, found.violation.trace):
            line(f"    {text}")
        line()
        if found.saved is not None:
            line(f"  saved to {shown_path(found.saved)}; see it with")
            line(f"    lockstep replay {shown_path(found.saved)}")


def _all(found: Proved) -> list[Proof]:
    return found.induction.proofs
