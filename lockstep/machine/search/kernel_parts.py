"""What the kernels are made of: instructions that numba does not name, and pieces of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from llvmlite import binding
from llvmlite import ir as llvm
from numba import cfunc, from_dtype, njit, types
from numba.extending import intrinsic

from lockstep.machine.search.interface import (
    AHEAD,
    DEADLOCKS,
    KERNELS,
    RECORDS,
    SHARD_BITS,
    TRANSITIONS,
    kinds,
)


def linked(kernels: Mapping[str, Callable[..., Any]]) -> str:
    """Some kernels by their names in `KERNELS` as the text of one LLVM module.

    Each function has the parameters that are declared there, after two pointers: to where the
    answer goes, and to a word that is not used.
    """
    module = None
    for name, function in kernels.items():
        part = binding.parse_assembly(_text(name, function))
        if module is None:
            module = part
        else:
            module.link_in(part)
    return str(module)


def _text(name: str, function: Callable[..., Any]) -> str:
    """One kernel as LLVM text."""
    parameters = [_type(kind) for kind in kinds(KERNELS[name]).values()]
    kernel = cfunc(types.int64(*parameters), error_model="numpy")(function)
    module = binding.parse_assembly(kernel.inspect_llvm())
    for part in module.functions:
        # What Python would call reports exceptions; there are none.
        if part.name.startswith("cfunc."):
            inner = part.name.removeprefix("cfunc.")
            part.linkage = "internal"
    module.get_function(inner).name = name
    return str(module)


def _type(kind: str) -> Any:
    """What numba calls a parameter that points to something of a kind."""
    match kind:
        case "states":
            return types.CPointer(types.uint64)
        case "counts":
            return types.CPointer(types.int64)
        case "numbers":
            return types.CPointer(types.int32)
        case "":
            return types.int64
    return from_dtype(np.dtype([(field, np.int64) for field in kinds(RECORDS[kind])]))


_I64 = llvm.IntType(64)


def _call(typingctx: Any, address: Any, one: Any, two: Any, three: Any) -> Any:
    signature = types.int64(types.int64, types.int64, types.int64, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _I64.as_pointer()
        function = llvm.FunctionType(_I64, [pointer] * 3).as_pointer()
        target = builder.inttoptr(arguments[0], function)
        return builder.call(
            target, [builder.inttoptr(argument, pointer) for argument in arguments[1:]]
        )

    return signature, codegen


def _address(typingctx: Any, pointer: Any, index: Any) -> Any:
    signature = types.int64(pointer, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(builder.gep(arguments[0], [arguments[1]], inbounds=True), _I64)

    return signature, codegen


def _pointer_to(kind: Any) -> Any:
    def pointer(typingctx: Any, number: Any) -> Any:
        signature = types.CPointer(kind)(types.int64)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return signature, codegen

    return pointer


def _prefetch(typingctx: Any, pointer: Any, index: Any) -> Any:
    signature = types.void(pointer, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(arguments[0], [arguments[1]], inbounds=True)
        byte = llvm.IntType(8).as_pointer()
        int32 = llvm.IntType(32)
        kind = llvm.FunctionType(llvm.VoidType(), [byte, int32, int32, int32])
        function: Any = builder.module.globals.get("llvm.prefetch.p0")
        if function is None:
            function = llvm.Function(builder.module, kind, "llvm.prefetch.p0")
        hints = [llvm.Constant(int32, hint) for hint in (0, 3, 1)]
        builder.call(function, [builder.bitcast(place, byte), *hints])
        return context.get_dummy_value()

    return signature, codegen


# mypy takes what `intrinsic` returns for a function of all the parameters of the one it decorates.
call: Any = intrinsic(_call)
"""`call(address, one, two, three)`: call the function at an address with three pointers; it returns
a signed word."""
address: Any = intrinsic(_address)
"""`address(pointer, index)`: where an item is, as a number."""
states_at: Any = intrinsic(_pointer_to(types.uint64))
"""`states_at(number)`: the states whose address a number is."""
counts_at: Any = intrinsic(_pointer_to(types.int64))
"""`counts_at(number)`: the counts whose address a number is."""
numbers_at: Any = intrinsic(_pointer_to(types.int32))
"""`numbers_at(number)`: the short numbers whose address a number is."""
bytes_at: Any = intrinsic(_pointer_to(types.uint8))
"""`bytes_at(number)`: the bytes whose address a number is."""
floats_at: Any = intrinsic(_pointer_to(types.float64))
"""`floats_at(number)`: the doubles whose address a number is."""
prefetch: Any = intrinsic(_prefetch)
"""`prefetch(pointer, index)`: ask for an item to be brought near."""


_inlined: Any = njit(inline="always", boundscheck=False)
_compiled: Any = njit(boundscheck=False)


@_inlined
def hash_of(states: Any, at: Any, words: Any) -> Any:
    """A state's hash: multiplied and folded twice a word, so that every bit moves the highest."""
    value = states[at]
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    for index in range(1, words):
        value = (value ^ (value >> np.uint64(31)) ^ states[at + index]) * np.uint64(
            0xD6E8FEB86659FD93
        )
        value = (value ^ (value >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
    return value


@_inlined
def shard_of(value: Any) -> Any:
    """The shard of a hash."""
    return np.int64(value >> np.uint64(64 - SHARD_BITS))


@_inlined
def place_of(value: Any, size: Any) -> Any:
    """Where the search for a hash begins in a table of `size` places (less than 2**32)."""
    part = (value << np.uint64(SHARD_BITS)) >> np.uint64(32)
    return np.int64((part * np.uint64(size)) >> np.uint64(32))


@_inlined
def same(one: Any, at: Any, other: Any, there: Any, words: Any) -> Any:
    """Whether two states are equal."""
    for index in range(words):  # noqa: SIM110 - a loop is what numba makes fast
        if one[at + index] != other[there + index]:
            return False
    return True


@_inlined
def place_in(
    table: Any, size: Any, place: Any, known: Any, states: Any, at: Any, words: Any
) -> Any:
    """Where a state stands in a table of numbers of known states, or the free place for it.

    The table has the number of a state plus one, at the first free place from that of its hash on;
    a zero is a free place. The search begins at `place`.
    """
    while table[place] != 0 and not same(known, (table[place] - 1) * words, states, at, words):
        place += 1
        if place == size:
            place = 0
    return place


@_inlined
def fill(table: Any, size: Any, known: Any, count: Any, words: Any) -> Any:
    """Put the numbers of so many known states into an empty table, as `place_in` reads it."""
    for ahead in range(count + AHEAD):
        if ahead < count:
            prefetch(table, place_of(hash_of(known, ahead * words, words), size))
        number = ahead - AHEAD
        if number < 0:
            continue
        place = place_of(hash_of(known, number * words, words), size)
        while table[place] != 0:
            place += 1
            if place == size:
                place = 0
        table[place] = number + 1


@_inlined
def is_stuck(states: Any, at: Any, successors: Any, count: Any, words: Any) -> Any:
    """Whether none of a state's successors is another state."""
    for index in range(count):  # noqa: SIM110 - a loop is what numba makes fast
        if not same(states, at, successors, index * words, words):
            return False
    return True


@_inlined
def copy(source: Any, at: Any, target: Any, there: Any, words: Any) -> Any:
    """Copy a state."""
    for index in range(words):
        target[there + index] = source[at + index]


@_inlined
def keep_changes(states: Any, at: Any, steps: Any, labels: Any, count: Any, words: Any) -> Any:
    """Drop the steps that change nothing; returns how many are left."""
    kept = 0
    for index in range(count):
        if not same(states, at, steps, index * words, words):
            copy(steps, index * words, steps, kept * words, words)
            labels[kept] = labels[index]
            kept += 1
    return kept if count >= 0 else count


@_inlined
def is_less(one: Any, at: Any, other: Any, there: Any, words: Any) -> Any:
    """Whether a state comes before another in the order of their words."""
    for index in range(words):
        if one[at + index] != other[there + index]:
            return one[at + index] < other[there + index]
    return False


@_compiled
def note(finding: Any, rank: Any, states: Any, at: Any, words: Any) -> Any:
    """Keep a failure if it ranks before the one noted, or the same with smaller states.

    A finding has its rank, then the words of the state, or of the states before and after.
    """
    rank = np.uint64(rank)
    if rank > finding[0]:
        return
    if rank != finding[0] or is_less(states, at, finding, 1, words):
        finding[0] = rank
        copy(states, at, finding, 1, words)


@_inlined
def judge(worker: Any, check_state_at: Any, states: Any, at: Any, words: Any) -> Any:
    """Check one state, and note what is wrong in it."""
    answer = call(check_state_at, address(states, at), worker.marks, worker.marks)
    if answer < 0:
        rank = counts_at(worker.ranks)[-1 - answer]
        note(states_at(worker.failed_state), rank, states, at, words)
    elif answer > 0:
        note(states_at(worker.broken_state), answer, states, at, words)


@_inlined
def expanded(worker: Any, states: Any, at: Any, words: Any) -> Any:
    """Expand one state, count its steps, and note what is wrong in it and in them; how many.

    Successors and labels are the worker's. It has none where the text has no meaning.
    """
    successors, pair = states_at(worker.successors), states_at(worker.pair)
    broken, failed = states_at(worker.broken_step), states_at(worker.failed_step)
    ranks, report = counts_at(worker.ranks), counts_at(worker.report)
    labels, owners = counts_at(worker.labels), counts_at(worker.owners)
    fired = counts_at(worker.fired)
    count = call(worker.expand_at, address(states, at), address(successors, 0), address(labels, 0))
    if count < 0:
        copy(states, at, pair, 0, words)
        copy(states, at, pair, words, words)
        note(failed, ranks[-1 - count], pair, 0, 2 * words)
        return 0
    report[TRANSITIONS] += count
    for index in range(count):
        fired[owners[labels[index]]] += 1
    if is_stuck(states, at, successors, count, words):
        report[DEADLOCKS] += 1
        if worker.stop_at_deadlock != 0:
            copy(states, at, pair, 0, words)
            copy(states, at, pair, words, words)
            note(broken, 0, pair, 0, 2 * words)
    for index in range(count if worker.check_step_at != 0 else 0):
        there = index * words
        answer = call(
            worker.check_step_at, address(states, at), address(successors, there), worker.marks
        )
        if answer != 0:
            copy(states, at, pair, 0, words)
            copy(successors, there, pair, words, words)
            if answer < 0:
                note(failed, ranks[-1 - answer], pair, 0, 2 * words)
            else:
                note(broken, answer, pair, 0, 2 * words)
    return count


@_inlined
def next_random(number: Any) -> Any:
    """The next state of a xorshift generator; never 0 after a number that is not."""
    number ^= number << np.uint64(13)
    number ^= number >> np.uint64(7)
    return number ^ (number << np.uint64(17))
