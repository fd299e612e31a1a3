"""Where one thing of a log is changed, the follower and the whole model are asked alike.

The oracle says whether any behaviour of the model shows the changed log. Where the follower
departs, none does. Where none does, the follower departs, but for what it leaves open.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from lockstep.language.model import load_model
from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.findings import Verdict, worst
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.behaviours import Exchange, Walk
from lockstep_kafka.simulated.lines import WITH_IDS, Line, Writing
from lockstep_kafka.simulated.times import Pace
from tests.kafka.conform.following import ROOT
from tests.kafka.sessions.changes import Change, changes
from tests.kafka.sessions.following import explanations, findings, report
from tests.kafka.sessions.logs import BEGIN_MS, names, write
from tests.kafka.sessions.oracle import Oracle, States

IDS = (1, 2, 3, 4, 5)

ONE_CONNECTION = Scope(
    fetchers=("c",),
    followers=(),
    max_epoch=60,
    max_offset=1,
    max_bytes=0,
    disturbances=0,
    session_ids=IDS,
    has_strays=False,
    idles=False,
)
SCOPES = {
    "one connection": ONE_CONNECTION,
    "a consumer": Scope(**{**vars(ONE_CONNECTION), "disturbances": 2, "idles": True}),
    "a replica": Scope(**{**vars(ONE_CONNECTION), "fetchers": ("r",), "followers": ("r",)}),
    "two consumers": Scope(
        **{**vars(ONE_CONNECTION), "fetchers": ("c", "d"), "disturbances": 2, "idles": True}
    ),
}


@dataclass(frozen=True)
class Case:
    """A log with one change, and what is said of it."""

    change: Change
    action: str
    """How the request was served before the change."""
    is_explained: bool
    log: list[Line]
    verdict: Verdict

    @property
    def leniency(self) -> str:
        """Why the follower may leave a change open that the model rules out; empty for none."""
        kind, request = self.change.kind, self.change.exchange.request
        if kind.startswith("request") and request.epoch <= 0:
            return "a full request: any response may have been lost before it"
        if kind.endswith("to records") or kind == "request: partitions":
            return "records past the watermark that is reported (227-D41)"
        if kind.startswith("response: answer") and self.action in (
            "serve_incremental_emptying",
            "serve_unknown_session",
        ):
            return "partitions in a response that ends its session"
        if kind == "response: session" and self.action == "serve_incremental_throttled":
            return "over its quota, nothing says to a client whether its session is there (227-D40)"
        if kind.endswith("to offsets") and self._has_errors:
            return "after an error the leader's log may be another one"
        return ""

    @property
    def _has_errors(self) -> bool:
        return any(
            answer.error_code
            for line in self.log
            if isinstance(line, FetchLine)
            for answer in line.answered.values()
        )


@cache
def oracle(scope: Scope) -> Oracle:
    return Oracle(load_model(ROOT, "fetch_session", scope.constants))


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def walked(scope: Scope, chance: random.Random) -> list[Exchange]:
    """A random behaviour in which no id is drawn twice: ids are those of the model."""
    while True:
        walk = Walk(oracle(scope).model, scope, chance)
        walk.go(10)
        opened = [
            exchange.response.session_id
            for exchange in walk.exchanges
            if exchange.action == "serve_full_creating"
        ]
        if len(set(opened)) == len(opened):
            break
    for exchange in walk.exchanges:
        exchange.session = exchange.request.session_id
        exchange.response_session = exchange.response.session_id
    return walk.exchanges


def states_before(judge: Oracle, exchanges: Sequence[Exchange]) -> list[States]:
    """The states before each exchange; none of these sets is empty, for this is a behaviour."""
    states = [judge.begin()]
    connections: dict[str, int] = {}
    for exchange in exchanges:
        is_new = connections.get(exchange.fetcher) != exchange.sent.connection
        states.append(judge.step(states[-1], exchange, is_new=is_new))
        connections[exchange.fetcher] = exchange.sent.connection
    assert all(states)
    return states


def cases(model: Explanations, scope: Scope, seed: int, some: int) -> Iterator[Case]:
    """Some changes of each line of a random log."""
    chance = random.Random(seed)
    judge = oracle(scope)
    exchanges = walked(scope, chance)
    states = states_before(judge, exchanges)
    writing = Writing(
        WITH_IDS,
        (0, 1),
        IDS,
        dict.fromkeys(scope.fetchers, 0),
        Pace(BEGIN_MS, (20, 40), 0.0),
        names(scope, WITH_IDS),
    )
    records = judge.model.universe.modules["models.fetch_partitions"]
    for place, exchange in enumerate(exchanges):
        every = list(changes(exchange, scope, records))
        for change in chance.sample(every, some):
            changed = [*exchanges[:place], change.exchange, *exchanges[place + 1 :]]
            log = write(changed, writing, random.Random(seed))
            yield Case(
                change,
                exchange.action,
                judge.explains(states[place], changed[place:], exchanges[:place]),
                log,
                verdict(model, log),
            )


def verdict(model: Explanations, log: Sequence[Line]) -> Verdict:
    """The worst that is said of any line."""
    remarks = [
        side.worst
        for finding in findings(model, log)
        for side in (finding.client_side, finding.broker_side)
    ]
    return worst([Verdict.CONFORMS, *(remark.verdict for remark in remarks if remark is not None)])


@pytest.mark.daily(3)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_a_log_that_departs_is_no_behaviour(model: Explanations, scope: Scope, seed: int) -> None:
    for case in cases(model, scope, seed, 1):
        assert not case.is_explained or case.verdict is not Verdict.DEPARTS, (
            case.change.kind,
            report(model, case.log),
        )


@pytest.mark.daily(3)
@pytest.mark.parametrize("seed", range(4))
def test_a_log_that_is_no_behaviour_departs(model: Explanations, seed: int) -> None:
    for case in cases(model, ONE_CONNECTION, seed, 2):
        if not case.is_explained and not case.leniency:
            assert case.verdict is Verdict.DEPARTS, (case.change, case.log)


@pytest.mark.verify
@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_many_changes(model: Explanations, scope: Scope) -> None:
    """Prints how many logs that are no behaviour depart, and of which kinds the others are."""
    tally: Counter[tuple[bool, str]] = Counter()
    open_kinds: Counter[tuple[str, str, str]] = Counter()
    for seed in range(100, 140):
        for case in cases(model, scope, seed, 3):
            assert not case.is_explained or case.verdict is not Verdict.DEPARTS, (
                case.change.kind,
                report(model, case.log),
            )
            tally[case.is_explained, case.verdict] += 1
            if not case.is_explained and case.verdict is not Verdict.DEPARTS:
                open_kinds[case.leniency, case.change.kind, case.verdict] += 1
    print(tally)
    print(*open_kinds.most_common(), sep="\n")
    assert tally[False, Verdict.DEPARTS] > 5 * tally[False, Verdict.CONFORMS]
