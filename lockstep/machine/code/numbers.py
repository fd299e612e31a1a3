"""Arithmetic as LLVM instructions."""

from __future__ import annotations

from llvmlite import ir as llvm

from lockstep.language import ir
from lockstep.language.domains import RangeDomain
from lockstep.machine.code.body import Word, Words, word
from lockstep.machine.code.evaluation import Evaluation


def number(evaluation: Evaluation, node: ir.Arithmetic | ir.Negate | ir.Extremum) -> Words:
    """The value of an operation on integers."""
    match node:
        case ir.Negate():
            return [evaluation.builder.neg(evaluation.value(node.operand)[0])]
        case ir.Extremum():
            best, *others = [evaluation.value(item)[0] for item in node.items]
            for other in others:
                best = better(evaluation.builder, node.largest, best, other)
            return [best]
        case ir.Arithmetic():
            return [_arithmetic(evaluation, node)]


def better(builder: llvm.IRBuilder, largest: bool, one: Word, other: Word) -> Word:
    """The larger or smaller of two integers."""
    test = builder.icmp_signed(">" if largest else "<", other, one)
    return builder.select(test, other, one)


def _arithmetic(evaluation: Evaluation, node: ir.Arithmetic) -> Word:
    builder = evaluation.builder
    left, right = evaluation.value(node.left)[0], evaluation.value(node.right)[0]
    match node.operator:
        case "+":
            return builder.add(left, right)
        case "-":
            return builder.sub(left, right)
        case "*":
            return builder.mul(left, right)
    divisor = node.right.domain
    if not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high:
        evaluation.fail_unless(builder.icmp_signed("!=", right, word(0)), node.place)
    quotient, rest = builder.sdiv(left, right), builder.srem(left, right)
    # LLVM rounds towards zero, Python down.
    opposite = builder.icmp_signed("<", builder.xor(rest, right), word(0))
    down = builder.and_(evaluation.body.bit_of(rest), opposite)
    if node.operator == "//":
        return builder.sub(quotient, evaluation.body.word_of(down))
    return builder.select(down, builder.add(rest, right), rest)
