"""Tasks on a cluster: Spark spreads them, and each is explored by one machine."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lockstep.campaign.processes import WHOLE, Answers, Lost, Place, Share, Work, cores
from lockstep.spark.campaign import Failed, answers
from lockstep.spark.session import LOCAL_MASTER, SparkOptions, spark_session
from lockstep.system.resident import granted_memory, look_seldom
from lockstep.system.workspace_text import WorkspaceText


@dataclass(frozen=True)
class Cluster:
    """The machines of a Spark master, each core of which does one task at a time.

    With `at_once` no more tasks than that are done at the same time. `whole` bounds the memory of
    one machine, and is shared by its cores.
    """

    work: Work
    workspace: Path
    master: str = LOCAL_MASTER
    whole: Share = WHOLE
    at_once: int | None = None

    @contextmanager
    def answers(self, tasks: Sequence[bytes]) -> Iterator[Answers]:
        """Do tasks. One that Spark gives up is `Lost`."""
        text = WorkspaceText.of(self.workspace)
        work = partial(_with_share, self.work, self.whole, self.at_once)
        options = SparkOptions(self.master)
        with (
            spark_session("lockstep check", options) as session,
            closing(_answers(answers(session, work, text, tasks, self.at_once))) as results,
        ):
            yield results

    def alone(self) -> Place | None:
        """The same cluster, one task at a time with all that a machine has."""
        return None if self.at_once == 1 else replace(self, at_once=1)


def _answers(results: Generator[tuple[int, bytes | Failed], None, None]) -> Answers:
    with closing(results):
        for number, result in results:
            if isinstance(result, Failed):
                yield number, Lost(f"Spark gave it up: {result}")
            else:
                yield number, result


def _with_share(
    work: Work, whole: Share, at_once: int | None, workspace: Path, task: bytes
) -> bytes:
    """Do a task on an executor with the share of one of its machine's cores, or of all of them."""
    look_seldom()
    parts = 1 if at_once == 1 else cores()
    memory = granted_memory(whole.memory)
    return work(workspace, task, Share(memory // parts, max(1, cores() // parts)))
