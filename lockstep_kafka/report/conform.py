"""How `conform` is shown: departures with their reasons, what is not known, totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.words import plural, printable
from lockstep_kafka.files.layouts import LAYOUTS, PLAIN
from lockstep_kafka.files.lines import Reason
from lockstep_kafka.files.log_files import moment_of
from lockstep_kafka.files.physical_lines import STANDARD_INPUT
from lockstep_kafka.findings import (
    UNORDERED,
    Candidate,
    NodeFinding,
    Place,
    Remark,
    RemarkFinding,
    SessionFinding,
    ShownLine,
    Side,
    Verdict,
)
from lockstep_kafka.totals import Cause, ConformTotals, Firsts, reason_of
from lockstep_kafka.verbs.conform import ConformResult

_SESSIONS = Table(
    ("from", "session", "client id", "lines", "in part", "client", "broker"),
    numbers=("lines", "in part"),
)

SHOWN = 20
"""The most causes of departures, and the most files and reasons, that are printed if not all."""

_STYLES = {
    Verdict.CONFORMS: "holds",
    Verdict.UNKNOWN: "inconclusive",
    Verdict.DEPARTS: "violated",
}


def conform_blocks(
    result: ConformResult, *, verbose: bool, rest: str = "--verbose prints all"
) -> Iterator[Block]:
    """What departs, cause by cause, why the rest is not known, and the totals.

    With `verbose` all of it: each session, each side that departs or is unknown, with what the
    model could have done, and each line that was not followed. `rest` says where all is that is
    not shown.
    """
    totals = result.totals
    if verbose and result.sessions:
        yield _SESSIONS.of(*map(_row, result.sessions)).fitted()
    for cause in totals.causes[: None if verbose else SHOWN]:
        yield from _cause(cause, result.requirements)
    if any(cause.first.remark.at.file == STANDARD_INPUT for cause in totals.causes):
        text = "standard input cannot be read again: the lines that come before these are not shown"
        yield shown_line(text, "dim")
    if not verbose:
        yield from _reasons(totals, rest)
    else:
        for session in (*totals.departing.items, *totals.sessions[Verdict.UNKNOWN].items):
            yield from _sides(session)
        for line in totals.lines.items:
            reason = _reason(line.reason, line.is_loss)
            yield shown_line(f"{line.at}: {reason}: {line.detail}", "dim")
    for node in totals.nodes:
        yield from _node(node, result.requirements)
    for file in totals.files:
        text = f"{file.file}: not read, or not to its end: {file.because}"
        yield shown_line(text, "inconclusive")
    yield from _layouts(totals, None if verbose else SHOWN, rest)
    yield from map(shown_line, _sums(totals))
    if totals.lost:
        lines = plural(totals.lost, "line")
        text = f"no verdict is on {lines} that may be requests of the protocol"
        yield shown_line(text, "inconclusive")
    if totals.is_mostly_late:
        share = f"{100 * totals.late / (totals.late + totals.followed):.0f} %"
        text = f"{share} of the requests are late: the log is not in the order of its writing"
        yield shown_line(text, "inconclusive")
    if verbose and totals.in_columns:
        text = f"  {plural(totals.in_columns, 'request')} of them in columns, the others one by one"
        yield shown_line(text, "dim")
    if result.is_interrupted and result.is_all_read:
        yield shown_line("ended as asked: all that was written until then is above", "dim")
    elif result.is_interrupted:
        yield shown_line("interrupted: what is above is not all", "inconclusive")


def _node(node: NodeFinding, texts: Mapping[str, str]) -> Iterator[Paragraph]:
    """What was read of a node, and why its files depart."""
    state = "no state of a quorum" if node.epoch is None else f"epoch {node.epoch}"
    log = "no log" if node.log is None else f"a log from {node.log[0]:,} to {node.log[1]:,}"
    text = f"{node.directory}: {state}, {plural(node.snapshots, 'snapshot')}, {log}: {node.verdict}"
    yield shown_line(text, _STYLES[node.verdict])
    if node.torn:
        text = (
            f"the log ends with {plural(node.torn, 'byte')} of a batch that is not whole: not read"
        )
        yield shown_line(f"{node.directory}: {text}", "dim")
    for remark in node.departures:
        who = f"the node departs ({remark.rule.id})"
        yield shown_line(f"{remark.file}: {who}, because {remark.because}", "violated")
        for line in _requirements(remark.requirements, texts):
            yield shown_line(f"  {line}")


def _requirements(ids: Sequence[str], texts: Mapping[str, str]) -> Iterator[str]:
    for requirement in ids:
        text = texts.get(requirement)
        yield f"requirement {requirement}" + (f": {text}" if text else "")


def _row(session: SessionFinding) -> Row:
    cells = (
        str(session.first),
        str(session.session or "none"),
        _escaped(session.client),
        f"{session.lines:,}",
        f"{session.partial:,}",
        session.client_side.verdict,
        session.broker_side.verdict,
    )
    return Row(cells)


def remark_line(finding: RemarkFinding) -> Paragraph:
    """A remark as it comes: its line, abridged, who departs or is unknown, and why."""
    remark, at = finding.remark, finding.remark.at
    moment = moment_of(finding.time_ms)
    time = "" if moment is None else f"{_time(moment)} "
    says = "departs" if remark.verdict is Verdict.DEPARTS else "is unknown"
    who = f"the {finding.side} {says} ({remark.rule.id})"
    because = _within(remark.because, at.file)
    text = f"{at}: {time}{finding.abridged}: {who}: {because}"
    return shown_line(text, _STYLES[remark.verdict])


def _cause(cause: Cause, texts: Mapping[str, str]) -> Iterator[Paragraph]:
    """A cause: who departs and how often, the lines that show it first, the sentence, the rules."""
    finding = cause.first
    remark, at = finding.remark, finding.remark.at
    often = f"{plural(cause.sessions, 'session')}, {plural(cause.places.count, 'line')}"
    head = f"{at}: the {finding.side} departs ({remark.rule.id}): {often}"
    yield shown_line(f"{head}, {cause.who}{_span(cause)}", _STYLES[Verdict.DEPARTS])
    moment = moment_of(finding.time_ms)
    for line in cause.shown or (ShownLine(at, moment, finding.abridged),):
        time = "" if line.time is None else f"{_time(line.time)} "
        yield shown_line(f"  {_within(str(line.at), at.file)}: {time}{line.text}")
    because = _within(remark.because, at.file)
    yield shown_line(f"  {_named(finding.session, finding.client)}: {because}")
    for text in _requirements(remark.requirements, texts):
        yield shown_line(f"  {text}")
    if more := [place for place in cause.places.items if place != at]:
        places = ", ".join(_within(str(place), at.file) for place in more)
        dots = ", ..." if cause.places.more else ""
        yield shown_line(f"  also at {places}{dots}")


def _span(cause: Cause) -> str:
    """From when to when a cause was seen."""
    first, last = moment_of(cause.first_ms), moment_of(cause.last_ms)
    if first is None or last is None:
        return ""
    shown = f", {first.date()} {_time(first)}"
    if first == last:
        return shown
    day = "" if first.date() == last.date() else f"{last.date()} "
    return f"{shown} to {day}{_time(last)}"


def _time(moment: datetime) -> str:
    return moment.time().isoformat("milliseconds")


def _sides(session: SessionFinding) -> Iterator[Paragraph]:
    """Why each side of a session does not conform, what departs first."""
    sides = {"client": session.client_side, "broker": session.broker_side}
    for verdict in (Verdict.DEPARTS, Verdict.UNKNOWN):
        for name, side in sides.items():
            if side.verdict is verdict:
                says = "departs" if verdict is Verdict.DEPARTS else "is unknown"
                remark = reason_of(side, session)
                who = _named(session.session, session.client)
                because = _within(remark.because, remark.at.file)
                line = f"{remark.at}: {who}: the {name} {says} ({remark.rule.id}), because "
                yield shown_line(line + because, _STYLES[verdict])
                for text in _details(remark, side):
                    yield shown_line(f"  {text}")


def _within(because: str, file: str) -> str:
    """A reason in which places of the file that was just named are lines."""
    return because.replace(f"{file}:", "line ")


def _named(session: int, client: str) -> str:
    client = _escaped(client) or "a client without a name"
    return f"session {session} of {client}" if session else f"{client}, no session"


def _details(remark: Remark, side: Side) -> Iterator[str]:
    """What could have been instead of a departure, and how often the side departs."""
    if texts_of_candidates := candidate_lines(remark.candidates):
        yield "in the states that the log leaves open,"
        yield from (f"  {text}" for text in texts_of_candidates)
    if side.departures > 1:
        text = f"it departs on {plural(side.departures - 1, 'more line')}"
        if side.more:
            places = [_within(str(place), remark.at.file) for place in side.more]
            more = ", ..." if side.departures - 1 > len(places) else ""
            text += f": {', '.join(places)}{more}"
        yield text


def candidate_lines(candidates: Sequence[Candidate]) -> list[str]:
    """What each action of the protocol would do; those of which the same is to be said, at once."""
    actions: dict[str, list[str]] = {}
    for candidate in candidates:
        names = actions.setdefault(_effect(candidate), [])
        if candidate.action not in names:
            names.append(candidate.action)
    return [f"{', '.join(names)} {effect}" for effect, names in actions.items()]


def _effect(candidate: Candidate) -> str:
    """Why an action cannot be taken, or what it does."""
    values = ", ".join(f"{name} = {value}" for name, value in candidate.values.items())
    seen = f" ({values})" if values else ""
    if candidate.outcome:
        return f"can be taken; then {candidate.outcome}{seen}"
    conjunct = " ".join(candidate.conjunct.split())
    return "cannot be taken" + (f": `{conjunct}` is false" if conjunct else "") + seen


def _reasons(totals: ConformTotals, rest: str) -> Iterator[Paragraph]:
    """How many more causes there are, and reason by reason what is not known."""
    if (hidden := len(totals.causes) - SHOWN) > 0:
        yield shown_line(f"{plural(hidden, 'more cause')} of departures; {rest}")
    for unknown in totals.unknown:
        because = ("the first because " if unknown.varies else "because ") + _within(
            unknown.because, unknown.places.items[0].file
        )
        sessions = plural(unknown.places.count, "session")
        side = f"{unknown.side} unknown ({unknown.rule.id})"
        text = f"{sessions} with {side}, {because}: {_listed(unknown.places)}"
        yield shown_line(text, "inconclusive")
    reasons = list(totals.reasons.items())
    for reason, numbers in reasons[:SHOWN]:
        if reason.reason == UNORDERED:
            first = f"line {numbers.items[0]} shows that first"
            text = f"{UNORDERED}: {first}, and from there on nothing rests on the places of lines"
            yield shown_line(f"{reason.file}: {text}", "inconclusive")
            continue
        shown = _reason(reason.reason, reason.is_loss)
        lines = plural(numbers.count, "line")
        text = f"{reason.file}: {lines} {shown}: {_listed(numbers)}"
        if reason.reason == Reason.MALFORMED.value:
            text += f"; the first one: {totals.details[reason]}"
        yield shown_line(text)
    if hidden := sum(numbers.count for _, numbers in reasons[SHOWN:]):
        yield shown_line(f"{plural(hidden, 'line')} not followed in more files; {rest}")


def _layouts(totals: ConformTotals, most: int | None, rest: str) -> Iterator[Paragraph]:
    """The layouts of files, and those files in which none is known, `most` of them."""
    files = totals.unknown_layouts[:most]
    for file in files:
        text = f"no line is of a known layout; the first one, line {file.line}: {file.text}"
        yield shown_line(f"{file.file}: {text}", "inconclusive")
    if hidden := len(totals.unknown_layouts) - len(files):
        yield shown_line(
            f"{plural(hidden, 'more file')} of no known layout; {rest}", "inconclusive"
        )
    if files:
        known = ", ".join(LAYOUTS[1:])
        text = f"  known are {PLAIN} with `Completed request:` and JSON, alone or within {known}"
        yield shown_line(text)
    for layout, count in totals.layouts.items():
        yield shown_line(f"{plural(count, 'file')} of {layout}")


def _listed(firsts: Firsts[Place] | Firsts[int]) -> str:
    return ", ".join(map(str, firsts.items)) + (", ..." if firsts.more else "")


def _reason(reason: str, is_loss: bool) -> str:
    return f"{reason} (requests may be lost)" if is_loss else reason


def _sums(totals: ConformTotals) -> Iterator[str]:
    if totals.nodes:
        counts = Counter(node.verdict for node in totals.nodes)
        yield f"{plural(len(totals.nodes), 'node')}: {_verdicts(counts)}"
        return
    count = sum(kept.count for kept in totals.sessions.values())
    yield f"{plural(count, 'session')}: " + _verdicts(
        {verdict: kept.count for verdict, kept in totals.sessions.items()}
    )
    yield f"  client: {_verdicts(totals.client)}"
    yield f"  broker: {_verdicts(totals.broker)}"
    lines = f"{plural(totals.read, 'line')}: {totals.followed:,} followed"
    if totals.partial:
        lines += f" ({totals.partial:,} of them judged in part)"
    lines += f", {totals.not_followed:,} not followed"
    if totals.other_requests:
        lines += f" ({totals.other_requests:,} of them other requests)"
    yield lines
    if not totals.followed:
        yield "nothing was followed, so that nothing is known"


def _verdicts(counts: Mapping[Verdict, int]) -> str:
    return (
        f"{counts.get(Verdict.CONFORMS, 0):,} conform, {counts.get(Verdict.DEPARTS, 0):,} depart, "
        f"{counts.get(Verdict.UNKNOWN, 0):,} unknown"
    )


def _escaped(text: str) -> str:
    """A text of a log, which may hold anything, on one line."""
    return repr(text)[1:-1]


def shown_line(text: str, style: str | None = None) -> Paragraph:
    """A line; what a log has in its names cannot move the cursor or break the line."""
    return Paragraph(printable(text), style)
