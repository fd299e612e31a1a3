"""`prove`: asks Z3 what holds at the real widths, for behaviours of any length."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from lockstep.errors import LockstepError
from lockstep.requests.option import choose, refuse_unread
from lockstep.requests.prove import ProveRequest
from lockstep.requests.run import Run, Watch, run_each
from lockstep.requests.version import refuse_several
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.verdict import Verdict
from lockstep.system.crash import failure_of
from lockstep.verbs.prove_kept import Reason, find_proof, keep_proof, keep_trace, write_questions
from lockstep.verbs.prove_result import Proved, Subject, Unproved, is_lemma, load_subjects
from lockstep.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.any_number import Enough
    from lockstep.prove.bounded import BoundedResult
    from lockstep.prove.proofs import Induction

Task: TypeAlias = Subject | Unproved
"""What is to be proved, or why it cannot be."""

Result: TypeAlias = Proved | Unproved

OnStep: TypeAlias = Callable[[str], None]
"""Is given the name of each step of a proof."""

__all__ = ["ProveRequest", "ProveRun", "Proved", "Result", "Unproved", "prove"]


@dataclass(frozen=True)
class ProveRun(Run[Task, Result], ShownInNotebooks):
    """A `Proved` or an `Unproved` of each proof."""


def prove(
    request: ProveRequest = ProveRequest(),
    *,
    on_result: Callable[[Result], None] = lambda _: None,
    watch: Watch = Watch(),
) -> ProveRun:
    """Prove what the request names, one proof after the other, and tell `on_result` of each.

    Errors of one proof are in its result. LockstepError where there is nothing to prove at all.
    Ctrl-C ends the run; what is proved until then is in it.
    """
    from lockstep.prove.solver import ctrl_c_ends_a_question

    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    if not request.models:
        refuse_unread(workspace)
    refuse_several(names, request)

    def work(task: Task) -> Result:
        if isinstance(task, Unproved):
            return task
        with watch.steps(str(task)) as on_step:
            try:
                return _prove(task, on_step)
            except Exception as error:
                return Unproved(task.name, task.proof.name, failure_of(error, workspace))

    with ctrl_c_ends_a_question():
        run = run_each(_tasks(workspace, request, names), work, on_result)
    return ProveRun(run.results, run.pending)


def _tasks(workspace: Workspace, request: ProveRequest, names: Sequence[str]) -> list[Task]:
    """What is to be proved; unless models are named, of those only that have proofs."""
    tasks = list[Task]()
    for name in names:
        try:
            subjects = load_subjects(workspace, name, request, with_proofs_only=not request.models)
            if subjects:
                _refuse_unknown_names(subjects[0])
            tasks += subjects
        except Exception as error:
            proof = request.proof or request.scope or ""
            tasks.append(Unproved(name, proof, failure_of(error, workspace)))
    if not tasks:
        raise LockstepError(
            "no model here has a proof", cure="write [proofs.NAME] in specs/MODEL.toml, or name one"
        )
    return tasks


def _refuse_unknown_names(subject: Subject) -> None:
    """Refuse a fault or a constant that the model does not have, once for all of its proofs."""
    from lockstep.prove.any_number import names_for

    request = subject.request
    if request.constants or request.fault or request.any_number:
        model = subject.load(lemmas=False)
        if request.any_number is not None:
            names_for(request.any_number, model)


def _prove(subject: Subject, on_step: OnStep) -> Proved:
    _refuse_contradictions(subject)
    model = subject.load()
    _refuse_unknown_excuses(subject, model)
    proved = find_proof(subject, model)
    if proved is None:
        proved = _decide(subject, model, on_step)
        keep_proof(proved, model)
    return proved


def _decide(subject: Subject, model: Model, on_step: OnStep) -> Proved:
    started, request = time.perf_counter(), subject.request
    enough: Enough | None = None
    constant = request.any_number or subject.proof.any_number
    if constant is None:
        induction = _induction(model, subject, on_step)
    else:
        model, induction, enough = _for_any(constant, subject, on_step)
    proved = Proved(subject, model, induction, enough=enough)
    if not induction.interrupted:
        proved.bounded, proved.searched = _search(proved, on_step)
    if proved.violation is not None:
        reason = Reason(violation=proved.violation)
        proved.counterexample = keep_trace(subject, model, proved.violation.trace, reason)
    if request.smt is not None:
        folder = request.smt / f"{subject.name}-{subject.proof.name}"
        proved.questions = write_questions(folder, induction.obligations)
    proved.seconds = time.perf_counter() - started
    return proved


def _refuse_contradictions(subject: Subject) -> None:
    """Refuse what does not go together in a proof."""
    proof, request = subject.proof, subject.request
    cure = f"mend k in [proofs.{proof.name}] of {subject.spec.file}"
    if proof.k < 1:
        raise LockstepError(f"an induction takes one step or more, not {proof.k}", cure=cure)
    if request.any_number is None and proof.any_number is None:
        return
    if (request.k or proof.k) > 1:
        raise LockstepError(
            "a proof for any number of names takes one step at a time",
            cure="leave out --k" if request.k else cure,
        )
    if request.infer:
        raise LockstepError(
            "--infer does not go with a proof for any number of names",
            cure="infer with the names listed, and write down what helps as a @lemma",
        )


def _refuse_unknown_excuses(subject: Subject, model: Model) -> None:
    names = {prop.name for prop in model.properties}
    for name in subject.proof.bounded:
        if name not in names:
            raise LockstepError(
                f"{subject.name} has no property {name!r}",
                cure=f"mend [proofs.{subject.proof.name}.bounded] in {subject.spec.file}",
            )


def _induction(model: Model, subject: Subject, on_step: OnStep) -> Induction:
    from lockstep.prove.induction import prove as prove_by_induction
    from lockstep.prove.proofs import comparisons
    from lockstep.prove.relation import Relation

    relation, request = Relation(model), subject.request
    return prove_by_induction(
        relation,
        k=request.k or subject.proof.k,
        inferred=comparisons(relation) if request.infer else (),
        max_seconds=request.max_seconds,
        on_progress=on_step,
    )


def _for_any(constant: str, subject: Subject, on_step: OnStep) -> tuple[Model, Induction, Enough]:
    """A proof for any number of names, and the model with as many of them as are enough."""
    from lockstep.prove.any_number import names_for, prove_for_any

    names = names_for(constant, subject.load())
    induction, enough = prove_for_any(
        lambda some: subject.load({constant: some}),
        constant,
        names,
        max_seconds=subject.request.max_seconds,
        on_progress=on_step,
    )
    return subject.load({constant: names(enough.names)}), induction, enough


def _search(proved: Proved, on_step: OnStep) -> tuple[BoundedResult | None, tuple[str, ...]]:
    """Look for what breaks a property that is not proved; the properties that were looked at.

    A lemma is looked at last: what breaks one may break what it is a help for, a step later.
    """
    from lockstep.prove.bounded import check_bounded
    from lockstep.prove.relation import Relation

    model, enough, request = proved.model, proved.enough, proved.subject.request
    lemmas = {prop.name for prop in model.properties if is_lemma(model, prop.name)}
    stated = replace(
        model, properties=tuple(prop for prop in model.properties if prop.name not in lemmas)
    )
    left_out = enough.left_out if enough is not None else {}
    missing = {
        proof.name
        for proof in proved.induction.proofs
        if not proof.proved and proof.name not in left_out
    }
    bounded, searched = None, stated
    depth = proved.subject.proof.depth if request.depth is None else request.depth
    for candidate, is_wanted in (
        (stated, bool(missing - lemmas)),
        (model, bool(missing & lemmas)),
    ):
        if is_wanted and (bounded is None or bounded.verdict is Verdict.HOLDS):
            searched = candidate
            bounded = check_bounded(
                Relation(candidate),
                depth,
                max_seconds=request.max_seconds,
                on_depth=lambda steps, _: on_step(f"{steps} steps"),
            )
    return bounded, tuple(prop.name for prop in searched.properties)
