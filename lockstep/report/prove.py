"""How proofs are shown, a line a property, and answers to other questions to the solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from lockstep.language.faults import described_faults
from lockstep.pages.blocks import Block, Lines, Paragraph, Section
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.prove.any_number import Enough
from lockstep.prove.proofs import MEANING, Proof
from lockstep.report.ci.exploration import Explored, interrupted, of_error
from lockstep.report.ci.problems import Gap, Problem, Problems, Unknown, place_of_function
from lockstep.report.counterexample import claim, since_text
from lockstep.report.view import View
from lockstep.requests.prove import ProveRequest
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.itf import Saved
from lockstep.trace.render import render_binding, render_trace
from lockstep.verbs.ask import Asked, Compared, Searched
from lockstep.verbs.prove import ProveRun, Result
from lockstep.verbs.prove_kept import proof_answer
from lockstep.verbs.prove_result import Proved, Unproved
from lockstep.words import plural, shown_path
from lockstep.workspace import option_for


class ProveView(View[Result, ProveRun]):
    """The proofs of a request, in the workspace at `root`.

    With `examples`, what is not proved is shown with states from which it is not kept.
    """

    title = "lockstep prove"

    def __init__(
        self, root: Path, request: ProveRequest = ProveRequest(), *, examples: bool = False
    ) -> None:
        self._root = root
        self._request = request
        self._examples = examples

    def result(self, result: Result) -> Iterator[Block]:
        verdict = str(result.verdict)
        if isinstance(result, Unproved):
            error = Paragraph(str(result.error))
            yield Section(text=f"{result}: {verdict}", style=verdict, blocks=(error,))
            return
        title = f"{result.subject}: {verdict}, {result.seconds:.1f} s{since_text(result.since)}"
        yield Section(text=title, style=verdict, blocks=tuple(_proved(result, self._examples)))

    def closing(self, run: ProveRun) -> Iterator[Block]:
        results = [result for result in run.results if isinstance(result, Proved)]
        seconds = sum(result.seconds for result in results)
        kept = sum(result.since is not None for result in results)
        if results:
            yield Paragraph(f"{self.summary(run)}, {seconds:.1f} s", "bold")
        if kept:
            count = f"{kept} of {plural(len(results), 'proof')}"
            yield Paragraph(f"{count} kept (--no-cache proves them again)", "dim")
        if run.pending:
            yield Paragraph(f"not asked about: {', '.join(map(str, run.pending))}", "inconclusive")
        for result in results:
            if result.exit_code:
                yield Paragraph(result.again, label="reproduce with")

    def summary(self, run: ProveRun) -> str:
        proofs = [
            proof
            for result in run.results
            if isinstance(result, Proved)
            for proof in result.induction.proofs
        ]
        return f"{sum(proof.proved for proof in proofs)} of {len(proofs)} properties proved"

    def problems(self, run: ProveRun) -> Problems:
        texts = RequirementTexts(self._root)
        results = (_of_result(result, texts) for result in run.results)
        pending = (interrupted(str(task)) for task in run.pending)
        return Problems.of("prove", run.exit_code, [*chain.from_iterable(results), *pending])

    def document(self, run: ProveRun) -> Mapping[str, object]:
        rows = [proof_answer(result, self._request) for result in run.results]
        proved = [result for result in run.results if isinstance(result, Proved)]
        proofs = [proof for result in proved for proof in result.induction.proofs]
        return json_document(
            rows,
            {
                "proofs": len(rows),
                **verdicts(rows),
                "properties": len(proofs),
                "proved": sum(proof.proved for proof in proofs),
                "seconds": round(sum(one.seconds for one in proved), 3),
                "not_asked": [str(task) for task in run.pending],
                "exit_code": run.exit_code,
            },
        )


def _proved(proved: Proved, examples: bool) -> Iterator[Block]:
    induction, name = proved.induction, proved.subject.proof.name
    if proved.enough is not None:
        yield from _enough(proved.enough)
    width = max(len(proof.name) for proof in induction.proofs)
    for proof in induction.proofs:
        yield from _proof(proved, proof, width, examples)
    for inferred in induction.inferred:
        yield Paragraph(f"inferred: {inferred}", "dim")
    if proved.unasked:
        yield Paragraph(f"not asked, being no invariants: {', '.join(proved.unasked)}", "dim")
    yield from _because(proved)
    yield from _silences(proved)
    for excused in proved.needless:
        yield Paragraph(f"{excused} is proved: take it out of [proofs.{name}.bounded]", "violated")
    yield from _violation(proved, RequirementTexts(proved.model.universe.root))
    if proved.questions is not None:
        yield _written(proved.questions, plural(len(induction.obligations), "question"))
    if proved.not_kept is not None:
        yield Paragraph(f"not kept for the next run: {proved.not_kept}", "dim")


def _proof(proved: Proved, proof: Proof, width: int, examples: bool) -> Iterator[Block]:
    name = f"{proof.name:<{width}}"
    if proof.proved:
        text = f"{name}  proved, {proved.induction.k}-induction, {proof.seconds:.2f} s"
        yield Paragraph(text, "holds")
        return
    if proved.violation is not None and proof.name in proved.violation.properties:
        steps = plural(len(proved.violation.trace.steps), "step")
        yield Paragraph(f"{name}  violated after {steps}", "violated")
        return
    excuse, covered = proved.excuses.get(proof.name), _covered(proved, proof.name)
    holds = "" if covered is None else f"; holds up to {plural(covered, 'step')}"
    text = f"{name}  not proved ({proof.because}){holds}"
    yield Paragraph(text, "dim" if excuse else "inconclusive")
    if excuse:
        yield Paragraph(f"{'':<{width}}  {excuse}", "dim")
    if examples and proof.example is not None:
        lines = Lines(tuple(render_trace(proved.model, proof.example)))
        yield Section(text="from a state that a lemma would have to exclude:", blocks=(lines,))


def _enough(enough: Enough) -> Iterator[Block]:
    """Why a proof with a few names is one for any number of them."""
    few = f"1 to {enough.names}" if enough.names > 1 else "1"
    yield Paragraph(
        f"for any number of {enough.constant}: proved with {few}, and no more than "
        f"{enough.names} matter at once",
        "dim",
    )
    if enough.unread:
        names = ", ".join(enough.unread)
        yield Paragraph(f"not asked about, being read by nothing else: {names}", "dim")


def _because(proved: Proved) -> Iterator[Block]:
    """Why the search for violations came to no end, if it did not."""
    bounded = proved.bounded
    if bounded is None or not bounded.because:
        return
    if bounded.error is None or bounded.meaningless is None:
        yield Paragraph(f"because  {bounded.because}", "inconclusive")
        return
    yield Paragraph(str(bounded.error), "error")
    yield Lines(tuple(render_trace(proved.model, bounded.meaningless)), "The behaviour")


def _silences(proved: Proved) -> Iterator[Block]:
    for name, what in proved.silent.items():
        excuse = proved.excused_silences.get(name)
        text = f"{name}: {what}"
        yield Paragraph(
            f"{text}: {excuse}" if excuse else text, "dim" if excuse else "inconclusive"
        )
    proof = proved.subject.proof.name
    for name in proved.outspoken:
        yield Paragraph(f"{name} is not silent: take it out of [proofs.{proof}]", "violated")


def _violation(proved: Proved, texts: RequirementTexts) -> Iterator[Block]:
    if proved.violation is None:
        return
    fault, file = proved.subject.request.fault, proved.counterexample.file
    name = proved.violation.properties[0]
    says = claim(proved.model, name, proved.violation, texts)
    lines = Lines(tuple(render_trace(proved.model, proved.violation, fault)), "The behaviour")
    title = f"{proved.model.name}.{name}"
    yield Section("violated", title, "violated", (*says, lines), apart=True)
    yield _written(proved.counterexample, "the behaviour")
    if file is not None:
        root = proved.model.universe.root
        yield Paragraph(f"see it with  lockstep replay {shown_path(file)}{option_for(root)}")


def _written(written: Saved, what: str) -> Paragraph:
    if written.file is not None:
        return Paragraph(f"{what} written to {shown_path(written.file)}", "dim")
    return Paragraph(f"{what} not written: {written.why_not}", "inconclusive")


def _covered(proved: Proved, name: str) -> int | None:
    """Up to how many steps a property holds that is not proved; None if nobody looked."""
    if proved.bounded is None or (proved.enough is not None and name in proved.enough.left_out):
        return None
    return proved.bounded.covered if name in (*proved.searched, MEANING) else None


def _of_result(result: Result, texts: RequirementTexts) -> Iterator[Problem | Gap]:
    if isinstance(result, Unproved):
        return of_error(str(result), result.error)
    subject = result.subject
    kind = "scope" if subject.scope is not None else "proof"
    fault, constants = subject.request.fault, subject.request.constants
    identity = (
        f"{kind} {subject.scope or subject.proof.name}",
        *filter(None, [fault]),
        *(f"{name}={value}" for name, value in sorted(constants.items())),
    )
    changed = "" if fault is None else f" with {described_faults(fault)}"
    where = f"in the {identity[0]}{changed}"
    explored = Explored(result.model, where, identity, result.again, texts, fault)
    return chain(_problems(explored, result), _gaps(explored, result))


def _problems(explored: Explored, proved: Proved) -> Iterator[Problem]:
    bounded = proved.bounded
    if bounded is not None and bounded.error is not None:
        yield explored.without_meaning(bounded.error, bounded.meaningless)
    if proved.violation is not None:
        yield from explored.violated(proved.violation)


def _gaps(explored: Explored, proved: Proved) -> Iterator[Gap]:
    model, name = proved.model, proved.model.name
    if proved.interrupted:
        yield interrupted(str(proved.subject))
    elif proved.verdict is Verdict.INCONCLUSIVE:
        yield explored.inconclusive(proved.because)
    broken = () if proved.violation is None else proved.violation.properties
    for proof in proved.open_proofs:
        if proof.name not in broken:
            text = f"{name}: not proved: {proof.name}"
            yield explored.gap(Unknown.NOT_PROVED, text, explored.place(proof.name))
    actions = {action.name: action for action in model.actions}
    for silent, what in proved.silent.items():
        if silent in proved.excused_silences:
            continue
        if silent in actions:
            place = place_of_function(model.universe, actions[silent].function)
            yield explored.gap(Unknown.IDLE, f"{name}.{silent}: {what}", place)
        else:
            place = explored.place(silent)
            yield explored.gap(Unknown.VACUOUS, f"{name}.{silent}: {what}", place)


def asked_blocks(asked: Asked) -> Iterator[Block]:
    """What came of a question."""
    return _comparison(asked) if isinstance(asked, Compared) else _search(asked)


def _search(searched: Searched) -> Iterator[Block]:
    """The behaviour and where it was saved, or that there is none."""
    where, asked = str(searched.subject), searched.asked
    trace, verdict = searched.trace, str(searched.verdict)
    if asked.start is not None:
        where += f", from any state in which {asked.start} and all invariants hold"
    if trace is None:
        nothing = "nothing is broken" if asked.find is None else "not found"
        error = searched.result.error
        why = () if error is None else (Paragraph(str(error), verdict),)
        yield Section(text=f"{where}: {nothing}: {searched.because}", style=verdict, blocks=why)
        return
    end = f"{searched.violated[0]} violated" if searched.violated else "found"
    steps = plural(len(trace.steps), "step")
    violation = searched.result.violation if asked.find is None else None
    lines = render_trace(searched.model, violation or trace, searched.subject.request.fault)
    yield Section(
        text=f"{where}: {end} after {steps}, {searched.result.seconds:.1f} s",
        style=verdict,
        blocks=(Lines(tuple(lines), "The behaviour"), *_saved(searched)),
    )


def _saved(searched: Searched) -> Iterator[Paragraph]:
    if searched.written.file is not None:
        file = shown_path(searched.written.file)
        workspace = option_for(searched.model.universe.root)
        yield Paragraph(f"saved to {file}: see it with  lockstep replay {file}{workspace}")
    else:
        yield Paragraph(f"not saved: {searched.written.why_not}")


def _comparison(compared: Compared) -> Iterator[Block]:
    """That two actions do the same, or a state in which they differ."""
    where, actions = str(compared.subject), " and ".join(compared.actions)
    contrast, model = compared.contrast, compared.model
    if contrast is None:
        yield Paragraph(f"{where}: {actions} do the same in every state", "holds")
        return
    parameters = model.action(compared.actions[0]).parameters
    binding = render_binding(parameters, contrast.parameters) or "no parameters"
    yield Section(
        text=f"{where}: {actions} differ, with {binding}, in",
        style="violated",
        blocks=(
            Lines(tuple(render_trace(model, Trace(contrast.before, ())))),
            *(
                Section(text=f"{action}:", style="bold", blocks=tuple(map(Paragraph, lines)))
                for action, lines in compared.effects.items()
            ),
        ),
    )
