"""The value of an expression of the program, or of a formula of the certificate, in one of the two runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.operators import applied, operated
from lapwing.kernel.program import ir
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.relational.runs import FIRST, SECOND, Inputs, Pair, State
from lapwing.kernel.solver import Term, Terms


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Expressions in one state; formulas may also speak of a draw and of the ghost, where they are there."""

    inputs: Inputs
    state: State
    ghost: Term | None = None
    draw: Term | None = None
    #: in what is said of the elements of a list: the list, and the position of the one at hand
    place: tuple[str, Term] | None = None
    #: what was evaluated already, with the node itself, so that its identity stays its own
    seen: dict[tuple[int, int], tuple[ir.Expression, Term]] = field(default_factory=dict, compare=False)

    @property
    def terms(self) -> Terms:
        """The terms."""
        return self.inputs.terms

    def formula(self, text: str) -> Term:
        """What a formula of the certificate says here."""
        return self.value(formula(text), FIRST)

    def value(self, node: ir.Expression, run: int) -> Term:
        """The scalar that ``node`` stands for in that run; a part that stands in two places is evaluated once."""
        known = self.seen.get((id(node), run))
        if known is None:
            known = self.seen[id(node), run] = node, self._value(node, run)
        return known[1]

    def _value(self, node: ir.Expression, run: int) -> Term:
        terms = self.terms
        match node:
            case ir.Number(number):
                return terms.number(number)
            case ir.Name(name) if name in self.state.values:
                return self.state.values[name][run]
            case ir.Builtin(function, arguments) if (found := self._word(function, arguments, run)) is not None:
                return found
            case ir.Builtin(function, arguments):
                values = [self.value(argument, run) for argument in arguments]
                found = terms.compare("==", *values) if function == "match" else applied(terms, function, values)
                if found is None:
                    raise at(node, f"{function}(…) is outside what coupling proofs cover here")
                return found
            case ir.Index(ir.Name(name), ir.Builtin("%place", ())) if self.place is not None and name == self.place[0]:
                return terms.at(self.inputs.elements[name][run], self.place[1])
            case ir.Index(ir.Name(name), index) if name in self.inputs.elements and name in self.state.lengths:
                return self.element(name, self.value(index, run), run)
        found = operated(terms, node, lambda part: self.value(part, run))
        if found is None:
            raise at(node, "this expression is outside what coupling proofs cover")
        return found

    def _word(self, function: str, arguments: tuple[ir.Expression, ...], run: int) -> Term | None:
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
            case "%tries", (ir.Number(entry),) if entry.denominator == 1:
                return self.state.tries.get(int(entry))
            case "%uses", (ir.Number(site),) if site.denominator == 1:
                return self.state.uses.get(int(site))
            case "%width", (ir.Number(site),) if site.denominator == 1:
                return self.inputs.widths.get(int(site))
            case "%round", (ir.Number(loop),) if loop.denominator == 1:
                return self.state.rounds.get(int(loop))
            case "%draw", ():
                return self.draw
            case "%output", ():
                return self.ghost
            case "%place", () if self.place is not None:
                return self.place[1]
            case "%next", (ir.Name(name),):
                return self.state.nexts.get(name)
            case "%left", (ir.Number(loop),) if loop in self.state.left:
                return self.state.left[int(loop)][run]
            case "%answered", () if self.ghost is not None:
                return self.state.answered[run]
            case "%answer", () if run == SECOND:
                return self.state.answer
        return None

    def held(self, name: str, position: Term) -> Term:
        """What the certificate says of the element of a built list at ``position``: nothing that changes in a run."""
        rigid = State(self.inputs.scalars, self.inputs.lengths)
        return Evaluator(self.inputs, rigid, self.ghost, place=(name, position)).value(self.inputs.held[name], FIRST)

    def element(self, name: str, index: Term, run: int) -> Term:
        """``name[index]``: from the end if negative, the zero of its type outside."""
        terms, length, zero = self.terms, self.state.lengths[name], self.terms.number(0)
        if not terms.is_whole(index):
            raise Unproved(f"an index of '{name}' is not a whole number")
        position = terms.choose(terms.compare(">=", index, zero), index, terms.arithmetic("+", index, length))
        inside = terms.both((terms.compare(">=", position, zero), terms.compare("<", position, length)))
        element = self.inputs.element(name, position, run)
        if name in self.inputs.held:
            self.inputs.facts.append(terms.implies(inside, self.held(name, position)))
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
            case ir.Name(name) if name in self.state.lengths and not self.inputs.mechanism.is_private(name):
                return self.terms.truth(name not in self.inputs.held)
            case ir.TupleOf(elements) | ir.ListOf(elements):
                return self.terms.both([self.same(element) for element in elements])
        return self.terms.compare("==", *self.pair(node))


def inputs_of(terms: Terms, mechanism: ir.Mechanism) -> Inputs:
    """The parameters of both runs with what is known of them: preconditions, declared distances, the relation."""
    inputs = Inputs(terms, mechanism)
    look = Evaluator(inputs, State(inputs.scalars, inputs.lengths))
    # what speaks of real ln, exp or sqrt says nothing that alignments need
    inputs.facts += [look.value(each, FIRST) for each in mechanism.preconditions if not is_irrational(each)]
    for parameter in mechanism.parameters:
        if parameter.distance is not None:  # a run refuses one below 0
            distance = inputs.distances[parameter.name] = look.value(parameter.distance, FIRST)
            inputs.facts.append(terms.compare(">=", distance, terms.number(0)))
        if parameter.nearby is not None and parameter.given is not None:
            # max(d, 0): where a distance is below 0 no run answers, and nothing follows from that here
            near = terms.larger(terms.number(0), look.value(parameter.nearby, FIRST))
            apart = terms.arithmetic("-", *inputs.scalars[parameter.name])
            holds = terms.either(look.value(parameter.given, run) for run in (FIRST, SECOND))
            inputs.facts.append(terms.implies(holds, terms.compare("<=", terms.magnitude(apart), near)))
        elif parameter.relation is not None and parameter.name in inputs.scalars:
            inputs.relate(parameter, parameter.relation.kind, *inputs.scalars[parameter.name])
    return inputs
