"""Expressions of the IR as terms.

`And`, `Or`, `Conditional` and comprehensions stop early as Python does: what they do not evaluate
does not fail.
"""

from __future__ import annotations

from lockstep.language import ir
from lockstep.language.domains import RangeDomain
from lockstep.prove import sequences, structures
from lockstep.prove.comprehensions import comprehension
from lockstep.prove.evaluation import Evaluation
from lockstep.prove.terms import Number, Truth, arithmetic, compare, either, equals, negated
from lockstep.prove.values import Value, choose, constant, same


class Expressions(Evaluation):
    """The expressions of one function on one state, or on the two of a step."""

    def value(self, node: ir.Expression) -> Value:
        match node:
            case ir.Literal():
                return constant(node.value)
            case ir.Read():
                return (self.after if node.after else self.before)[node.variable]
            case ir.Local():
                return self.slots[node.slot]
            case ir.Let():
                self.slots[node.slot] = self.value(node.value)
                return self.value(node.body)
            case ir.Not():
                return negated(self.truth(node.operand))
            case ir.And():
                return self.until(node.items, stop=False)
            case ir.Or():
                return self.until(node.items, stop=True)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Compare():
                return self._compare(node)
            case ir.Negate():
                return arithmetic("-", 0, self.number(node.operand))
            case ir.Arithmetic():
                return self._arithmetic(node)
            case ir.Extremum():
                return self._extremum(node)
            case ir.Unwrap():
                return structures.unwrap(self, node)
            case ir.IsNone():
                return structures.is_none(self, node)
            case ir.Field():
                return self.value(node.record)[node.position]
            case ir.MakeRecord():
                return structures.make_record(self, node)
            case ir.Lookup():
                return structures.lookup(self, node)
            case ir.MakeMap():
                return structures.make_map(self, node)
            case ir.Contains():
                return structures.contains(self, node)
            case ir.Size():
                return structures.size(self, node)
            case ir.Subset():
                return structures.subset(self, node)
            case ir.SetOperation():
                return structures.set_operation(self, node)
            case ir.MakeSet():
                return structures.make_set(self, node)
            case ir.Item():
                return sequences.item(self, node)
            case ir.Slice():
                return sequences.stretch(self, node)
            case ir.Concatenate():
                return sequences.joined(self.value(node.left), self.value(node.right))
            case ir.MakeSequence():
                return sequences.make_sequence(self, node)
            case ir.Comprehension():
                return comprehension(self, node)
        raise TypeError(f"{type(node).__name__} is no expression of the IR")

    def _conditional(self, node: ir.Conditional) -> Value:
        test = self.truth(node.test)
        if isinstance(test, bool):
            return self.value(node.then if test else node.otherwise)
        with self.under(test):
            then = self.value(node.then)
        with self.under(negated(test)):
            otherwise = self.value(node.otherwise)
        return choose(test, then, otherwise)

    def _compare(self, node: ir.Compare) -> Truth:
        left, right = self.value(node.left), self.value(node.right)
        match node.operator:
            case "==":
                return same(left, right)
            case "!=":
                return negated(same(left, right))
        return compare(node.operator, left, right)

    def _arithmetic(self, node: ir.Arithmetic) -> Number:
        left, right = self.number(node.left), self.number(node.right)
        if node.operator in ("//", "%"):
            divisor = node.right.domain
            if not isinstance(divisor, RangeDomain) or divisor.low <= 0 <= divisor.high:
                self.fails(equals(right, 0), node.place, "division by zero")
            if isinstance(right, int) and right == 0:
                return 0
        return arithmetic(node.operator, left, right)

    def _extremum(self, node: ir.Extremum) -> Number:
        best, *others = [self.number(item) for item in node.items]
        for other in others:
            best = either(compare(">" if node.largest else "<", other, best), other, best)
        return best
