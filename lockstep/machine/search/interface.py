"""What the loops of the search and those who call them agree on."""

from __future__ import annotations

SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
"""Parts of the set of known states, by the highest bits of the hash."""

AHEAD = 12
"""How many candidates ahead a table's place is asked for."""

# What `expand` reports, by position in its `report` array.
TRANSITIONS = 0
DEADLOCKS = 1
REPORT = 2

# How far a graph is, by position in its `progress` array.
STATES_KNOWN = 0
STEPS_WRITTEN = 1
PROGRESS = 2

# How a walk ended.
FINE = 0
DEADLOCKED = 1
BROKEN = 2
FAILED = 3

KERNELS = {
    "expand": (
        "level:states begin end expand_at check_step_at canonical_at stop_at_deadlock ranks:counts "
        "successors:states most fired:counts marks:counts buffers:states capacity filled:counts "
        "report:counts broken:counts broken_step:states failed:counts failed_step:states "
        "pair:states scratch:counts"
    ),
    "distribute": "level:states begin end buffers:states capacity filled:counts",
    "insert": (
        "candidates:states count table:states size new:states known check_state_at ranks:counts "
        "marks:counts broken:counts broken_state:states failed:counts failed_state:states "
        "scratch:counts"
    ),
    "move": "old:states old_size table:states size",
    "predecessor": (
        "level:states count expand_at canonical_at target:states successors:states ignored:counts "
        "scratch:counts"
    ),
    "initial_shard": "state:states",
    "walk": (
        "initial:states seed number steps expand_at check_step_at check_state_at stop_at_deadlock "
        "ranks:counts successors:states fired:counts actions taken:counts marks:counts path:states "
        "ended:counts"
    ),
    "number_steps": (
        "states:states room begin end table:counts size expand_at most successors:states "
        "instances:counts places:counts targets:counts labels:counts capacity ends:counts "
        "progress:counts"
    ),
    "fill_table": "states:states known table:counts size",
    "judge_states": "states:states begin end pledges_at bindings premises:counts goals:counts",
}
"""Each loop's parameters: pointers to states or to counts, and numbers; all of 64 bits."""
