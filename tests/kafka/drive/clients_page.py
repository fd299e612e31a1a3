"""Writes the tables of `docs/clients.md`: `python -m tests.kafka.drive.clients_page CLIENT...`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import groupby
from multiprocessing import get_context

from lockstep.errors import LockstepError
from lockstep.plain.exploration import Walks
from lockstep_kafka.drive.clients import CLIENTS, client_of
from lockstep_kafka.rules import Rule, SideName, Verdict
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import loader, requirement_texts
from tests.kafka.drive.exercises import ROOT
from tests.kafka.drive.judged_client import Judged, judged_client

PAGE = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"
ANSWERS = {
    "serve_full_creating": "a full response that opens a session",
    "serve_full_without_session": "a full response without a session",
    "serve_sessionless": "the response to a request that wants no session",
    "serve_incremental": "an incremental response",
    "serve_incremental_throttled": "an empty response, for it is throttled",
    "serve_incremental_emptying": "id 0, for the session is empty",
    "serve_unknown_session": "FETCH_SESSION_ID_NOT_FOUND",
    "serve_wrong_epoch": "INVALID_FETCH_SESSION_EPOCH",
    "serve_topic_id_error": "FETCH_SESSION_TOPIC_ID_ERROR",
    "disconnect": "no answer: the connection is cut",
    "restart_fetcher": "no answer: the client starts again",
}
WRONG = (
    "throttled_response_without_session",
    "answers_everything",
    "tells_more_than_was_asked",
    "full_responses_invent_records",
    "epoch_not_advanced",
    "expects_the_epoch_after",
    "new_session_expects_epoch_two",
    "session_found_only_once",
)
"""Faults of `models/faults/fetch_session.py` that a client sees in the leader's answers."""

STEPS, STEPS_WITH_FAULT = 120, 60
"""Of each behaviour; the leader's and the network's count, too."""
RUNS = (1, True, False), (2, True, False), (3, False, False), (4, True, True)
"""The seed of each behaviour, whether sessions live in it, and whether topics have ids."""


class Column:
    """All that came of one client; `missing` says why it cannot be had.

    `LockstepError` for a mistake of its driver.
    """

    def __init__(self, name: str, *, is_short: bool = False) -> None:
        self.name, self.missing = name, ""
        self.right: list[Judged] = []
        self.wrong: dict[str, Judged] = {}
        try:
            client = client_of(f":{name}")
        except LockstepError as error:
            self.missing = " ".join(str(error).split())
            return
        explanations = Explanations(loader(ROOT))
        steps = STEPS_WITH_FAULT if is_short else STEPS
        # Each behaviour is a run: after a departure the next one goes on.
        for seed, is_calm, topic_ids in RUNS[: 1 if is_short else None]:
            run = judged_client(
                client,
                explanations,
                Walks(1, steps, seed),
                constants={"TOPIC_IDS": topic_ids},
                is_calm=is_calm,
            )
            self.right.append(run)
        self.name = self.right[0].client
        if self._keeps_sessions and not self.departs:
            for fault in WRONG[: 1 if is_short else None]:
                walks = Walks(1, STEPS_WITH_FAULT, 2)
                self.wrong[fault] = judged_client(client, explanations, walks, fault)

    @property
    def departs(self) -> bool:
        """Whether it departs with right answers."""
        return any(one.departs for one in self.right)

    @property
    def requests(self) -> int:
        """How many requests the model explains, with right answers."""
        return sum(one.requests for one in self.right)

    @property
    def _keeps_sessions(self) -> bool:
        return any(one.heads["send_incremental"] for one in self.right)

    @property
    def sessions(self) -> str:
        """Whether it keeps any, by what it sent."""
        if self.missing:
            return "not driven"
        if self._keeps_sessions:
            return "yes"
        without = sum(one.heads["send_sessionless"] for one in self.right)
        sent = self.requests
        return f"{'no' if without == sent else 'asks'}: {without} of {sent} are (0, -1)"

    @property
    def step(self) -> str:
        """Whether it is in step with the model, with right answers."""
        return "not driven" if self.missing else came_of(self.right)

    @property
    def _runs(self) -> Sequence[Judged]:
        return [*self.right, *self.wrong.values()]

    def requirement(self, row: str) -> str:
        """How many requests were judged, or how many depart, by the follower of logs."""
        if self.missing:
            return "not driven"
        departures = sum(one.remarks[row] for one in self._runs)
        judged = sum(one.judged for one in self._runs)
        return f"**{departures:,}** of {judged:,}" if departures else f"{judged:,}"

    def answer(self, action: str) -> str:
        """How many requests came after such an answer."""
        if self.missing:
            return "not driven"
        return f"{sum(one.after[action] for one in self.right):,}"

    def fault(self, name: str) -> str:
        """Whether it was in step with a wrong leader."""
        if name not in self.wrong:
            return "not driven"
        return came_of([self.wrong[name]])


