"""The kernels that go back from a violation, in Python that numba understands.

Of each state of a level they say how many disturbances there are at least on the shortest ways from
it to the violation, or -1 where there is none. `following` are the states of the next level from
which there is one, and `held` says the same of them. The table has the number of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.machine.search.kernel_parts import (
    address,
    call,
    counts_at,
    fill,
    hash_of,
    is_stuck,
    linked,
    place_in,
    place_of,
    states_at,
)


def module_text(words: int) -> str:
    """The kernels for states of so many words as the text of an LLVM module."""
    return linked(_kernels(words))


def _kernels(words: int) -> dict[str, Callable[..., Any]]:
    def judge_ends(worker: Any, ways: Any, begin: Any, end: Any) -> Any:
        """Which states of the last level are violations: by the rank, 0 for a deadlock."""
        level, fewest = states_at(ways.level), counts_at(ways.fewest)
        successors = states_at(worker.successors)
        for number in range(begin, end):
            at = number * words
            fewest[number] = -1
            if ways.rank == 0:
                count = call(
                    worker.expand_at, address(level, at), address(successors, 0), worker.labels
                )
                if count >= 0 and is_stuck(level, at, successors, count, words):
                    fewest[number] = 0
            elif (
                call(worker.check_state_at, address(level, at), worker.marks, worker.marks)
                == ways.rank
            ):
                fewest[number] = 0
        return end

    def lead_on(worker: Any, ways: Any, begin: Any, end: Any) -> Any:
        """How many disturbances there are from each state on; without a table a step ends it."""
        level, fewest = states_at(ways.level), counts_at(ways.fewest)
        prices, labels, owners = (
            counts_at(ways.prices),
            counts_at(worker.labels),
            counts_at(worker.owners),
        )
        table, held, size = counts_at(ways.table), counts_at(ways.held), ways.size
        following = states_at(ways.following)
        successors = states_at(worker.successors)
        for number in range(begin, end):
            at = number * words
            least = -1
            count = call(
                worker.expand_at, address(level, at), address(successors, 0), worker.labels
            )
            for index in range(count):
                there = index * words
                price = prices[owners[labels[index]]]
                if size == 0:
                    if (
                        call(
                            worker.check_step_at,
                            address(level, at),
                            address(successors, there),
                            worker.marks,
                        )
                        != ways.rank
                    ):
                        continue
                else:
                    place = place_of(hash_of(successors, there, words), size)
                    place = place_in(table, size, place, following, successors, there, words)
                    if table[place] == 0:
                        continue
                    price += held[table[place] - 1]
                if least < 0 or price < least:
                    least = price
            fewest[number] = least
        return end

    def fill_ways(ways: Any) -> Any:
        """Put the numbers of the states that follow into an empty table."""
        fill(counts_at(ways.table), ways.size, states_at(ways.following), ways.known, words)
        return 0

    return {"judge_ends": judge_ends, "lead_on": lead_on, "fill_ways": fill_ways}
