"""The kernel of random behaviours, in Python that numba understands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lockstep.machine.search.interface import BROKEN, DEADLOCKED, FAILED, FINE
from lockstep.machine.search.kernel_parts import (
    address,
    call,
    copy,
    counts_at,
    is_stuck,
    next_random,
    states_at,
)


def walk_kernel(words: int) -> Callable[..., Any]:
    """The kernel for states of so many words."""

    def walk(worker: Any, walk: Any, number: Any) -> Any:
        """One random walk of up to `walk.steps` steps: its length, its states in `walk.path`.

        `ended` says how and, if not FINE, the rank of what is wrong at the end of the path.
        `worker.fired` counts by action the steps taken.
        """
        initial, path = states_at(walk.initial), states_at(walk.path)
        enabled, ended, actions = counts_at(walk.enabled), counts_at(walk.ended), walk.actions
        successors, taken = states_at(worker.successors), counts_at(worker.fired)
        ranks, marks_at = counts_at(worker.ranks), worker.marks
        labels, owners = counts_at(worker.labels), counts_at(worker.owners)
        mixed = (np.uint64(walk.seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= (np.uint64(number) + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
        random = mixed | np.uint64(1)
        for _ in range(8):
            random = next_random(random)
        copy(initial, 0, path, 0, words)
        ended[0], ended[1] = FINE, 0
        length = 0
        while True:
            here = address(path, length * words)
            answer = 0
            if length > 0 and worker.check_step_at != 0:
                answer = call(worker.check_step_at, here - words * 8, here, marks_at)
            if worker.check_state_at != 0:
                of_state = call(worker.check_state_at, here, marks_at, marks_at)
                if answer <= 0 and of_state != 0 and (answer == 0 or of_state > 0):
                    answer = of_state
                elif answer > 0 and of_state > 0:
                    answer = min(answer, of_state)
            if answer > 0:
                ended[0], ended[1] = BROKEN, answer
                return length
            if answer < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - answer]
                return length
            if length == walk.steps:
                return length
            for action in range(actions):
                enabled[action] = 0
            count = call(worker.expand_at, here, address(successors, 0), address(labels, 0))
            if count < 0:
                ended[0], ended[1] = FAILED, ranks[-1 - count]
                return length
            for index in range(count):
                enabled[owners[labels[index]]] += 1
            stop_at_deadlock = worker.stop_at_deadlock != 0
            if stop_at_deadlock and is_stuck(path, length * words, successors, count, words):
                ended[0] = DEADLOCKED
                return length
            if count == 0:
                return length
            choices = 0
            for action in range(actions):
                choices += enabled[action] > 0
            random = next_random(random)
            wanted = np.int64((random >> np.uint64(11)) % np.uint64(choices))
            action, first = -1, 0
            while wanted >= 0:
                action += 1
                if enabled[action] > 0:
                    wanted -= 1
                if wanted >= 0:
                    first += enabled[action]
            random = next_random(random)
            chosen = first + np.int64((random >> np.uint64(11)) % np.uint64(enabled[action]))
            copy(successors, chosen * words, path, (length + 1) * words, words)
            taken[action] += 1
            length += 1

    return walk