def came_of(runs: Sequence[Judged]) -> str:
    """How many requests the model explains, and why behaviours ended before their last step."""
    ends = Counter(
        end
        for one in runs
        for end in (
            one.departs and "**departs**",
            one.not_judged and f"not judged: {one.not_judged}",
            one.inconclusive and f"inconclusive: {one.inconclusive}",
        )
        if end
    )
    behaviours = f" ({{}} of {len(runs)} behaviours)" if len(runs) > 1 else ""
    said = [f"{end}{behaviours.format(many)}" for end, many in ends.items()]
    return "; ".join([f"{sum(one.requests for one in runs):,} requests", *said])


def requirements() -> Sequence[str]:
    """Those of KIP-227 that rules of the client's side state."""
    rows = {
        row
        for rule in Rule
        if rule.side is SideName.CLIENT and rule.verdict is Verdict.DEPARTS
        for row in rule.requirements
        if row.startswith("227-")
    }
    return sorted(rows, key=lambda row: int(row.split("-")[1]))


def tables(columns: Sequence[Column]) -> str:
    """The tables, as Markdown."""
    texts = requirement_texts(ROOT)

    def table(head: str, rows: Iterable[tuple[str, Callable[[Column], str]]]) -> str:
        lines = [f"| {head} | {' | '.join(one.name for one in columns)} |"]
        lines.append("|---" * (len(columns) + 1) + "|")
        lines += [
            f"| {name} | {' | '.join(_in_table(cell(one)) for one in columns)} |"
            for name, cell in rows
        ]
        return "\n".join(lines)

    def cells(method: Callable[[Column, str], str], row: str) -> Callable[[Column], str]:
        return lambda column: method(column, row)

    parts = [
        table(
            "",
            [
                ("keeps fetch sessions", lambda one: one.sessions),
                ("in step with the model", lambda one: one.step),
            ],
        ),
        "## Requirements\n\nRequests judged by the follower of logs; those that depart in bold.",
        table(
            "requirement",
            [
                (f"{row}: {texts[row].rstrip('.')}", cells(Column.requirement, row))
                for row in requirements()
            ],
        ),
        "## Answers\n\nRequests that came next and that the model allows.",
        table("answer", [(text, cells(Column.answer, one)) for one, text in ANSWERS.items()]),
        "## Wrong answers\n\nThe leader has a fault; the model's fetcher judges all the same.",
        table("fault", [(f"`{one}`", cells(Column.fault, one)) for one in WRONG]),
        *(f"Not driven: {one.name}. {one.missing}" for one in columns if one.missing),
    ]
    departed = [
        (f"{judged.client}, {what}", judged.departs)
        for one in columns
        for what, judged in (*(("right answers", run) for run in one.right), *one.wrong.items())
        if judged.departs
    ]
    said = {text: [who for who, _ in group] for text, group in groupby(departed, lambda x: x[1])}
    parts += [f"- {'; '.join(dict.fromkeys(who))}: {text}" for text, who in said.items()]
    return "\n\n".join(parts)


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Drive the clients that are named, or all, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clients", nargs="*", default=list(CLIENTS))
    parser.add_argument("--short", action="store_true", help="few steps; the page stays as it is")
    options = parser.parse_args()
    columns = []
    # A Java virtual machine holds one release, and clients need not wait for one another.
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        for one in pool.map(partial(Column, is_short=options.short), options.clients):
            columns.append(one)
            print(one.name, one.sessions, one.step, one.missing, flush=True)
    text = tables(columns)
    if options.short:
        print(text)
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
