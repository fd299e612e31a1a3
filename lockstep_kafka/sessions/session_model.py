"""The model `fetch_session`, cut down to what one line of a log says of one partition.

The model's actions treat partitions one by one, but for two questions that they ask of all: whether
a session has any partition, and whether a response has any records. So a line is explained
partition by partition: by one fetcher, the partition, and `others`, which stands for the rest. Its
cost does not depend on partitions that it does not name.

Offsets are only ever compared. A case is therefore put to the model with small numbers in the same
order (`lockstep_kafka.sessions.explanations`), and its answer is kept. A case that nothing explains
is put to the model once more with the very numbers of the log.
"""

from __future__ import annotations

from typing import Any

from lockstep.language.notation import State
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.layout import show
from lockstep_kafka.findings import Candidate
from lockstep_kafka.workspaces import LoadModel

CONSUMER, REPLICA = "consumer", "replica"
PARTITION, OTHERS = "partition", "others"
SESSION, ANOTHER_SESSION = 1, 2

HIGHEST_OFFSET = 2**63 - 1
HIGHEST_EPOCH = 2**31 - 1

_LONGEST_SHOWN = 40
"""Characters of a value that a reader still takes in at a glance."""


class SessionModel:
    """The model at Kafka's own widths: states are built, actions taken, by plain Python."""

    def __init__(self, load: LoadModel) -> None:
        self.model = load(
            {
                "PARTITIONS": (PARTITION, OTHERS),
                "SESSION_IDS": (SESSION, ANOTHER_SESSION),
                "FETCHERS": (CONSUMER, REPLICA),
                "FOLLOWERS": (REPLICA,),
                "MAX_EPOCH": HIGHEST_EPOCH,
                "MAX_OFFSET": HIGHEST_OFFSET,
                "MAX_BYTES": 1,
            }
        )
        modules = self.model.universe.modules
        self.partitions: Any = modules["models.fetch_partitions"]
        self.states: Any = modules["models.fetch_session_state"]
        self.metadata: Any = modules["models.fetch_metadata"]
        self._engine = PlainEngine(self.model)
        self._actions = {action.name: action for action in self.model.actions}

    def state(self, **variables: object) -> Any:
        """The initial state, with some variables as given; `NotInDomain` where they cannot be."""
        initial = self.model.initial
        fields = initial.fields
        return initial.of(
            fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(fields, initial, strict=True)
        )

    def step(self, state: State, action: str, **arguments: object) -> Any:
        """Where an action leads; None where it cannot be taken, or a value is none of Kafka's."""
        definition = self._actions[action]
        try:
            return self._engine.run(definition, state, self._values(action, arguments))
        except NotInDomain:
            return None

    def refusal(self, state: State, action: str, **arguments: object) -> Candidate:
        """Why an action cannot be taken: the conjunct that is false, and what it reads."""
        try:
            values = self._values(action, arguments)
        except NotInDomain as error:
            return Candidate(action, outcome=f"no behaviour has the value: {error}")
        conjunct = false_requirement(self.model.universe, self._actions[action], state, values)
        if conjunct is None:
            return Candidate(action)
        reads = {
            name: _text(value)
            for name, value in (*conjunct.bound.items(), *conjunct.values.items())
        }
        shown = {name: value for name, value in reads.items() if len(value) <= _LONGEST_SHOWN}
        return Candidate(action, conjunct.text, shown)

    def _values(self, action: str, arguments: dict[str, object]) -> tuple[object, ...]:
        return tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in self._actions[action].parameters
        )

    def interest(self, offset: int, *, is_new: bool) -> Any:
        """What is asked of a partition; its maximum of bytes marks what a request just asked."""
        return self.partitions.Interest(
            fetch_offset=offset,
            log_start_offset=-1,
            partition_max_bytes=int(is_new),
            current_leader_epoch=-1,
            last_fetched_epoch=-1,
        )


def _text(value: object) -> str:
    """A value for a reader; a set has one order in each process, but not in all of them."""
    return show(frozenset(value)) if isinstance(value, set | frozenset) else str(value)
