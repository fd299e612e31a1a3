"""What `prove` prints for a reader: a row a property, and below it whatever has to be said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.prove.proofs import MEANING, Proof
from lockstep.report.kept import since_text
from lockstep.report.output import Output
from lockstep.report.trace_text import print_trace
from lockstep.trace.render import render_trace, render_violation
from lockstep.verbs.prove_result import Proved, Unproved
from lockstep.words import indented, plural, shown_path
from lockstep.workspace import option_for

if TYPE_CHECKING:
    from lockstep.prove.any_number import Enough
    from lockstep.trace.saving import Saved
    from lockstep.verbs.prove import ProveRun, Result


class ProofText:
    """Prints each result as soon as it is there, and the sum of them at the end."""

    def __init__(self, output: Output, *, examples: bool = False) -> None:
        """With `examples`, what is not proved is shown with states from which it is not kept."""
        self._output = output
        self._examples = examples

    def add(self, result: Result) -> None:
        """Print one result."""
        if isinstance(result, Unproved):
            verdict = result.verdict
            self._output.line(f"{result}: {verdict}", str(verdict))
            self._output.line(indented(str(result.error), 2))
        else:
            self._proved(result)

    def finish(self, run: ProveRun) -> None:
        """Print the last lines: the sum, what Ctrl-C left out, and what is to be run again."""
        line = self._output.line
        results = [result for result in run.results if isinstance(result, Proved)]
        proofs = [proof for result in results for proof in result.induction.proofs]
        seconds = sum(result.seconds for result in results)
        count = sum(proof.proved for proof in proofs)
        kept = sum(result.since is not None for result in results)
        if results:
            line(f"{count} of {len(proofs)} properties proved, {seconds:.1f} s", "bold")
        if kept:
            line(f"{kept} of {plural(len(results), 'proof')} kept (--no-cache decides anew)", "dim")
        if run.pending:
            line(f"not asked about: {', '.join(map(str, run.pending))}", "inconclusive")
        for result in results:
            if result.exit_code:
                line(f"reproduce with  {result.again}")

    def _proved(self, proved: Proved) -> None:
        line, induction, name = self._output.line, proved.induction, proved.subject.proof.name
        seconds = f"{proved.seconds:.1f} s{since_text(proved.since)}"
        line(f"{proved.subject}: {proved.verdict}, {seconds}", str(proved.verdict))
        if proved.enough is not None:
            self._enough(proved.enough)
        width = max(len(proof.name) for proof in induction.proofs)
        for proof in induction.proofs:
            self._proof(proved, proof, width)
        for inferred in induction.inferred:
            line(f"  inferred: {inferred}", "dim")
        if proved.unasked:
            line(f"  not asked, being no invariants: {', '.join(proved.unasked)}", "dim")
        self._because(proved)
        self._silences(proved)
        for excused in proved.needless:
            line(f"  {excused} is proved: take it out of [proofs.{name}.bounded]", "violated")
        self._violation(proved)
        if proved.questions is not None:
            self._written(proved.questions, plural(len(induction.obligations), "question"))
        if proved.not_kept is not None:
            line(f"  not kept for the next run: {proved.not_kept}", "dim")

    def _proof(self, proved: Proved, proof: Proof, width: int) -> None:
        line, name = self._output.line, f"{proof.name:<{width}}"
        if proof.proved:
            k = proved.induction.k
            line(f"  {name}  proved, {k}-induction, {proof.seconds:.2f} s", "holds")
            return
        if proved.violation is not None and proof.name in proved.violation.properties:
            steps = plural(len(proved.violation.trace.steps), "step")
            line(f"  {name}  violated after {steps}", "violated")
            return
        excuse, covered = proved.excuses.get(proof.name), _covered(proved, proof.name)
        holds = "" if covered is None else f"; holds up to {plural(covered, 'step')}"
        line(f"  {name}  not proved ({proof.because}){holds}", "dim" if excuse else "inconclusive")
        if excuse:
            line(f"  {'':<{width}}  {excuse}", "dim")
        if self._examples and proof.example is not None:
            line("    from a state that a lemma would have to exclude:")
            print_trace(self._output, render_trace(proved.model, proof.example), 6)

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

    def _because(self, proved: Proved) -> None:
        """Why the search for violations came to no end, if it did not."""
        bounded, line = proved.bounded, self._output.line
        if bounded is None or not bounded.because:
            return
        if bounded.error is None or bounded.meaningless is None:
            line(f"  because  {bounded.because}", "inconclusive")
            return
        line(indented(str(bounded.error), 2), "error")
        line()
        print_trace(self._output, render_trace(proved.model, bounded.meaningless), 4)

    def _silences(self, proved: Proved) -> None:
        line = self._output.line
        for name, what in proved.silent.items():
            excuse = proved.excused_silences.get(name)
            text = f"  {name}: {what}"
            line(f"{text}: {excuse}" if excuse else text, "dim" if excuse else "inconclusive")
        proof = proved.subject.proof.name
        for name in proved.outspoken:
            line(f"  {name} is not silent: take it out of [proofs.{proof}]", "violated")

    def _violation(self, proved: Proved) -> None:
        if proved.violation is None or proved.counterexample is None:
            return
        line, file = self._output.line, proved.counterexample.file
        line()
        fault = proved.subject.widths.fault
        print_trace(self._output, render_violation(proved.model, proved.violation, fault), 4)
        line()
        self._written(proved.counterexample, "the behaviour")
        if file is not None:
            root = proved.model.universe.root
            line(f"  see it with  lockstep replay {shown_path(file)}{option_for(root)}")

    def _written(self, written: Saved, what: str) -> None:
        if written.file is not None:
            self._output.line(f"  {what} written to {shown_path(written.file)}", "dim")
        else:
            self._output.line(f"  {what} not written: {written.why_not}", "inconclusive")


def _covered(proved: Proved, name: str) -> int | None:
    """Up to how many steps a property holds that is not proved; None if nobody looked."""
    if proved.bounded is None or (proved.enough is not None and name in proved.enough.left_out):
        return None
    return proved.bounded.covered if name in (*proved.searched, MEANING) else None
