"""What is remarked of a request of the metadata quorum, and of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep_kafka.findings import Candidate, Place, Remark, Verdict
from lockstep_kafka.quorum.knowledge import Line


@dataclass(slots=True)
class Judged:
    """What is remarked of both sides of a line; `is_partial` as in a `SessionFinding`."""

    line: Line
    client: list[Remark] = field(default_factory=list)
    node: list[Remark] = field(default_factory=list)
    is_partial: bool = False

    @property
    def at(self) -> Place:
        """Where the line stands."""
        return self.line.at

    def client_departs(self, because: str, *requirements: str) -> None:
        """Nothing explains the request."""
        self.client.append(Remark(Verdict.DEPARTS, self.at, because, requirements))

    def client_unknown(self, because: str) -> None:
        """The request cannot be judged."""
        self.client.append(Remark(Verdict.UNKNOWN, self.at, because))

    def node_departs(
        self, because: str, *requirements: str, candidates: tuple[Candidate, ...] = ()
    ) -> None:
        """Nothing explains the answer."""
        self.node.append(Remark(Verdict.DEPARTS, self.at, because, requirements, candidates))

    def node_unknown(self, because: str) -> None:
        """The answer cannot be judged."""
        self.node.append(Remark(Verdict.UNKNOWN, self.at, because))
