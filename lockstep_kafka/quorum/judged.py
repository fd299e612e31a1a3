"""What is remarked of a request of the metadata quorum, and of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep_kafka.findings import Candidate, Place, Remark
from lockstep_kafka.quorum.knowledge import Line
from lockstep_kafka.rules import INNER, Arguments, Rule


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

    def of_client(self, rule: Rule, arguments: Arguments) -> None:
        """Remark something of the request."""
        self.client.append(Remark(rule, self.at, arguments))

    def of_node(
        self, rule: Rule, arguments: Arguments, candidates: tuple[Candidate, ...] = ()
    ) -> None:
        """Remark something of the answer."""
        self.node.append(Remark(rule, self.at, arguments, candidates))

    def since_start(
        self,
        rule: Rule,
        arguments: Arguments,
        *,
        is_same_run: bool,
        candidates: tuple[Candidate, ...] = (),
    ) -> None:
        """The answer departs from an earlier one, unless the node started again in between."""
        if is_same_run:
            self.of_node(rule, arguments, candidates)
        else:
            self.of_node(Rule.BEFORE_A_START, {**arguments, INNER: rule.id})
