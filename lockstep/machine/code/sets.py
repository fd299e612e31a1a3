"""Sets as LLVM instructions: a bit an item."""

from __future__ import annotations

from lockstep.language import ir
from lockstep.language.domains import SetDomain
from lockstep.language.types import join
from lockstep.machine.code.body import Words, word
from lockstep.machine.code.evaluation import Evaluation


def set_value(evaluation: Evaluation, node: ir.Subset | ir.SetOperation | ir.MakeSet) -> Words:
    """The set of some values, of an operation on two sets, or whether one lies in the other."""
    if isinstance(node, ir.MakeSet):
        return _set_of_items(evaluation, node)
    builder, body = evaluation.builder, evaluation.body
    domain = join(node.left.domain, node.right.domain)
    assert domain is not None
    left, right = evaluation.as_(node.left, domain), evaluation.as_(node.right, domain)
    pairs = list(zip(left, right, strict=True))
    if isinstance(node, ir.Subset):
        outside = [builder.and_(one, builder.not_(other)) for one, other in pairs]
        within = body.equal(outside, [word(0)] * len(outside))
        if node.strict:
            within = builder.and_(within, builder.not_(body.equal(left, right)))
        return [body.word_of(within)]
    match node.operator:
        case "|":
            words = [builder.or_(one, other) for one, other in pairs]
        case "&":
            words = [builder.and_(one, other) for one, other in pairs]
        case "-":
            words = [builder.and_(one, builder.not_(other)) for one, other in pairs]
        case _:
            words = [builder.xor(one, other) for one, other in pairs]
    return evaluation.coercion.to(words, domain, node.domain)[0]


def _set_of_items(evaluation: Evaluation, node: ir.MakeSet) -> Words:
    assert isinstance(node.domain, SetDomain)
    shapes = evaluation.shapes
    words = shapes.zero(node.domain)
    for item in node.items:
        position = shapes.position(node.domain, evaluation.packed(item, node.domain.item))
        words = shapes.with_position(words, position)
    return words
