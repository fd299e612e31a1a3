"""The loops that make the graph of all states, in Python that numba understands.

States are rows of `words` 64-bit words, in the order of their numbers. The table tells the number
of a state, one added to it, where a search that begins at the place of its hash finds it; a zero is
a free place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.machine.search.interface import STATES_KNOWN, STEPS_WRITTEN
from lockstep.machine.search.intrinsics import address, call, prefetch
from lockstep.machine.search.kernels import copy, hash_of, linked, place_of, same


def module_text(words: int) -> str:
    """The loops for states of so many words as the text of an LLVM module."""
    return linked(_loops(words))


def _loops(words: int) -> dict[str, Callable[..., Any]]:

    def number_steps(
        states: Any,
        room: Any,
        begin: Any,
        end: Any,
        table: Any,
        size: Any,
        expand_at: Any,
        most: Any,
        successors: Any,
        instances: Any,
        places: Any,
        targets: Any,
        labels: Any,
        capacity: Any,
        ends: Any,
        progress: Any,
    ) -> Any:
        """Expand the states from `begin` to `end`, and number what they lead to first.

        A step that changes nothing is left out. `ends` tells for each state how many steps are
        written once its own are. Stops early where the steps or the new states of one more state
        might have no room; returns the state that it stopped at, or `-1 - state` for one in which
        the text has no meaning.
        """
        known, steps = progress[STATES_KNOWN], progress[STEPS_WRITTEN]
        number = begin
        while number < end and steps + most <= capacity and known + most <= room:
            at = number * words
            count = call(
                expand_at, address(states, at), address(successors, 0), address(instances, 0)
            )
            if count < 0:
                return -1 - number
            for index in range(count):
                places[index] = place_of(hash_of(successors, index * words, words), size)
                prefetch(table, places[index])
            for index in range(count):
                there = index * words
                if same(successors, there, states, at, words):
                    continue
                place = places[index]
                while table[place] != 0 and not same(
                    states, (table[place] - 1) * words, successors, there, words
                ):
                    place += 1
                    if place == size:
                        place = 0
                if table[place] == 0:
                    copy(successors, there, states, known * words, words)
                    known += 1
                    table[place] = known
                targets[steps] = table[place] - 1
                labels[steps] = instances[index]
                steps += 1
            ends[number - begin] = steps
            number += 1
        progress[STATES_KNOWN], progress[STEPS_WRITTEN] = known, steps
        return number

    def fill_table(
        states: Any,
        known: Any,
        table: Any,
        size: Any,
    ) -> Any:
        """Put the numbers of all states into an empty table."""
        for number in range(known):
            place = place_of(hash_of(states, number * words, words), size)
            while table[place] != 0:
                place += 1
                if place == size:
                    place = 0
            table[place] = number + 1
        return 0

    def judge_states(
        states: Any,
        begin: Any,
        end: Any,
        pledges_at: Any,
        bindings: Any,
        premises: Any,
        goals: Any,
    ) -> Any:
        """Ask of each state whether it is a premise, a goal; returns where there is no answer."""
        for number in range(begin, end):
            there = (number - begin) * bindings
            answer = call(
                pledges_at,
                address(states, number * words),
                address(premises, there),
                address(goals, there),
            )
            if answer < 0:
                return number
        return end

    return {"number_steps": number_steps, "fill_table": fill_table, "judge_states": judge_states}
