"""Writes the tables of `docs/clients.md`: `python -m tests.kafka.drive.clients_page CLIENT...`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from lockstep.errors import LockstepError
from lockstep_kafka.drive.clients import CLIENTS, client_of
from lockstep_kafka.drive.kafka_client import USERS
from lockstep_kafka.rules import Rule, SideName, Verdict
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import loader, requirement_texts
from tests.kafka.drive.behaviours import BEHAVIOURS
from tests.kafka.drive.exercises import ROOT
from tests.kafka.drive.judged_client import IN_STEP, NEVER, Judged, Way, judged_client

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
    "answers_more_than_was_asked",
    "full_responses_invent_records",
    "epoch_not_advanced",
    "expects_the_epoch_after",
    "new_session_expects_epoch_two",
    "session_found_only_once",
)
"""Faults of `models/faults/fetch_session.py` that a client sees in the leader's answers."""
ONLY_WITH_TOPIC_IDS = ("platformatic",)
"""Clients that ask for nothing from a leader whose topics have no ids."""
USERS_OF = {"sarama": ("idles", "pauses")}
"""Clients that end what they consume only once the request under way is answered: their users do
not seek, and change no assignment."""


class Column:
    """All that came of one client; `missing` says why it cannot be had.

    `LockstepError` for a mistake of its driver.
    """

    def __init__(self, name: str, *, is_short: bool = False) -> None:
        self.name, self.missing = name, ""
        self.right = Judged()
        self.wrong: dict[str, Judged] = {}
        try:
            client = client_of(f":{name}")
        except LockstepError as error:
            self.missing = " ".join(str(error).split())
            return
        self.name = f"{client.name} {client.version}"
        judge = partial(judged_client, client, Explanations(loader(ROOT)))
        for user in ["pauses"] if is_short else USERS_OF.get(name, tuple(USERS)):
            for topic_ids in (False, True):
                if topic_ids or name not in ONLY_WITH_TOPIC_IDS:
                    self.right += judge(Way(user, topic_ids))
        if self.keeps_sessions:
            for fault in WRONG[: 1 if is_short else None]:
                self.wrong[fault] = judge(Way("idles", name in ONLY_WITH_TOPIC_IDS, fault))

    @property
    def keeps_sessions(self) -> bool:
        """Whether it sent an incremental request."""
        return self.right.heads["send_incremental"] > 0

    @property
    def sessions(self) -> str:
        """Whether it keeps any, by what it sent."""
        if self.missing:
            return "not driven"
        if self.keeps_sessions:
            return "yes"
        without, sent = self.right.heads["send_sessionless"], self.right.requests
        return f"{'no' if without == sent else 'asks'}: {without} of {sent} are (0, -1)"

    @property
    def ends(self) -> Counter[str]:
        """How runs ended, with right answers, where what they are for came up."""
        return self.right.endings - Counter({NEVER: self.right.endings[NEVER]})

    def requirement(self, row: str) -> str:
        """How many requests were judged, or how many depart, by the follower of logs."""
        departures = self.right.remarks[row]
        judged = self.right.judged
        return f"**{departures:,}** of {judged:,}" if departures else f"{judged:,}"

    def behaviour(self, name: str) -> str:
        """How the runs of a behaviour ended."""
        return came_of(self.right.outcomes[name])

    def answer(self, action: str) -> str:
        """How many requests came after such an answer."""
        return f"{self.right.after[action]:,}"

    def fault(self, name: str) -> str:
        """How the runs of all behaviours ended with a wrong leader."""
        return came_of(self.wrong[name].endings) if name in self.wrong else "not driven"


def came_of(outcomes: Counter[str]) -> str:
    """How runs ended, and how many of each where they ended otherwise than in step."""
    if set(outcomes) == {IN_STEP}:
        return f"{outcomes[IN_STEP]}"
    said = [f"{end}: {many}" for end, many in sorted(outcomes.items()) if end != IN_STEP]
    return "; ".join([f"{outcomes[IN_STEP]}", *said])


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
    """The tables, as Markdown: of all clients, and of those that keep sessions."""
    texts = requirement_texts(ROOT)
    keeping = [one for one in columns if one.keeps_sessions]

    def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        return "\n".join(
            f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
            for row in (head, ["---"] * len(head), *rows)
        )

    def compared(
        head: str, rows: Iterable[tuple[str, str]], cell: Callable[[Column, str], str]
    ) -> str:
        of_each = ([name, *(cell(one, row) for one in keeping)] for name, row in rows)
        return table([head, *(one.name for one in keeping)], of_each)

    parts = [
        table(
            ["client", "keeps fetch sessions", "requests that the model explains", "runs in step"],
            (
                [one.name, one.sessions, f"{one.right.requests:,}", came_of(one.ends)]
                for one in columns
                if not one.missing
            ),
        ),
        "What follows is of those that keep sessions.",
        "## Requirements\n\nRequests judged by the follower of logs; those that depart in bold.",
        compared(
            "requirement",
            [(f"{row}: {texts[row].rstrip('.')}", row) for row in requirements()],
            Column.requirement,
        ),
        "## Behaviours\n\nRuns in step to their end, by what reaches the client; then those that "
        "ended otherwise.",
        compared("what reaches it", [(one, one) for one in BEHAVIOURS], Column.behaviour),
        "## Answers\n\nRequests that came next and that the model allows.",
        compared("answer", [(text, one) for one, text in ANSWERS.items()], Column.answer),
        "## Wrong answers\n\nThe leader has a fault; the model's fetcher judges all the same. Runs "
        "of all behaviours, as above.",
        compared("fault", [(f"`{one}`", one) for one in WRONG], Column.fault),
        *(f"Not driven: {one.name}. {one.missing}" for one in columns if one.missing),
        "## Departures\n\nThe shortest behaviour that was found to each, with right answers.",
        *(
            f"### {one.client}: {one.why}\n\n```mermaid\n{one.diagram}```\n\n"
            f'```python not-run="It needs the client."\n{one.test}```'
            for column in columns
            for one in column.right.found.values()
        ),
    ]
    return "\n\n".join(parts)


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
            print(one.name, one.sessions, one.right.requests, one.missing, flush=True)
    text = tables(columns)
    if options.short:
        print(text)
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
