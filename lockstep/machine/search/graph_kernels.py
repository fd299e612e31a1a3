"""The kernels for graphs of states, in Python that numba understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from lockstep.machine.search.interface import AHEAD, BATCH, MOVE
from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    expanded,
    fill,
    hash_of,
    keep_changes,
    numbers_at,
    place_in,
    place_of,
    prefetch,
    same,
    states_at,
)

_compiled: Any = njit(boundscheck=False)


def graph_kernels(words: int) -> dict[str, Callable[..., Any]]:
    """The kernels that make the graph of all states.

    States are rows of `words` 64-bit words, in the order of their numbers, which the table has.
    """

    @_compiled
    def find_numbers(graph: Any, reached: Any, begin: Any, end: Any, news: Any) -> Any:
        """Find the numbers of what the steps from `begin` to `end` lead to; how much is new then.

        What they lead to stands after the `news` that there are. The places of all in the table
        were asked for before, and the states there are before they are compared.
        """
        states, table, size = states_at(graph.states), numbers_at(graph.table), graph.size
        places, targets = counts_at(reached.places), numbers_at(reached.targets)
        new, new_at = states_at(reached.new), numbers_at(reached.new_at)
        first = news - begin
        for step in range(begin, end):
            known = np.int64(table[places[step - begin]]) - 1
            if known >= 0:
                prefetch(states, known * words)
        for step in range(begin, end):
            there = (first + step) * words
            place = place_in(table, size, places[step - begin], states, new, there, words)
            if table[place] == 0:
                copy(new, there, new, news * words, words)
                new_at[news] = step
                news += 1
            targets[step] = table[place] - 1
        return news

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
        labels, new = numbers_at(reached.labels), states_at(reached.new)
        steps, numbered, news = 0, 0, 0
        number = begin
        while number < end and steps + worker.most <= reached.capacity:
            at = number * words
            count = expanded(worker, states, at, words)
            for index in range(count):
                there = index * words
                if same(successors, there, states, at, words):
                    continue
                waiting = steps - numbered
                copy(successors, there, new, (news + waiting) * words, words)
                places[waiting] = place_of(hash_of(successors, there, words), size)
                prefetch(table, places[waiting])
                labels[steps] = instances[index]
                steps += 1
            ends[number - begin] = steps
            number += 1
            if steps - numbered >= BATCH:
                news = find_numbers(graph, reached, numbered, steps, news)
                numbered = steps
        reached.steps = steps
        reached.news = find_numbers(graph, reached, numbered, steps, news)
        return number

    def number_new(graph: Any, reached: Any) -> Any:
        """Number what was new, in the order of the steps to it; the states and the table have room.

        Some of it has a number by now, for another step led to it as well. Each label becomes its
        position in the order of first occurrence; in `positions`, one that has none yet is -1.
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
        labels, positions = numbers_at(reached.labels), numbers_at(graph.positions)
        for step in range(reached.steps):
            label = labels[step]
            if positions[label] < 0:
                positions[label] = graph.used
                graph.used += 1
            labels[step] = positions[label]
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
        """The first state in which two programs differ in a step; `end` where they do not.

        Where the pair says so, only steps that change the state are compared.
        """
        states, one, other = states_at(pair.states), states_at(pair.one), states_at(pair.other)
        labels, others = counts_at(pair.labels), counts_at(pair.other_labels)
        for number in range(begin, end):
            state = address(states, number * words)
            count = call(pair.expand_at, state, address(one, 0), address(labels, 0))
            other_count = call(pair.other_at, state, address(other, 0), address(others, 0))
            if pair.changes:
                at = number * words
                count = keep_changes(states, at, one, labels, count, words)
                other_count = keep_changes(states, at, other, others, other_count, words)
            if count != other_count:
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


@_compiled
def _enabled(search: Any, state: Any) -> Any:
    """The promises that can be kept in a state."""
    first, labels = counts_at(search.first), numbers_at(search.labels)
    keeps, enabled = states_at(search.keeps), np.uint64(0)
    for step in range(first[state], first[state + 1]):
        enabled |= keeps[labels[step]]
    return enabled


