"""From prices of draws to a bound: the sum is the bound, and the bound is within the claim, for all public parameters.

The one idea: a draw that is never made costs nothing and says nothing about its scale. So the sum over *every* set of
sites that may be the ones drawn has to be within the bound, knowing only that the scales of these are above 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product

from lapwing.algebra.balls import Interval
from lapwing.errors import LapwingError
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.irrational import Irrational
from lapwing.kernel.prices.irrational import facts as irrational_facts
from lapwing.kernel.prices.polynomials import OPERATORS, Polynomial, Quotient, unknown
from lapwing.kernel.prices.powers_of_e import NO_POWERS, PowersOfE
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS, is_irrational
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.solver import Term, Terms

#: More draws than this would need too many sets of sites.
MAX_SITES = 8
#: More variables that are set to each other than any scale needs.
MAX_DEPTH = 20
#: More values of ln, exp and sqrt than any bound needs: each is compared with every other, and solvers break on that.
MAX_IRRATIONAL = 16


@dataclass(frozen=True, slots=True)
class Price:
    """What a site costs (ε or ρ) if it is reached, and the formulas that are then above 0, or ``least`` 0."""

    cost: Quotient
    positive: tuple[Quotient, ...]
    least: tuple[Quotient, ...] = ()


#: What a site, or sites bounded together, may cost: one price per way of reaching them (all agree where they are
#: defined), and None if they may not be reached at all.
Ways = tuple[Price | None, ...]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The public parameters of a mechanism as unknowns, with what is known of them."""

    terms: Terms
    mechanism: ir.Mechanism
    #: unknowns for powers of e, where those are told from each other
    powers: PowersOfE = NO_POWERS
    #: the irrational functions met so far, by how they are written
    irrational: dict[str, Irrational] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> frozenset[str]:
        """Every unknown: public numbers, and lengths that neighbours share."""
        found: set[str] = set()
        for each in self.mechanism.parameters:
            if isinstance(each.type, ir.List) and each.as_long:
                found.add(f"len({each.name})")
            elif not each.private and isinstance(each.type, ir.Real | ir.Integer):
                found.add(each.name)
        return frozenset(found | {name for name, _ in self.powers.bases})

    @property
    def _changing(self) -> frozenset[str]:
        """The unknowns that the body sets."""
        return self.names.intersection(walk.assigned(self.mechanism.body))

    def read(self, text: str) -> Quotient:
        """A formula over public parameters, and nothing else."""
        return self.of(formula(text), MAX_DEPTH)

    def of(self, node: ir.Expression, depth: int = 0) -> Quotient:
        """A scale, distance or claim of the program; a variable that is set once, to such a formula, is that formula.

        Wherever it is read it has been set, and whatever stands in the formula never changes: what is computed from an
        account, which is a known number here and is set in the body, may be from before or after a payment.
        """
        match node:
            case ir.Number(value):
                return Quotient.of(value)
            case ir.Negate(operand):
                return -self.of(operand, depth)
            case ir.Arithmetic(symbol, left, right):
                return OPERATORS[symbol](self.of(left, depth), self.of(right, depth))
            case ir.Builtin("len", (ir.Name(name),)) if f"len({name})" in self.names:
                return unknown(f"len({name})")
            case ir.Builtin("exp", (operand,)) if self.powers.bases:
                return self.powers.of(self.of(operand, depth))
            case ir.Builtin("ln" | "exp" | "sqrt" as function, (operand,)):
                written, argument = show(node), self.of(operand, depth)
                _check_number({*self.irrational, written}, node)
                self.irrational[written] = Irrational(function, argument, _ends(node))
                return unknown(written)
            case ir.Name(name) if name in self.names:
                return unknown(name)
            case ir.Name(name) if self.mechanism.parameter(name) is None and depth < MAX_DEPTH:
                setting = [each for each in walk.statements(self.mechanism.body) if name in walk.targets(each)]
                match setting:
                    case [ir.Assign(_, inner)] if not walk.names(inner) & self._changing:
                        return self.of(inner, depth + 1)
        raise at(node, "this is not a formula over public parameters")

    # --- the inequality -------------------------------------------------------------------------------------

    def check_sum(self, prices: Sequence[Ways], bound: str) -> None:
        """Refuse unless the prices add up to ``bound``, which is within the claim, whichever sites are reached."""
        if len(prices) > MAX_SITES:
            raise Unproved(f"there are more than {MAX_SITES} draws")
        stated = self.read(bound)
        for condition in self.mechanism.preconditions:
            self._note(condition)
        whole = _sum(next(price for price in ways if price is not None) for ways in prices)
        if not self.irrational and not whole.agrees(stated):
            raise Unproved(f"the prices of the draws do not add up to {bound[:80]}")
        claim = claimed(self.mechanism)
        limits = [(stated, bound)] if claim is None else [(stated, bound), (self.of(claim), "the claim")]
        for limit, text in limits:
            if not limit.above.is_zero and self._never_above(limit):
                raise Unproved(f"{text[:80]} is never above 0, and no mechanism has a bound below 0")
        for reached in product(*prices):
            made = [price for price in reached if price is not None]
            if prices and not made:
                continue  # without any draw the answers are equal, which costs nothing
            positive = [each for price in made for each in price.positive]
            least = [each for price in made for each in price.least]
            for limit, text in limits:
                if not self.never_zero(positive, [price.cost.below for price in made], limit.below):
                    raise Unproved(f"a price may be undefined where {text[:80]} is not")
                if not self.entailed(positive, least, limit - _sum(made)):
                    raise Unproved(f"the prices of the draws may pass {text[:80]}")

    def _never_above(self, limit: Quotient) -> bool:
        """Whether a limit is 0 or less everywhere."""
        return any(self._asked((), (), -limit, whole=whole) for whole in self._ways)

    @property
    def _ways(self) -> tuple[bool, ...]:
        """Whether to know which numbers are whole: not at first, and never beside irrational ones, for time."""
        return (False,) if self.irrational else (False, True)

    def entailed(self, positive: Iterable[Quotient], sound: Iterable[Quotient], value: Quotient) -> bool:
        """Whether ``value`` is at least 0 wherever it is defined, ``positive`` are above and ``sound`` at least 0."""
        if value.above.is_zero:
            return True
        positive, sound = tuple(positive), tuple(sound)
        if value.is_negative and not positive and not sound:
            return False  # but where no precondition ever holds; the solver would look for numbers that meet them all
        asked = frozenset[str]().union(*(each.names for each in (*positive, *sound, value)))
        rational = tuple(each for each in self.mechanism.preconditions if not is_irrational(each))
        # first without irrational numbers, where none is asked about: knowing less proves no more, and takes less time
        if not asked & set(self.irrational) and rational != self.mechanism.preconditions:
            plain = replace(self, irrational={}, mechanism=replace(self.mechanism, preconditions=rational))
            if plain.entailed(positive, sound, value):
                return True
        # what holds for all reals holds for whole numbers, and polynomials over the reals are decidable
        return any(self._asked(positive, sound, value, whole=whole) for whole in self._ways)

    def some_hold(self, positive: Iterable[Quotient], cases: Sequence[Sequence[Quotient]]) -> bool:
        """Whether everywhere all formulas of some case are at least 0, where ``positive`` are above 0.

        That the formulas are defined is the caller's care.
        """
        unknowns = self._unknowns(whole=False)
        facts = [*self._facts(unknowns), *(self._sign(">", each, unknowns) for each in positive)]
        goal = self.terms.either(self.terms.both(self._sign(">=", each, unknowns) for each in case) for case in cases)
        return self.terms.entailed(facts, goal, "QF_NRA")

    def never_zero(
        self, positive: Iterable[Quotient], values: Iterable[Polynomial], given: Polynomial | None = None
    ) -> bool:
        """Whether no value is ever 0 where ``positive`` are above 0 and ``given`` is not 0."""
        values = [value for value in values if not value.is_number]
        if not values or any(value.is_zero for value in values):
            return not values  # where nothing can be, 0 is never met either; the solver would look for all that can be
        positive = tuple(positive)
        for whole in (False, True):
            unknowns = self._unknowns(whole=whole)
            if whole and all(not self.terms.is_whole(unknown) for unknown in unknowns.values()):
                return False
            facts = [*self._facts(unknowns), *(self._sign(">", each, unknowns) for each in positive)]
            if given is not None:
                facts.append(self._other_than_zero(given, unknowns))
            goal = self.terms.both(self._other_than_zero(value, unknowns) for value in values)
            if self.terms.entailed(facts, goal, "QF_NIRA" if whole else "QF_NRA"):
                return True
        return False

    def _asked(self, positive: Iterable[Quotient], sound: Iterable[Quotient], value: Quotient, *, whole: bool) -> bool:
        unknowns = self._connected(self._unknowns(whole=whole), value, *positive, *sound)
        if whole and all(not self.terms.is_whole(unknown) for unknown in unknowns.values()):
            return False
        facts = [*self._facts(unknowns), self._defined(value, unknowns)]
        facts += [self._sign(">", each, unknowns) for each in positive]
        for each in sound:
            facts += [self._sign(">=", each, unknowns), self._defined(each, unknowns)]
        return self.terms.entailed(facts, self._sign(">=", value, unknowns), "QF_NIRA" if whole else "QF_NRA")

    def _connected(self, unknowns: dict[str, Term], *asked: Quotient) -> dict[str, Term]:
        """The unknowns that some chain of facts connects with a question; what is said of others takes only time."""
        together = [self._named(each) for condition in self.mechanism.preconditions for each in _conjuncts(condition)]
        together += [self.of(each.distance).names for each in self.mechanism.parameters if each.distance is not None]
        for function in ("ln", "exp", "sqrt"):  # values of one function are compared with each other
            alike = {name: each.argument.names for name, each in self.irrational.items() if each.function == function}
            together.append(frozenset(alike).union(*alike.values()))
        found = {name for each in asked for name in each.names} | {name for name, _ in self.powers.bases}
        while more := {name for each in together if each & found for name in each} - found:
            found |= more
        return {name: term for name, term in unknowns.items() if name in found}

    def _named(self, condition: ir.Expression) -> frozenset[str]:
        """The unknowns that the comparisons of a condition are about."""
        found: set[str] = set()
        for part in walk.nodes(condition):
            if isinstance(part, ir.Compare):
                with suppress(Unproved):
                    found |= (self.of(part.left) - self.of(part.right)).names
        return frozenset(found)

    def unknowns(self) -> dict[str, Term]:
        """A real unknown for every public number; what holds of all reals holds of whole numbers."""
        return self._unknowns(whole=False)

    def known(self, unknowns: dict[str, Term], positive: Iterable[Quotient]) -> Iterable[Term]:
        """What is known of these unknowns, where ``positive`` are above 0."""
        yield from self._facts(unknowns)
        yield from (self._sign(">", each, unknowns) for each in positive)

    def _unknowns(self, *, whole: bool) -> dict[str, Term]:
        counts = {each.name for each in self.mechanism.parameters if each.type == ir.Integer()}
        for condition in self.mechanism.preconditions:
            self._note(condition)
        return {
            name: self.terms.fresh(ir.Integer() if whole and (name in counts or _is_length(name)) else ir.Real(), name)
            for name in sorted(self.names | set(self.irrational))
        }

    def _note(self, node: ir.Expression) -> None:
        """Name the irrational functions of a precondition; one that cannot be read is left out anyway."""
        for part in walk.nodes(node):
            if isinstance(part, ir.Builtin) and part.function in CLAIM_FUNCTIONS:
                with suppress(Unproved):
                    self.of(part, MAX_DEPTH)

    def _facts(self, unknowns: dict[str, Term]) -> Iterable[Term]:
        """What is known of these unknowns: preconditions, and that lengths and declared distances are not below 0."""
        zero = self.terms.number(0)
        for name, term in unknowns.items():
            if _is_length(name):
                yield self.terms.compare(">=", term, zero)
        for name, _ in self.powers.bases:
            yield self.terms.compare(">", unknowns[name], zero)
        for parameter in self.mechanism.parameters:
            if parameter.distance is not None and (distance := self.of(parameter.distance)).names <= unknowns.keys():
                yield self._sign(">=", distance, unknowns)
        for condition in self.mechanism.preconditions:
            yield from self._condition(condition, unknowns)
        irrational = {name: each for name, each in self.irrational.items() if name in unknowns}
        yield from irrational_facts(self.terms, irrational, lambda symbol, value: self._holds(symbol, value, unknowns))

    def _holds(self, symbol: str, value: Quotient, unknowns: dict[str, Term]) -> Term:
        """``value symbol 0``, and that the value is defined."""
        return self.terms.both((self._sign(symbol, value, unknowns), self._defined(value, unknowns)))

    def _condition(self, node: ir.Expression, unknowns: dict[str, Term]) -> Iterable[Term]:
        """Comparisons that hold; a precondition of another form is left out, which can only lose a proof."""
        match node:
            case ir.And(operands):
                for operand in operands:
                    yield from self._condition(operand, unknowns)
            case ir.Or(operands):
                ways = [list(self._condition(operand, unknowns)) for operand in operands]
                if all(ways):
                    yield self.terms.either([self.terms.both(way) for way in ways])
            case ir.Compare(symbol, left, right):
                try:
                    difference = self.of(left) - self.of(right)
                except Unproved:
                    return
                if difference.names <= unknowns.keys():
                    yield self._sign(symbol, difference, unknowns)

    def _sign(self, symbol: str, value: Quotient, unknowns: dict[str, Term]) -> Term:
        """``value symbol 0``: the product of both parts has the sign of the quotient."""
        product = self.terms.polynomial((value.above * value.below).terms, unknowns)
        return self.terms.compare(symbol, product, self.terms.number(0))

    def _defined(self, value: Quotient, unknowns: dict[str, Term]) -> Term:
        return self._other_than_zero(value.below, unknowns)

    def _other_than_zero(self, value: Polynomial, unknowns: dict[str, Term]) -> Term:
        return self.terms.compare("!=", self.terms.polynomial(value.terms, unknowns), self.terms.number(0))


def claimed(mechanism: ir.Mechanism) -> ir.Expression | None:
    """The claim of a mechanism as one number, ε or ρ; of (ε, δ), the ε."""
    match mechanism.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value) | ir.ApproximateClaim(value):
            return value
    return None


def _conjuncts(condition: ir.Expression) -> Iterable[ir.Expression]:
    """The parts of a condition that all hold."""
    if not isinstance(condition, ir.And):
        return (condition,)
    return (part for operand in condition.operands for part in _conjuncts(operand))


def _ends(node: ir.Expression) -> Interval | None:
    """Rational ends around a formula of numbers alone, where it has a value."""
    if any(isinstance(part, ir.Name) for part in walk.nodes(node)):
        return None
    with suppress(LapwingError):
        return enclosed(node, {})
    return None


def _check_number(irrational: set[str], node: ir.Expression) -> None:
    if len(irrational) > MAX_IRRATIONAL:
        raise at(node, f"there are more than {MAX_IRRATIONAL} values of ln, exp and sqrt")


def _is_length(name: str) -> bool:
    return name.startswith("len(")


def _sum(prices: Iterable[Price]) -> Quotient:
    total = Quotient.of(0)
    for price in prices:
        total = total + price.cost
    return total
