"""The kernels that make the graph of all states, in Python that numba understands.

States are rows of `words` 64-bit words, in the order of their numbers, which the table has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    expanded,
    fill,
    hash_of,
    judge,
    linked,
    place_in,
    place_of,
    prefetch,
    same,
    states_at,
)


def module_text(words: int) -> str:
    """The kernels for states of so many words as the text of an LLVM module."""
    return linked(_kernels(words))


def _kernels(words: int) -> dict[str, Callable[..., Any]]:
    def number_steps(worker: Any, graph: Any, begin: Any, end: Any) -> Any:
        """Expand the states from `begin` to `end`, and number what they lead to first.

        States and steps are judged as in a search. A step that changes nothing is left out. `ends`
        has for each state how many steps are written once its own are. Stops early where the steps
        or the new states of one more state might have no room; returns the state that it stopped
        at.
        """
        states, room = states_at(graph.states), graph.room
        table, size = counts_at(graph.table), graph.size
        most, capacity, check_state_at = worker.most, graph.capacity, worker.check_state_at
        successors, instances = states_at(worker.successors), counts_at(worker.labels)
        places, ends = counts_at(graph.places), counts_at(graph.ends)
        targets, labels = counts_at(graph.targets), counts_at(graph.labels)
        numbered, steps = graph.numbered, graph.written
        number = begin
        while number < end and steps + most <= capacity and numbered + most <= room:
            at = number * words
            count = expanded(worker, states, at, words)
            for index in range(count):
                places[index] = place_of(hash_of(successors, index * words, words), size)
                prefetch(table, places[index])
            for index in range(count):
                there = index * words
                if same(successors, there, states, at, words):
                    continue
                place = place_in(table, size, places[index], states, successors, there, words)
                if table[place] == 0:
                    copy(successors, there, states, numbered * words, words)
                    if check_state_at != 0:
                        judge(worker, check_state_at, states, numbered * words, words)
                    numbered += 1
                    table[place] = numbered
                targets[steps] = table[place] - 1
                labels[steps] = instances[index]
                steps += 1
            ends[number - begin] = steps
            number += 1
        graph.numbered, graph.written = numbered, steps
        return number

    def number_of(graph: Any, target: Any) -> Any:
        """The number of a state, or -1 where it has none."""
        table, size = counts_at(graph.table), graph.size
        place = place_of(hash_of(target, 0, words), size)
        return table[place_in(table, size, place, states_at(graph.states), target, 0, words)] - 1

    def fill_table(graph: Any) -> Any:
        """Put the numbers of all states into an empty table."""
        fill(counts_at(graph.table), graph.size, states_at(graph.states), graph.numbered, words)
        return 0

    def judge_states(questions: Any, begin: Any, end: Any) -> Any:
        """Ask of each state whether it is a premise, a goal; returns where there is no answer."""
        states, bindings = states_at(questions.states), questions.bindings
        premises, goals = counts_at(questions.premises), counts_at(questions.goals)
        for number in range(begin, end):
            there = (number - begin) * bindings
            answer = call(
                questions.pledges_at,
                address(states, number * words),
                address(premises, there),
                address(goals, there),
            )
            if answer < 0:
                return number
        return end

    def first_difference(pair: Any, begin: Any, end: Any) -> Any:
        """The first state in which two programs differ in a step; `end` where they do not."""
        states, one, other = states_at(pair.states), states_at(pair.one), states_at(pair.other)
        labels, others = counts_at(pair.labels), counts_at(pair.other_labels)
        for number in range(begin, end):
            state = address(states, number * words)
            count = call(pair.expand_at, state, address(one, 0), address(labels, 0))
            if count != call(pair.other_at, state, address(other, 0), address(others, 0)):
                return number
            for index in range(count):
                there = index * words
                if labels[index] != others[index] or not same(one, there, other, there, words):
                    return number
        return end

    return {
        "number_steps": number_steps,
        "number_of": number_of,
        "fill_table": fill_table,
        "judge_states": judge_states,
        "first_difference": first_difference,
    }