@_compiled
def _judge_part(search: Any, begin: Any, end: Any) -> Any:
    """Number a part if all promises can be kept there; note what of it is to be looked at again.

    Its states stand on the stack from `begin` to `end`.
    """
    stack, order, parts = (
        numbers_at(search.stack),
        numbers_at(search.order),
        numbers_at(search.parts),
    )
    first, targets = counts_at(search.first), numbers_at(search.targets)
    keeps, labels, again = (
        states_at(search.keeps),
        numbers_at(search.labels),
        numbers_at(search.again),
    )
    number = search.found
    for position in range(begin, end):
        parts[stack[position]] = number
        order[stack[position]] = -1
    anywhere, kept = np.uint64(0), np.uint64(0)
    everywhere = ~np.uint64(0)
    for position in range(begin, end):
        state = np.int64(stack[position])
        enabled = np.uint64(0)
        for step in range(first[state], first[state + 1]):
            keeping = keeps[labels[step]]
            enabled |= keeping
            # No step of a state by itself leads back to it.
            if end - begin > 1 and parts[targets[step]] == number:
                kept |= keeping
        anywhere |= enabled
        everywhere &= enabled
    is_strong = states_at(search.strong)[0]
    weak = everywhere & ~kept & ~is_strong
    strong = anywhere & ~kept & is_strong
    if weak | strong == np.uint64(0):
        search.found = number + 1
        return
    for position in range(begin, end):
        state = np.int64(stack[position])
        parts[state] = -1
        if weak == np.uint64(0) and _enabled(search, state) & strong == np.uint64(0):
            again[state] = 0


def part_kernels() -> dict[str, Callable[..., Any]]:
    """The kernel that finds the parts of a graph in which promises are kept, as `fair_parts` does.

    The strongly connected parts of what some states lead to are found in one depth-first search
    (Pearce, *A space-efficient algorithm for finding strongly connected components*, IPL 2016), and
    each is judged when its last state is left. `order` is -1 of states that are done or not to be
    entered, 0 of those that are not found yet, and of all others the least number found to lie on
    a cycle with them. The promises that a label keeps are the bits of a word.
    """

    def find_parts(search: Any, begin: Any, end: Any) -> Any:
        """Find the parts that can be reached from the starts from `begin` to `end`."""
        first, targets = counts_at(search.first), numbers_at(search.targets)
        order, stack = numbers_at(search.order), numbers_at(search.stack)
        cursor, own = counts_at(search.cursor), numbers_at(search.own)
        starts = numbers_at(search.starts)
        for number in range(begin, end):
            start = starts[number]
            if order[start] != 0:
                continue
            # The way to the current state grows from the left of the stack, and what is left, but
            # may be of the same part as a state of the way, from the right.
            depth, left = 0, search.size
            entered = np.int64(start)
            while True:
                if entered >= 0:
                    search.visited += 1
                    order[entered] = own[depth] = search.visited
                    stack[depth], cursor[depth] = entered, first[entered]
                    depth += 1
                at, step = np.int64(stack[depth - 1]), cursor[depth - 1]
                least, last = order[at], first[at + 1]
                entered = np.int64(-1)
                while step < last:
                    seen = order[targets[step]]
                    if seen == 0:
                        entered = np.int64(targets[step])
                        break
                    if 0 < seen < least:
                        least = seen
                    step += 1
                order[at], cursor[depth - 1] = least, step
                if entered >= 0:
                    continue
                depth -= 1
                left -= 1
                stack[left] = at
                if least == own[depth]:
                    finished = left
                    while finished < search.size and order[stack[finished]] >= least:
                        finished += 1
                    _judge_part(search, left, finished)
                    left = finished
                if depth == 0:
                    break
        return 0

    return {"find_parts": find_parts}


def view_kernels(words: int) -> dict[str, Callable[..., Any]]:
    """The kernel that numbers what states show.

    A view is a row of `words` 64-bit words: some bits of a state, each moved to its place. The
    table has the number of a view plus one, at the first free place from that of its hash on; a
    zero is a free place.
    """

    def number_views(shown: Any, states: Any, begin: Any, end: Any) -> Any:
        """Number the views of the states from `begin` to `end`; returns how many views there are.

        A move is where a value is in a state and where in the view: word and shift there, mask,
        word and shift here. The numbers go on from those that were given before.
        """
        moves, moved, state_words = counts_at(shown.moves), shown.moved, shown.state_words
        row, rows = states_at(shown.row), states_at(shown.rows)
        table, size = numbers_at(shown.table), shown.size
        views, first, count = numbers_at(shown.views), shown.first, shown.count
        for number in range(begin, end):
            for word in range(words):
                row[word] = np.uint64(0)
            for move in range(moved):
                at = move * MOVE
                value = states[number * state_words + moves[at]] >> np.uint64(moves[at + 1])
                value &= np.uint64(moves[at + 2])
                row[moves[at + 3]] |= value << np.uint64(moves[at + 4])
            place = place_of(hash_of(row, 0, words), size)
            while table[place] != 0 and not same(
                rows, (np.int64(table[place]) - 1) * words, row, 0, words
            ):
                place += 1
                if place == size:
                    place = 0
            if table[place] == 0:
                copy(row, 0, rows, count * words, words)
                count += 1
                table[place] = count
            views[first + number] = table[place] - 1
        shown.count = count
        return count

    return {"number_views": number_views}
