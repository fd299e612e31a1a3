"""What the kernels of the search and those who call them agree on."""

from __future__ import annotations

SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
"""Parts of the set of known states, by the highest bits of the hash."""

DIGIT_BITS = 11
"""Bits that rows are sorted by at a time."""

AHEAD = 12
"""How many candidates ahead a table's place is brought near."""

NOTHING_NOTED = 2**64 - 1
"""The first word of a finding, which is its rank, before anything is noted there."""

# What `expand` reports, by position in its `report` array.
TRANSITIONS = 0
DEADLOCKS = 1
REPORT = 2

# How a walk ended.
FINE = 0
DEADLOCKED = 1
BROKEN = 2
FAILED = 3

MOVE = 5
"""The numbers of a move: word, shift and mask in a state, word and shift in a view."""

# What `follow` has no room for.
ENOUGH = 0
PAIRS = 1
SETS = 2
MEMBERS = 3
SUCCESSORS = 4
SCRATCH = 5

RECORDS = {
    "worker": (
        "expand_at check_step_at check_state_at canonical_at stop_at_deadlock ranks:counts "
        "successors:states most labels:counts owners:counts fired:counts marks:counts "
        "buffers:states capacity filled:counts report:counts broken_step:states "
        "broken_state:states failed_step:states failed_state:states pair:states scratch:counts"
    ),
    "shard": "table:states size new:states count",
    "ways": (
        "level:states rank prices:counts following:states known table:counts size "
        "held:counts fewest:counts"
    ),
    "walk": "initial:states seed steps actions enabled:counts path:states ended:counts",
    "graph": "states:states table:numbers size numbered",
    "reached": (
        "places:counts targets:numbers labels:numbers ends:numbers capacity steps "
        "new:states new_at:numbers news"
    ),
    "pair": (
        "states:states expand_at other_at one:states other:states labels:counts other_labels:counts"
    ),
    "questions": "states:states pledges_at bindings premises:counts goals:counts",
    "parts": (
        "first:counts targets:numbers labels:numbers keeps:states strong:states order:numbers "
        "again:numbers parts:numbers stack:numbers own:numbers cursor:counts size visited found"
    ),
    "shown": (
        "moves:counts moved state_words row:states rows:states table:numbers size views:numbers "
        "first count"
    ),
    "inclusion": (
        "first:counts targets:numbers views:numbers "
        "other_first:counts other_targets:numbers other_views:numbers others hides:states "
        "newest:numbers state_of:numbers set_of:numbers older:numbers before:numbers edge:numbers "
        "pairs pairs_room done "
        "starts:counts successors_from:counts successors_to:counts sets sets_room "
        "table:numbers size members:numbers members_room "
        "next_views:numbers next_sets:numbers successors successors_room "
        "scratch:counts scratch_room marks:numbers mark short"
    ),
}
"""Each record's fields: addresses of states, counts or short numbers, and numbers of 64 bits."""

KERNELS = {
    "expand": "worker:worker level:states begin end",
    "distribute": "worker:worker level:states begin end",
    "insert": "worker:worker candidates:states count shard:shard checked",
    "check": "worker:worker states:states count",
    "move": "old:states old_size table:states size",
    "predecessor": "worker:worker level:states count target:states",
    "shard_of_state": "state:states",
    "judge_ends": "worker:worker ways:ways begin end",
    "lead_on": "worker:worker ways:ways begin end",
    "fill_ways": "ways:ways",
    "walk": "worker:worker walk:walk number",
    "reach": "worker:worker graph:graph reached:reached begin end",
    "number_new": "graph:graph reached:reached",
    "number_of": "graph:graph target:states",
    "fill_table": "graph:graph",
    "judge_states": "questions:questions begin end",
    "first_difference": "pair:pair begin end",
    "find_parts": "parts:parts begin end",
    "number_views": "shown:shown states:states begin end",
    "mark_hiding": "inclusion:inclusion",
    "follow": "inclusion:inclusion end",
    "fill_sets": "inclusion:inclusion",
    "sort": "rows:states spare:states count buckets:counts",
    "unique": "rows:states count",
    "subtract": "rows:states run:states count cursor:counts",
    "unite": "one:states ones two:states twos union:states",
    "hashes": "rows:states count values:states",
    "ascends": "rows:states count",
}
"""Each kernel's parameters: pointers to states, counts, short numbers or a record, and numbers."""


def kinds(declaration: str) -> dict[str, str]:
    """The names that a declaration gives, each with what it points to; of a number, nothing."""
    parts = (part.partition(":") for part in declaration.split())
    return {name: kind for name, _, kind in parts}
