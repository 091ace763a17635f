"""Questions made linear: products of unknowns become unknowns of their own, with what is known of products.

The one idea: margins are multiplied with counters only (so many draws, each within its margin), so a product needs few
facts: it is not negative if its factors are not, and an inequality of whole numbers may be multiplied by a margin, and
divided by a public number above 0. What solvers see is linear, and they decide it; no proof rests on how well
a solver guesses about products.

A divisor that is 0 stops a run, and a formula that divides by 0 says nothing, so a quotient times its divisor is the
dividend wherever either is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.coefficients import added, multiplied
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.symbolic.terms import ONE, ZERO, Outside, Term, both, compare, implies, minus, number, plus, times
from lapwing.kernel.symbolic.world import World

#: Names of unknowns to powers (below 0 for divisors), in order.
Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
#: Larger products than any margin has.
MAX_TERMS, MAX_POWER = 200, 6


@dataclass(slots=True)
class Linear:
    """Makes the questions about one world linear."""

    world: World
    #: what the names in monomials stand for
    _atoms: dict[str, Term] = field(default_factory=dict)
    _products: dict[Monomial, Term] = field(default_factory=dict)
    #: by identity, which is quicker than comparing; the term is kept, so that its place stays its own
    _flat: dict[int, tuple[Term, Term]] = field(default_factory=dict)
    _names: dict[int, tuple[Term, frozenset[str]]] = field(default_factory=dict)

    def question(self, facts: Iterable[Term], goal: Term) -> tuple[list[Term], Term]:
        """Linear facts and a linear goal, with which the goal holds only if it does with the facts given."""
        facts = [*facts, *self.world.facts]
        names = frozenset[str]().union(*map(self.names, (*facts, goal)))
        facts += self.world.rules(names)
        linear = [self.flat(each) for each in facts]
        shown = self.flat(goal)
        return [*linear, *self.lemmas([*facts, goal], [*linear, shown])], shown

    def names(self, term: Term) -> frozenset[str]:
        """The unknowns of a term."""
        known = self._names.get(id(term))
        if known is None or known[0] is not term:
            found = {term.name} if isinstance(term, ir.Name) else set[str]()
            known = (term, frozenset(found.union(*map(self.names, _parts(term)))))
            self._names[id(term)] = known
        return known[1]

    def _comparisons(self, term: Term) -> Iterator[ir.Compare]:
        if isinstance(term, ir.Compare):
            yield term
        for part in _parts(term):
            yield from self._comparisons(part)

    def flat(self, term: Term) -> Term:
        """The term with its products named."""
        known = self._flat.get(id(term))
        if known is None or known[0] is not term:
            known = (term, self._made(term))
            self._flat[id(term)] = known
        return known[1]

    def _made(self, term: Term) -> Term:
        match term:
            case ir.Compare(symbol, left, right):
                return compare(symbol, self.flat(left), self.flat(right))
            case ir.And(operands):
                return ir.And(tuple(self.flat(each) for each in operands))
            case ir.Or(operands):
                return ir.Or(tuple(self.flat(each) for each in operands))
            case ir.Not(operand):
                return ir.Not(self.flat(operand))
            case ir.Conditional(condition, then, otherwise):
                return ir.Conditional(self.flat(condition), self.flat(then), self.flat(otherwise))
            case ir.Index(sequence, index, kind):
                return ir.Index(sequence, self.flat(index), kind)
            case ir.Arithmetic() | ir.Negate():
                return self._written(self.polynomial(term))
        return term

    # --- polynomials ----------------------------------------------------------------------------------------

    def polynomial(self, term: Term) -> Polynomial:
        """A number as a sum of products of unknowns."""
        match term:
            case ir.Number(value):
                return {(): value} if value else {}
            case ir.Negate(operand):
                return {each: -factor for each, factor in self.polynomial(operand).items()}
            case ir.Arithmetic("+", left, right):
                return added(self.polynomial(left), self.polynomial(right))
            case ir.Arithmetic("-", left, right):
                return added(self.polynomial(left), self.polynomial(ir.Negate(right)))
            case ir.Arithmetic("*", left, right):
                return _product(self.polynomial(left), self.polynomial(right))
            case ir.Arithmetic("/", left, right):
                return _product(self.polynomial(left), self._inverse(self.polynomial(right)))
        return {((self._atom(term), 1),): Fraction(1)}

    def _inverse(self, divisor: Polynomial) -> Polynomial:
        if not divisor:
            raise Outside("a formula divides by zero")
        if len(divisor) == 1:
            ((monomial, factor),) = divisor.items()
            return {tuple((name, -power) for name, power in monomial): 1 / factor}
        name = self._atom(self._written(divisor))
        return {((name, -1),): Fraction(1)}

    def _atom(self, term: Term) -> str:
        """The name of what is no sum or product (or is the sum that something is divided by)."""
        flat = term if isinstance(term, ir.Arithmetic) else self.flat(term)
        name = show(flat)
        self._atoms.setdefault(name, flat)
        return name

    def _written(self, polynomial: Polynomial) -> Term:
        total: Term = ZERO
        for monomial, factor in sorted(polynomial.items()):
            total = plus(total, times(number(factor), self._term(monomial)))
        return total

    def _term(self, monomial: Monomial) -> Term:
        match monomial:
            case ():
                return ONE
            case ((name, 1),):
                return self._atoms[name]
        if monomial not in self._products:
            kinds = [self.world.type_of(self._atoms[name]) for name, _ in monomial]
            whole = all(kind == ir.Integer() for kind in kinds) and all(power > 0 for _, power in monomial)
            self._products[monomial] = self.world.fresh("product", ir.Integer() if whole else ir.Real())
        return self._products[monomial]

    # --- what is known of products --------------------------------------------------------------------------

    def lemmas(self, terms: Iterable[Term], linear: Iterable[Term]) -> list[Term]:
        """Facts about the products in ``linear``, which are ``terms`` made linear: true whatever the unknowns are."""
        present = frozenset[str]().union(*map(self.names, linear))
        used = {each: term for each, term in self._products.items() if show(term) in present}
        found: list[Term] = []
        factors = list(dict.fromkeys(self._factors(used)))
        if factors:
            comparisons = {show(part): part for term in terms for part in self._comparisons(term)}
            for _, comparison in sorted(comparisons.items()):
                found += self._multiplied(comparison, factors)
            present = frozenset[str]().union(present, *map(self.names, found))
        for monomial, product in self._products.items():
            if show(product) in present:
                positive = both(self._not_negative(name, power) for name, power in monomial)
                found.append(implies(positive, compare(">=", product, ZERO)))
        return found

    def _not_negative(self, name: str, power: int) -> Term:
        return compare(">=" if power > 0 else ">", self._atoms[name], ZERO)

    def _factors(self, used: dict[Monomial, Term]) -> Iterator[Monomial]:
        """What inequalities are multiplied by: margins, divisors, and margins over divisors."""
        for monomial in used:
            margins = [name for name, power in monomial if name.startswith("gamma(") and power == 1]
            divisors = [name for name, power in monomial if power == -1]
            yield from (((name, 1),) for name in margins)
            yield from (((name, -1),) for name in divisors)
            yield from (tuple(sorted(((a, 1), (b, -1)))) for a in margins for b in divisors)

    def _multiplied(self, comparison: ir.Compare, factors: list[Monomial]) -> Iterator[Term]:
        """A comparison of whole numbers, and its contrary, times each factor."""
        try:
            difference = self.polynomial(minus(comparison.right, comparison.left))
        except Outside:
            return
        names = {name for monomial in difference for name, power in monomial if power > 0}
        if not names or any(self.world.type_of(self._atoms[name]) != ir.Integer() for name in names):
            return
        if any(power < 0 for monomial in difference for _, power in monomial):
            return
        if any(factor.denominator != 1 for factor in difference.values()):
            return  # the difference of the sides is whole only with whole factors
        test = self.flat(comparison)
        contrary = ir.Not(test)
        less: Polynomial = {(): Fraction(-1)}
        lowered = added(difference, less)
        opposite = {monomial: -factor for monomial, factor in difference.items()}
        least = added(opposite, less)
        cases: dict[str, list[tuple[Term, Polynomial]]] = {
            "<": [(test, lowered), (contrary, opposite)],
            "<=": [(test, difference), (contrary, least)],
            ">": [(test, least), (contrary, difference)],
            ">=": [(test, opposite), (contrary, lowered)],
            "==": [(test, difference), (test, opposite)],
            "!=": [(contrary, difference), (contrary, opposite)],
        }
        for factor in factors:
            positive = both(self._not_negative(name, power) for name, power in factor)
            for known, polynomial in cases[comparison.operator]:
                product = self._written(_product(polynomial, {factor: Fraction(1)}))
                yield implies(both((known, positive)), compare(">=", product, ZERO))


def _parts(term: Term) -> tuple[Term, ...]:
    match term:
        case ir.Number() | ir.Truth() | ir.Name():
            return ()
        case ir.Arithmetic(_, left, right) | ir.Compare(_, left, right):
            return left, right
        case ir.And(operands) | ir.Or(operands):
            return operands
        case ir.Not(operand) | ir.Negate(operand):
            return (operand,)
        case ir.Conditional(condition, then, otherwise):
            return condition, then, otherwise
        case ir.Index(sequence, index):
            return sequence, index
    raise Outside("this is no term", term)


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > MAX_TERMS:
        raise Outside("a product is larger than any margin has")
    return multiplied(left, right, _times)


def _times(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    if any(abs(power) > MAX_POWER for power in powers.values()):
        raise Outside("a product is larger than any margin has")
    return tuple(sorted((name, power) for name, power in powers.items() if power))
