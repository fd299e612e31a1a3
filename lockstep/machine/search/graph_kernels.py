"""The kernels that make the graph of all states, in Python that numba understands.

States are rows of `words` 64-bit words, in the order of their numbers, which the table has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lockstep.machine.search.interface import AHEAD
from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    expanded,
    fill,
    hash_of,
    linked,
    numbers_at,
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
    def reach(worker: Any, graph: Any, reached: Any, begin: Any, end: Any) -> Any:
        """Expand the states from `begin` to `end`, as any number of threads do at the same time.

        Steps are judged as in a search. One that changes nothing is left out. `ends` has for each
        state how many steps are written once its own are. A target without a number is -1: it is
        among the new ones, with the position of its step. Stops early where the steps of one more
        state might have no room; returns the state that it stopped at.
        """
        states, table, size = states_at(graph.states), numbers_at(graph.table), graph.size
        successors, instances = states_at(worker.successors), counts_at(worker.labels)
        places, ends = counts_at(reached.places), numbers_at(reached.ends)
        targets, labels = numbers_at(reached.targets), numbers_at(reached.labels)
        new, new_at = states_at(reached.new), numbers_at(reached.new_at)
        steps, news = 0, 0
        number = begin
        while number < end and steps + worker.most <= reached.capacity:
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
                    copy(successors, there, new, news * words, words)
                    new_at[news] = steps
                    news += 1
                targets[steps] = table[place] - 1
                labels[steps] = instances[index]
                steps += 1
            ends[number - begin] = steps
            number += 1
        reached.steps, reached.news = steps, news
        return number

    def number_new(graph: Any, reached: Any) -> Any:
        """Number what was new, in the order of the steps to it; the states and the table have room.

        Some of it has a number by now, for another step led to it as well.
        """
        states, table, size = states_at(graph.states), numbers_at(graph.table), graph.size
        new, new_at = states_at(reached.new), numbers_at(reached.new_at)
        targets, numbered, news = numbers_at(reached.targets), graph.numbered, reached.news
        for ahead in range(news + AHEAD):
            if ahead < news:
                prefetch(table, place_of(hash_of(new, ahead * words, words), size))
            index = ahead - AHEAD
            if index < 0:
                continue
            place = place_of(hash_of(new, index * words, words), size)
            place = place_in(table, size, place, states, new, index * words, words)
            if table[place] == 0:
                copy(new, index * words, states, numbered * words, words)
                numbered += 1
                table[place] = numbered
            targets[new_at[index]] = table[place] - 1
        graph.numbered = numbered
        return numbered

    def number_of(graph: Any, target: Any) -> Any:
        """The number of a state, or -1 where it has none."""
        table, size = numbers_at(graph.table), graph.size
        place = place_of(hash_of(target, 0, words), size)
        return table[place_in(table, size, place, states_at(graph.states), target, 0, words)] - 1

    def fill_table(graph: Any) -> Any:
        """Put the numbers of all states into an empty table."""
        fill(numbers_at(graph.table), graph.size, states_at(graph.states), graph.numbered, words)
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
        "reach": reach,
        "number_new": number_new,
        "number_of": number_of,
        "fill_table": fill_table,
        "judge_states": judge_states,
        "first_difference": first_difference,
    }
