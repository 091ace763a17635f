"""What steps, samples and loops cost: ε or ρ, and a δ.

A loop of k rounds of (e, d) costs (k e, k d); with a slack w > 0 it costs (e √(2k ln(1/w)) + k e²/2, k d + w), which is
[KOV15] Thm 3.5 with tanh(e/2) ≤ e/2. Where e, d, k and w are numbers it costs the smallest ε at which k rounds have
w for their δ, [KOV15] Thm 3.3. Both theorems need both directions of each round: P ≤ e^e Q + d and Q ≤ e^e P + d. Here
they hold because the state that the rounds begin in is *equal* in both runs (it is released, not merely related by a
coupling), and a certificate is about neighbours in both orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil

from lapwing.algebra.accounting.optimal import optimal_epsilon
from lapwing.algebra.measures import ApproxDP
from lapwing.errors import LapwingError
from lapwing.kernel.composition.rounds import Turns
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import MAX_SITES, Parameters, Price
from lapwing.kernel.program import ir
from lapwing.kernel.wellformed.certain import certain

#: Optimal composition of more rounds would take the checker's time, and is rounded up to so many digits.
MAX_ROUNDS, DIGITS = 10**6, 9


@dataclass(frozen=True, slots=True)
class Paid:
    """What a part costs if it is reached: ε or ρ, and a δ.

    ``always``: every run that answers has come through here, and pays; where its noise can be drawn, neither is below
    0. A certificate whose bound is below 0 for some parameters says of these what 0 says, so that no other price is
    lowered there: it is as if the part were not reached.
    """

    price: Price
    delta: Quotient
    always: bool = False

    @property
    def ways(self) -> tuple[Price | None, ...]:
        """What it may cost."""
        return (self.price,) if self.always else (None, self.price)


@dataclass(frozen=True, slots=True)
class Payments:
    """Prices in one measure, as formulas over the parameters of one mechanism."""

    parameters: Parameters
    measure: str

    def check_measure(self, inner: Certificate) -> None:
        """A step is proved in the measure of the whole; what is ε-private is (ε, 0)-private."""
        if inner.measure != self.measure and (inner.measure, self.measure) != ("epsilon", "approximate"):
            raise Unproved("a step is proved in another measure")

    def step(self, inner: Certificate, mechanism: ir.Mechanism) -> Paid:
        """A step, as a mechanism of its own that has a certificate."""
        positive = []
        for draw in certain(mechanism):
            scale = Parameters(self.parameters.terms, mechanism).of(draw.arguments[-1])
            if scale.names <= self.parameters.names:
                positive.append(scale)
        cost = self.parameters.read(inner.bound)
        delta = Quotient.of(0) if inner.delta is None else self.parameters.read(inner.delta)
        always = all(self.parameters.entailed(positive, (), each) for each in (cost, delta))
        return Paid(Price(cost, tuple(positive), (cost,) if inner.delta is None else ()), delta, always)

    def amplified(self, paid: Paid, inner: Certificate, chance: ir.Expression) -> Paid:
        """(ln(1 + p (e^e - 1)), p d) for a sample with chance p, [BBG18] Thm 8: see :mod:`thinning`."""
        if self.measure == "rho":
            raise Unproved("sampling amplifies ε, and not ρ")
        cost, positive = paid.price.cost, paid.price.positive
        self._check_sound(paid, positive)
        rate = self.parameters.of(chance)
        if not self.parameters.never_zero(positive, [rate.below]):
            raise Unproved("the chance of a record may divide by 0")
        known = (*paid.price.least, rate, Quotient.of(1) - rate)
        more = ir.Arithmetic("-", self._exponential(formula(inner.bound), positive, known), ir.ONE)
        smaller = ir.Builtin("ln", (ir.Arithmetic("+", ir.ONE, ir.Arithmetic("*", chance, more)),))
        reduced = self.parameters.of(smaller)
        # a run that flips has 0 ≤ p ≤ 1, so 0 ≤ ln(1 + p (e^e - 1)) ≤ e
        return Paid(Price(reduced, positive, (*known, reduced, cost - reduced)), rate * paid.delta, paid.always)

    def either(self, one: Sequence[Paid], other: Sequence[Paid]) -> list[Paid]:
        """What two ways cost of which one is gone: the larger price, where it can be told; else both."""
        if one and other:
            for more in map(_together, (one, other)):
                if self._covers(more, one) and self._covers(more, other):
                    return [Paid(Price(more.price.cost, ()), more.delta)]
        return [replace(each, always=False) for each in (*one, *other)]

    def _covers(self, most: Paid, parts: Sequence[Paid]) -> bool:
        """Whether whatever is reached of some parts costs at most ``most``, where anything is."""
        for made in filter(None, reached(parts)):
            paid = _together(made)
            facts = paid.price.positive, paid.price.least
            # of each part by itself: a sum may cancel what one of them divides by
            below = [each.below for part in (most, *made) for each in (part.price.cost, part.delta)]
            dearer = self.parameters.entailed(*facts, most.price.cost - paid.price.cost)
            if not dearer or not self.parameters.never_zero(paid.price.positive, below):
                return False
            if not self.parameters.entailed(*facts, most.delta - paid.delta):
                return False
        return True

    def squared(self, room: Price, limit: ir.Expression, first: ir.Expression, slack: str) -> Paid:
        """(√(2E ln(1/w)) + E/2, w) where the squares of all ε that are paid add up to E or less, however chosen.

        Because an ε is an ε²/2 in ρ, [BS16] Prop. 1.4, which add up to E/2, and then Prop. 1.3: [WRRW23] Thm 1.
        """
        if self.measure != "approximate":
            raise Unproved("an account of squares shows (ε, δ)")
        chance = self.slack(slack, ())
        twice = ir.Arithmetic("*", ir.Number(Fraction(2)), ir.Arithmetic("-", limit, first))
        root = self.parameters.of(ir.Builtin("sqrt", (ir.Arithmetic("*", twice, _spread(slack)),)))
        return Paid(Price(root + room.cost * Quotient.of(Fraction(1, 2)), (), room.least), chance)

    def repeated(self, paid: Paid, turning: Turns, part: Stretch) -> Paid:
        """Rounds of a loop, each at most ``paid``."""
        text = part.rounds or "0"
        rounds = self.parameters.read(text)
        if not self.parameters.entailed([turning.count], (), rounds - turning.count):
            raise Unproved(f"there may be more than {text[:60]} rounds")
        cost, positive = paid.price.cost, (turning.count, *paid.price.positive)
        # where the price of a round divides by 0 nothing is shown, also when the number of rounds cancels that
        self._check_sound(paid, positive)
        delta = rounds * paid.delta
        if part.slack is None:
            return Paid(Price(rounds * cost, positive, paid.price.least), delta)
        if self.measure != "approximate":
            raise Unproved("advanced and optimal composition show (ε, δ)")
        slack = self.slack(part.slack, positive)
        if part.price is not None:
            return self._optimal(paid, positive, _number(rounds), _number(slack), self.parameters.read(part.price))
        twice = ir.Arithmetic("*", ir.Number(Fraction(2)), formula(text))
        root = self.parameters.of(ir.Builtin("sqrt", (ir.Arithmetic("*", twice, _spread(part.slack)),)))
        advanced = cost * root + rounds * cost * cost * Quotient.of(Fraction(1, 2))
        return Paid(Price(advanced, positive, paid.price.least), delta + slack)

    def _optimal(
        self, paid: Paid, positive: Sequence[Quotient], rounds: Fraction, slack: Fraction, most: Quotient
    ) -> Paid:
        """The smallest ε of so many rounds of ``most`` at a δ of ``slack``, rounded up."""
        price, failure = _number(most), _number(paid.delta)
        if not self.parameters.entailed(positive, paid.price.least, most - paid.price.cost):
            raise Unproved("the price of a round may be above the number that is said")
        if rounds.denominator != 1 or not 1 <= rounds <= MAX_ROUNDS:
            raise Unproved(f"optimal composition is of 1 to {MAX_ROUNDS} rounds")
        try:
            least = optimal_epsilon(ApproxDP(price, failure), int(rounds), slack)
        except LapwingError as error:
            raise Unproved(error.problem) from None
        cost = Quotient.of(Fraction(ceil(least * 10**DIGITS), 10**DIGITS))
        return Paid(Price(cost, tuple(positive), paid.price.least), Quotient.of(slack))

    def concentrated(self, part: Stretch, inner: Certificate) -> Paid:
        """ρ-zCDP is (ρ + 2 √(ρ ln(1/w)), w)-DP for every w in (0, 1), [BS16] Prop. 1.3."""
        if self.measure != "approximate" or inner.measure != "rho" or part.slack is None:
            raise Unproved("only a whole body in ρ has an ε for a δ")
        positive = tuple(self.parameters.of(each.arguments[-1]) for each in certain(self.parameters.mechanism))
        rho, slack = self.parameters.read(inner.bound), self.slack(part.slack, positive)
        if not self.parameters.never_zero(positive, [rho.below]):
            raise Unproved("the price may divide by 0")
        root = self.parameters.of(ir.Builtin("sqrt", (ir.Arithmetic("*", formula(inner.bound), _spread(part.slack)),)))
        return Paid(Price(rho + root + root, positive), slack, always=True)

    # --- conditions -----------------------------------------------------------------------------------------

    def _check_sound(self, paid: Paid, positive: Sequence[Quotient]) -> None:
        """The price of what is amplified or repeated is defined, and not below 0."""
        if not self.parameters.never_zero(positive, [paid.price.cost.below, paid.delta.below]):
            raise Unproved("the price of a step may divide by 0")
        if not self.parameters.entailed(positive, paid.price.least, paid.price.cost):
            raise Unproved("the price of a step may be below 0")

    def slack(self, text: str, positive: Sequence[Quotient]) -> Quotient:
        """A slack, which is above 0."""
        slack = self.parameters.read(text)
        above = self.parameters.entailed(positive, (), slack)
        if not above or not self.parameters.never_zero(positive, [slack.above, slack.below]):
            raise Unproved(f"the slack {text[:60]} may not be above 0")
        return slack

    def _exponential(
        self, value: ir.Expression, positive: Sequence[Quotient], least: Sequence[Quotient]
    ) -> ir.Expression:
        """e^value, which of a logarithm is what it is the logarithm of."""
        match value:
            case ir.Builtin("ln", (inner,)):
                inside = self.parameters.of(inner)
                defined = self.parameters.never_zero(positive, [inside.below])
                if defined and self.parameters.entailed(positive, least, inside - Quotient.of(1)):
                    return inner
        return ir.Builtin("exp", (value,))


def reached(parts: Sequence[Paid]) -> Iterator[list[Paid]]:
    """The parts that a run may come through: all that every run does, and any of the others.

    What is not reached says nothing: the rounds of a loop that does not turn cost 0, and have no scale above 0.
    """
    if sum(not each.always for each in parts) > MAX_SITES:
        raise Unproved(f"there are more than {MAX_SITES} parts that may not be reached")
    for made in product(*((each,) if each.always else (None, each) for each in parts)):
        yield [each for each in made if each is not None]


def _together(paid: Sequence[Paid]) -> Paid:
    """Several parts that are all reached."""
    cost, delta = Quotient.of(0), Quotient.of(0)
    for each in paid:
        cost, delta = cost + each.price.cost, delta + each.delta
    positive = tuple(fact for each in paid for fact in each.price.positive)
    return Paid(Price(cost, positive, tuple(fact for each in paid for fact in each.price.least)), delta)


def _spread(slack: str) -> ir.Expression:
    """ln(1 / w)."""
    return ir.Builtin("ln", (ir.Arithmetic("/", ir.ONE, formula(slack)),))


def _number(value: Quotient) -> Fraction:
    if value.number is None:
        raise Unproved("optimal composition is of numbers")
    return value.number
