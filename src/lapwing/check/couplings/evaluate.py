"""The value of an expression of the program, or of a formula of the certificate, in one of the two runs."""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.formulas import formula
from lapwing.check.couplings.runs import FIRST, SECOND, Inputs, Pair, State
from lapwing.check.couplings.terms import Term, Terms
from lapwing.program import ir


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Expressions in one state; formulas may also speak of a draw and of the ghost, where they are there."""

    inputs: Inputs
    state: State
    ghost: Term | None = None
    draw: Term | None = None

    @property
    def terms(self) -> Terms:
        """The terms."""
        return self.inputs.terms

    def formula(self, text: str) -> Term:
        """What a formula of the certificate says here."""
        return self.value(formula(text), FIRST)

    def value(self, node: ir.Expression, run: int) -> Term:
        """The scalar that ``node`` stands for in that run."""
        terms = self.terms
        match node:
            case ir.Number(number):
                return terms.number(number)
            case ir.Truth(truth):
                return terms.truth(truth)
            case ir.Name(name) if name in self.state.values:
                return self.state.values[name][run]
            case ir.Negate(operand):
                return terms.minus(self.value(operand, run))
            case ir.Arithmetic(operator, left, right):
                return terms.arithmetic(operator, self.value(left, run), self.value(right, run))
            case ir.Compare(operator, left, right):
                return terms.compare(operator, self.value(left, run), self.value(right, run))
            case ir.And(operands):
                return terms.both([self.value(operand, run) for operand in operands])
            case ir.Or(operands):
                return terms.either([self.value(operand, run) for operand in operands])
            case ir.Not(operand):
                return terms.negate(self.value(operand, run))
            case ir.Conditional(condition, then, otherwise):
                return terms.choose(*(self.value(each, run) for each in (condition, then, otherwise)))
            case ir.Builtin(function, arguments) if (found := self._word(function, arguments)) is not None:
                return found
            case ir.Builtin(function, arguments):
                return self._builtin(node, function, [self.value(argument, run) for argument in arguments])
            case ir.Index(ir.Name(name), index) if name in self.inputs.elements:
                return self._element(name, self.value(index, run), run)
        raise at(node, "this expression is outside what coupling proofs cover")

    def _builtin(self, node: ir.Node, function: str, values: list[Term]) -> Term:
        terms = self.terms
        match function, values:
            case "abs", [number]:
                return terms.magnitude(number)
            case "min", [_, _, *_]:
                return terms.smaller(*values)
            case "max", [_, _, *_]:
                return terms.larger(*values)
            case "clip", [number, low, high]:
                return terms.larger(low, terms.smaller(number, high))
            case "match", [left, right]:
                return terms.compare("==", left, right)
        raise at(node, f"{function}(…) is outside what coupling proofs cover here")

    def _word(self, function: str, arguments: tuple[ir.Expression, ...]) -> Term | None:
        """The functions that are not functions of values: lengths, and what only formulas can say."""
        match function, arguments:
            case "len", (items,):
                return self.length(items)
            case "%hat", (operand,):
                return self.terms.arithmetic("-", self.value(operand, SECOND), self.value(operand, FIRST))
            case "%other", (operand,):
                return self.value(operand, SECOND)
            case "%where", (ir.Name(name),):
                return self.inputs.where.get(name)
            case "%rising", (ir.Name(name),):
                return self.inputs.rising.get(name)
            case "%cost", (ir.Number(site),) if site.denominator == 1:
                return self.state.costs.get(int(site))
            case "%round", (ir.Number(loop),) if loop.denominator == 1:
                return self.state.rounds.get(int(loop))
            case "%draw", ():
                return self.draw
            case "%output", ():
                return self.ghost
        return None

    def _element(self, name: str, index: Term, run: int) -> Term:
        """``name[index]``: from the end if negative, the zero of its type outside."""
        terms, length, zero = self.terms, self.inputs.lengths[name], self.terms.number(0)
        if not terms.is_whole(index):
            raise Unproved(f"an index of '{name}' is not a whole number")
        position = terms.choose(terms.compare(">=", index, zero), index, terms.arithmetic("+", index, length))
        inside = terms.both((terms.compare(">=", position, zero), terms.compare("<", position, length)))
        element = self.inputs.element(name, position, run)
        return terms.choose(inside, element, terms.truth(False) if terms.is_truth(element) else zero)

    def length(self, node: ir.Expression) -> Term:
        """The length of a list: the same in both runs."""
        if not isinstance(node, ir.Name) or node.name not in self.state.lengths:
            raise at(node, "the length of this is outside what coupling proofs cover")
        return self.state.lengths[node.name]

    def pair(self, node: ir.Expression) -> Pair:
        """The value in both runs."""
        return self.value(node, FIRST), self.value(node, SECOND)

    def same(self, node: ir.Expression) -> Term:
        """That ``node`` has the same value in both runs; lists that are public or that the program built always do."""
        match node:
            case ir.Name(name) if name in self.state.lengths and not self.inputs.is_private(name):
                return self.terms.truth(True)
            case ir.TupleOf(elements) | ir.ListOf(elements):
                return self.terms.both([self.same(element) for element in elements])
        return self.terms.compare("==", *self.pair(node))


def inputs_of(terms: Terms, mechanism: ir.Mechanism) -> Inputs:
    """The parameters of both runs with what is known of them: preconditions, declared distances, the relation."""
    inputs = Inputs(terms, mechanism)
    look = Evaluator(inputs, State(inputs.scalars, inputs.lengths))
    inputs.facts += [look.value(condition, FIRST) for condition in mechanism.preconditions]
    for parameter in mechanism.parameters:
        if parameter.distance is not None:  # a run refuses one below 0
            distance = inputs.distances[parameter.name] = look.value(parameter.distance, FIRST)
            inputs.facts.append(terms.compare(">=", distance, terms.number(0)))
        if parameter.relation is not None and parameter.name in inputs.scalars:
            inputs.relate(parameter, parameter.relation.kind, *inputs.scalars[parameter.name])
    return inputs
