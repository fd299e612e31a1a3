"""A departure is shortened: stimuli are left out as long as the software departs without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lockstep.drive.cover import Ended
from lockstep.drive.departure import Departed
from lockstep.drive.following import Following
from lockstep.errors import LockstepError
from lockstep.plain.space import Instance

MOST_ATTEMPTS = 2_000
"""How often the software is reset for it."""


def shortened(
    following: Following,
    departed: Departed,
    shortcut: Sequence[Instance] | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> Departed:
    """The same departure, or another one, after as few stimuli as are found.

    `shortcut` is tried first: other stimuli that may lead to where the last one was given. What
    `watch` raises, an error of the driver and Ctrl-C end it early: the shortest so far counts.
    """
    best, attempts = departed, 0

    def attempt(stimuli: Sequence[Instance]) -> bool:
        nonlocal best, attempts
        attempts += 1
        watch(f"{len(best.departure.stimuli):,} steps")
        found = _departs(following, stimuli)
        if found is None or len(found.departure.stimuli) >= len(best.departure.stimuli):
            return False
        best = found
        return True

    try:
        if shortcut is not None:
            attempt([*shortcut, *departed.departure.stimuli[-1:]])
        size = max(1, len(best.departure.stimuli) // 2)
        while attempts < MOST_ATTEMPTS:
            at, is_shorter = 0, False
            while at < len(best.departure.stimuli) and attempts < MOST_ATTEMPTS:
                stimuli = best.departure.stimuli
                if attempt((*stimuli[:at], *stimuli[at + size :])):
                    is_shorter = True
                else:
                    at += size
            if size == 1 and not is_shorter:
                break
            size = max(1, size // 2)
    except (KeyboardInterrupt, LockstepError, Ended):
        pass  # what was found stands
    return best


def _departs(following: Following, stimuli: Sequence[Instance]) -> Departed | None:
    """How the software departs when it is given these; None where it does not.

    What the model has no outcome for by now is left out.
    """
    try:
        following.reset()
        for stimulus in stimuli:
            if following.offers(stimulus):
                following.do(stimulus)
    except Departed as departed:
        return departed
    return None
