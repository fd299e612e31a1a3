"""One LLVM function under construction: words, branches, loops, and the way out when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from llvmlite import ir as llvm

I64 = llvm.IntType(64)
BIT = llvm.IntType(1)
POINTER = I64.as_pointer()

Word: TypeAlias = llvm.Value
"""A 64-bit integer."""
Bit: TypeAlias = llvm.Value
"""A truth value."""
Words: TypeAlias = "list[llvm.Value]"
"""A value of a domain: one word for an atom or anything flat, else as many as its layout has."""


def word(number: int) -> llvm.Constant:
    """A constant; a negative number stands for its two's complement."""
    return llvm.Constant(I64, number)


def bit(truth: bool) -> llvm.Constant:
    """A constant truth value."""
    return llvm.Constant(BIT, int(truth))


@dataclass(frozen=True)
class Loop:
    """Where a loop goes on with its next round, and where it ends."""

    index: Word
    next: llvm.Block
    after: llvm.Block


class Body:
    """Emits the body of one function that returns a word.

    A function that meets a state in which the text has no meaning returns `-1 - site`, the site
    being the number of the place in the text.
    """

    def __init__(self, function: llvm.Function) -> None:
        self.function = function
        self._entry = function.append_basic_block("entry")
        start = function.append_basic_block("start")
        self.builder = llvm.IRBuilder(start)
        self._allocas = llvm.IRBuilder(self._entry)
        self._start = start
        self._failed: llvm.Block | None = None
        self._site: llvm.PhiInstr | None = None

    def finish(self) -> None:
        """Close the entry block; everything else must be terminated."""
        self._allocas.branch(self._start)

    def variable(self, first: Word) -> llvm.Value:
        """A variable of the function, set to `first` here."""
        place = self._allocas.alloca(I64)
        self.builder.store(first, place)
        return place

    def variables(self, first: Sequence[Word]) -> list[llvm.Value]:
        """One variable a word."""
        return [self.variable(value) for value in first]

    def array(self, size: int) -> llvm.Value:
        """Memory of the function for some words, by its address."""
        return self._allocas.alloca(I64, size)

    def load(self, places: Sequence[llvm.Value]) -> Words:
        """The words that variables have now."""
        return [self.builder.load(place) for place in places]

    def store(self, values: Sequence[Word], places: Sequence[llvm.Value]) -> None:
        """Set variables."""
        for value, place in zip(values, places, strict=True):
            self.builder.store(value, place)

    def block(self, name: str) -> llvm.Block:
        """A new block, to be entered by `enter`."""
        return self.function.append_basic_block(name)

    def enter(self, block: llvm.Block) -> None:
        """Go on emitting in a block."""
        self.builder.position_at_end(block)

    def fail_unless(self, holds: Bit, site: int) -> None:
        """Leave the function with a failure at `site` unless the bit is set."""
        if self._failed is None:
            self._failed = self.block("failed")
            inside = llvm.IRBuilder(self._failed)
            self._site = inside.phi(I64)
            inside.ret(self._site)
        assert self._site is not None
        going_on = self.block("")
        self._site.add_incoming(word(-1 - site), self.builder.block)
        self.builder.cbranch(holds, going_on, self._failed)
        self.enter(going_on)

    def bit_of(self, value: Word) -> Bit:
        """Whether a word is not zero."""
        return self.builder.icmp_unsigned("!=", value, word(0))

    def word_of(self, value: Bit) -> Word:
        """A truth value as 0 or 1."""
        return self.builder.zext(value, I64)

    def equal(self, left: Sequence[Word], right: Sequence[Word]) -> Bit:
        """Whether all words are the same."""
        result: Bit | None = None
        for one, other in zip(left, right, strict=True):
            same = self.builder.icmp_unsigned("==", one, other)
            result = same if result is None else self.builder.and_(result, same)
        return bit(True) if result is None else result

    def select(self, test: Bit, then: Sequence[Word], otherwise: Sequence[Word]) -> Words:
        """One of two values, both evaluated already."""
        return [
            self.builder.select(test, one, other)
            for one, other in zip(then, otherwise, strict=True)
        ]

    def choose(self, test: Bit, then: Callable[[], Words], otherwise: Callable[[], Words]) -> Words:
        """One of two values, only that one evaluated."""
        yes, no, after = self.block("then"), self.block("else"), self.block("after")
        self.builder.cbranch(test, yes, no)
        self.enter(yes)
        first = then()
        yes = self.builder.block
        self.builder.branch(after)
        self.enter(no)
        second = otherwise()
        no = self.builder.block
        self.builder.branch(after)
        self.enter(after)
        merged: Words = []
        for one, other in zip(first, second, strict=True):
            phi = self.builder.phi(I64)
            phi.add_incoming(one, yes)
            phi.add_incoming(other, no)
            merged.append(phi)
        return merged

    @contextmanager
    def loop(self, count: Word) -> Iterator[Loop]:
        """What is emitted inside is done `count` times."""
        head, inside = self.block("head"), self.block("round")
        following, after = self.block("next"), self.block("after")
        before = self.builder.block
        self.builder.branch(head)
        self.enter(head)
        index = self.builder.phi(I64)
        index.add_incoming(word(0), before)
        self.builder.cbranch(self.builder.icmp_unsigned("<", index, count), inside, after)
        self.enter(inside)
        yield Loop(index, following, after)
        self.builder.branch(following)
        self.enter(following)
        index.add_incoming(self.builder.add(index, word(1)), following)
        self.builder.branch(head)
        self.enter(after)

    def leave_if(self, test: Bit, target: llvm.Block) -> None:
        """Go to another block if the bit is set, else on."""
        going_on = self.block("")
        self.builder.cbranch(test, target, going_on)
        self.enter(going_on)

    def bits_at(self, value: Word, shift: int, width: int) -> Word:
        """`width` bits of a word from `shift` on."""
        if width == 0:
            return word(0)
        if shift:
            value = self.builder.lshr(value, word(shift))
        if shift + width < 64:
            value = self.builder.and_(value, word((1 << width) - 1))
        return value
