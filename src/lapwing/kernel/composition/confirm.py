"""Is a proof by composition right? Every part is outlined again from the source, and its certificate checked.

Claim: if the parts are as they are said to be, the mechanism has the sum of the prices of its steps and rounds. For
neighbouring inputs, and given the same values released so far, both runs do the same up to the next step: which step
that is, and on what public values it works, is decided by what was released. Each step is a mechanism with a bound for
*all* public values, so prices add up ([DR14] Thm 3.14 for ε and δ, [BS16] Lemma 1.7 for ρ).

With a slack w > 0 a loop of k rounds of (e, d) costs (e √(2k ln(1/w)) + k e²/2, k d + w), which is [KOV15] with
tanh(e/2) ≤ e/2. That theorem needs both directions of each round: P ≤ e^e Q + d and Q ≤ e^e P + d. Here they hold
because the state that the rounds begin in is *equal* in both runs (it is released, not merely related by a coupling),
and a certificate is about neighbours in both orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from lapwing.kernel.composition.exposure import Names, exposed, reads, targets
from lapwing.kernel.composition.outline import Part, outline
from lapwing.kernel.composition.rounds import Turns, turns
from lapwing.kernel.composition.thinning import thinned
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters, Price, certain
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms

#: Checks a certificate against a module, or refuses.
Check = Callable[[Certificate, ir.Module], object]


@dataclass(frozen=True, slots=True)
class Derived:
    """Statements that compute private values, what they set and what they read."""

    block: tuple[ir.Statement, ...]
    sets: Names
    reads: Names


@dataclass(frozen=True, slots=True)
class Paid:
    """What a part costs if it is reached: ε or ρ, and a δ.

    ``always``: every run that answers has come through here.
    """

    price: Price
    delta: Quotient
    always: bool = False

    @property
    def ways(self) -> tuple[Price | None, ...]:
        """What it may cost."""
        return (self.price,) if self.always else (None, self.price)


@dataclass(slots=True)
class Composition:
    """One walk over the parts of one body."""

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    measure: str
    check: Check
    parameters: Parameters = field(init=False)
    released: Names = frozenset()
    derived: list[Derived] = field(default_factory=list)
    paid: list[Paid] = field(default_factory=list)
    #: whether an answer may have been given by now
    ended: bool = False

    def __post_init__(self) -> None:
        self.parameters = Parameters(self.terms, self.mechanism)

    def parts(self, parts: Sequence[Stretch]) -> None:
        """Walk over the whole body."""
        body, position = self.mechanism.body, 0
        for part in parts:
            block = body[position : position + part.statements]
            if len(block) < part.statements:
                raise Unproved("the parts are longer than the body")
            position += part.statements
            self.part(part, block, body[position:])
        if position < len(body):
            raise Unproved("the parts do not cover the body")

    def part(self, part: Stretch, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> None:
        """Walk over one part; ``rest`` is what comes behind it."""
        if part.kind == "public":
            self._public(block)
        elif part.kind == "private":
            self._private(block, rest)
        elif not isinstance(part.inner, Certificate):
            raise Unproved("a step has no certificate")
        elif part.kind == "concentrated":
            self._concentrated(part, part.inner, rest)
        elif part.kind == "step":
            paid = self._step(part.inner, self.step(block, rest))
            self.paid.append(replace(paid, always=not self.ended))
        elif part.kind == "sampled":
            paid = self._step(part.inner, self.sampled(block, rest))
            amplified = self._amplified(paid, part.inner, thinned(self.mechanism, block).chance)
            self.paid.append(replace(amplified, always=not self.ended))
        else:
            outlined, turning = self.loop(block, rest)
            self._pay(self._step(part.inner, outlined), turning, part)
        self.ended = self.ended or any(isinstance(each, ir.Return) for each in walk.statements(block))

    # --- what is released -----------------------------------------------------------------------------------

    @property
    def _private_names(self) -> Names:
        return frozenset(each.name for each in self.mechanism.parameters if each.private)

    @property
    def _derived_names(self) -> Names:
        return frozenset[str]().union(*(each.sets for each in self.derived))

    def _foreign(self, read: Names) -> Names:
        """What is neither released nor a parameter that all may know."""
        public = frozenset(each.name for each in self.mechanism.parameters if not each.private)
        return read - self.released - public

    def _public(self, block: tuple[ir.Statement, ...]) -> None:
        hidden = self._foreign(exposed(block, self.mechanism))
        if hidden:
            raise at(block[0], f"'{min(hidden)}' is used here, and is not released")
        if targets(block) & self._derived_names:
            raise at(block[0], "a private value is set again")
        self.released |= targets(block)

    def _private(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> None:
        """Private values are computed once, so that a later step may compute them again for itself."""
        for each in walk.statements(block):
            if isinstance(each, ir.Sample | ir.Call | ir.Return):
                raise at(each, "a private part draws, calls or answers")
        read, sets = exposed(block, self.mechanism), targets(block)
        outside = [each for each in self.mechanism.body if not any(each is inner for inner in block)]
        if sets & (targets(outside) | self.released):
            raise at(block[0], "what a private part sets is set elsewhere, too")
        if self._foreign(read) - self._private_names - self._derived_names:
            raise at(block[0], "a private part reads what is not known yet")
        if (read & self.released) & targets(rest):
            raise at(block[0], "what a private part reads changes later on")
        self.derived.append(Derived(block, sets, read))

    def _prelude(self, read: Names) -> tuple[ir.Statement, ...]:
        """The statements that compute the private values among ``read``, in order."""
        needed: set[int] = set()
        for number in reversed(range(len(self.derived))):
            each = self.derived[number]
            if each.sets & read:
                needed.add(number)
                read |= each.reads
        return tuple(statement for number in sorted(needed) for statement in self.derived[number].block)

    # --- steps and loops ------------------------------------------------------------------------------------

    def step(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> ir.Module:
        """A step as a mechanism of its own."""
        outputs = targets(block) & exposed(rest, self.mechanism)
        prelude = self._prelude(exposed(block, self.mechanism))
        outlined = outline(self.module, self.mechanism, Part(block, prelude, self.released, outputs))
        self.released = (self.released - targets(block)) | outputs
        return outlined

    def sampled(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> ir.Module:
        """A step on a sample as a mechanism on records of its own."""
        private = self._private_names
        if self._foreign(exposed(block, self.mechanism)) - private:
            raise at(block[0], "a step on a sample uses private values besides")
        outputs = targets(block) & exposed(rest, self.mechanism)
        # what is known of the records' number is not known of the sample's
        known = tuple(each for each in self.mechanism.preconditions if not walk.names(each) & private)
        on_records = replace(self.mechanism, preconditions=known)
        part = Part(thinned(self.mechanism, block).block, (), self.released, outputs)
        outlined = outline(self.module, on_records, part)
        self.released = (self.released - targets(block)) | outputs
        return outlined

    def loop(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> tuple[ir.Module, Turns]:
        """A round of a loop as a mechanism of its own, and how often it turns."""
        (loop, *others) = block
        if others or not isinstance(loop, ir.For | ir.While):
            raise at(loop, "this is not one loop")
        turning = turns(self.parameters, loop, self.released)
        tested = reads(loop.condition, self.mechanism) if isinstance(loop, ir.While) else frozenset[str]()
        if self._foreign(tested):
            raise at(loop, "what decides whether the loop goes on is not released")
        inside, set_inside = exposed(loop.body, self.mechanism), targets(loop.body)
        outputs = set_inside & (exposed(rest, self.mechanism) | inside | tested)
        begun = {name for name, _ in turning.counters} | {name for name, _, _ in turning.elements}
        # what a round hands on is released when the loop begins, and answered by every round
        handed = (inside | tested) & set_inside - begun | (outputs & exposed(rest, self.mechanism))
        missing = handed - self.released
        if missing:
            raise at(loop, f"'{min(missing)}' goes from round to round, and is not released at first")
        if self._derived_names & set_inside:
            raise at(loop, "a private value is set again")
        used = turning.seen(inside)
        prelude = self._prelude(inside)
        head = self.released - set_inside | (self.released & (inside | tested))
        part = Part(loop.body, prelude, head, outputs, used.counters, used.known, used.elements, looped=True)
        outlined = outline(self.module, self.mechanism, part)
        self.released = (self.released - set_inside) | outputs
        return outlined, turning

    # --- prices ---------------------------------------------------------------------------------------------

    def _step(self, inner: Certificate, outlined: ir.Module) -> Paid:
        mechanism = outlined[self.mechanism.name]
        if inner.function != self.mechanism.name:
            raise Unproved("a step has the certificate of something else")
        if inner.measure != self.measure and (inner.measure, self.measure) != ("epsilon", "approximate"):
            raise Unproved("a step is proved in another measure")
        self.check(inner, outlined)
        positive = []
        for draw in certain(mechanism):
            scale = Parameters(self.terms, mechanism).of(draw.arguments[-1])
            names = {name for part in (scale.above, scale.below) for each in part.terms for name, _ in each}
            if names <= self.parameters.names:
                positive.append(scale)
        cost = self.parameters.read(inner.bound)
        delta = Quotient.of(0) if inner.delta is None else self.parameters.read(inner.delta)
        # a mechanism that runs has no ε below 0 (1 = P ≤ e^ε Q = e^ε), no ρ and no δ; with a δ, its ε may be
        return Paid(Price(cost, tuple(positive), (cost,) if inner.delta is None else ()), delta)

    def _amplified(self, paid: Paid, inner: Certificate, chance: ir.Expression) -> Paid:
        """(ln(1 + p (e^e - 1)), p d) for a sample with chance p, [BBG18] Thm 8: see :mod:`thinning`."""
        if self.measure == "rho":
            raise Unproved("sampling amplifies ε, and not ρ")
        cost, positive = paid.price.cost, paid.price.positive
        if not self.parameters.never_zero(positive, [cost.below, paid.delta.below]):
            raise Unproved("the price of a step may divide by 0")
        if not self.parameters.entailed(positive, paid.price.least, cost):
            raise Unproved("the price of a step may be below 0")
        rate, one = self.parameters.of(chance), ir.Number(Fraction(1))
        if not self.parameters.never_zero(positive, [rate.below]):
            raise Unproved("the chance of a record may divide by 0")
        known = (*paid.price.least, rate, Quotient.of(1) - rate)
        more = ir.Arithmetic("-", self._exponential(formula(inner.bound), positive, known), one)
        smaller = ir.Builtin("ln", (ir.Arithmetic("+", one, ir.Arithmetic("*", chance, more)),))
        reduced = self.parameters.of(smaller)
        # a run that flips has 0 ≤ p ≤ 1, so 0 ≤ ln(1 + p (e^e - 1)) ≤ e
        return Paid(Price(reduced, positive, (*known, reduced, cost - reduced)), rate * paid.delta)

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

    def _concentrated(self, part: Stretch, inner: Certificate, rest: tuple[ir.Statement, ...]) -> None:
        """ρ-zCDP is (ρ + 2 √(ρ ln(1/w)), w)-DP for every w in (0, 1), [BS16] Prop. 1.3."""
        if rest or self.paid or self.measure != "approximate" or inner.measure != "rho" or part.slack is None:
            raise Unproved("only a whole body in ρ has an ε for a δ")
        whole = replace(self.mechanism, claim=None)
        self.check(inner, ir.Module(tuple(whole if each is self.mechanism else each for each in self.module)))
        positive = tuple(self.parameters.of(each.arguments[-1]) for each in certain(self.mechanism))
        rho, slack = self.parameters.read(inner.bound), self._slack(part.slack, positive)
        if not self.parameters.never_zero(positive, [rho.below]):
            raise Unproved("the price may divide by 0")
        root = self.parameters.of(ir.Builtin("sqrt", (ir.Arithmetic("*", formula(inner.bound), _spread(part.slack)),)))
        self.paid.append(Paid(Price(rho + root + root, positive), slack, always=True))

    def _slack(self, text: str, positive: Sequence[Quotient]) -> Quotient:
        """A slack, which is above 0."""
        slack = self.parameters.read(text)
        above = self.parameters.entailed(positive, (), slack)
        if not above or not self.parameters.never_zero(positive, [slack.above, slack.below]):
            raise Unproved(f"the slack {text[:60]} may not be above 0")
        return slack

    def _pay(self, paid: Paid, turning: Turns, part: Stretch) -> None:
        rounds = self.parameters.read(part.rounds or "0")
        if not self.parameters.entailed([turning.count], (), rounds - turning.count):
            raise Unproved(f"there may be more than {(part.rounds or '')[:60]} rounds")
        cost, positive = paid.price.cost, (turning.count, *paid.price.positive)
        delta = rounds * paid.delta
        # where the price of a round divides by 0 nothing is shown, also when the number of rounds cancels that
        if not self.parameters.never_zero(positive, [cost.below, paid.delta.below]):
            raise Unproved("the price of a round may divide by 0")
        if not self.parameters.entailed(positive, paid.price.least, cost):
            raise Unproved("the price of a round may be below 0")
        if part.slack is None:
            self.paid.append(Paid(Price(rounds * cost, positive, paid.price.least), delta))
            return
        if self.measure != "approximate":
            raise Unproved("advanced composition shows (ε, δ)")
        slack = self._slack(part.slack, positive)
        twice = ir.Arithmetic("*", ir.Number(Fraction(2)), formula(part.rounds or "0"))
        root = self.parameters.of(ir.Builtin("sqrt", (ir.Arithmetic("*", twice, _spread(part.slack)),)))
        advanced = cost * root + rounds * cost * cost * Quotient.of(Fraction(1, 2))
        self.paid.append(Paid(Price(advanced, positive, paid.price.least), delta + slack))


def _spread(slack: str) -> ir.Expression:
    """ln(1 / w)."""
    return ir.Builtin("ln", (ir.Arithmetic("/", ir.Number(Fraction(1)), formula(slack)),))


def confirm(composition: Composition, parts: Sequence[Stretch], certificate: Certificate) -> None:
    """Refuse unless the parts are as they are said to be, and their prices add up to the bound within the claim."""
    composition.parts(parts)
    mechanism, parameters = composition.mechanism, composition.parameters
    claim = mechanism.claim
    number = None
    match claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value) | ir.ApproximateClaim(value):
            number = value
    if not composition.paid:
        raise Unproved("there is no step")
    parameters.check_sum([each.ways for each in composition.paid], certificate.bound, number)
    if certificate.delta is None:
        if any(not each.delta.above.is_zero for each in composition.paid):
            raise Unproved("the steps have a δ")
        return
    stated = parameters.read(certificate.delta)
    limits = [stated, parameters.of(claim.delta)] if isinstance(claim, ir.ApproximateClaim) else [stated]
    for reached in product(*((each,) if each.always else (None, each) for each in composition.paid)):
        made = [each for each in reached if each is not None]
        positive = [each for paid in made for each in paid.price.positive]
        total = sum((each.delta for each in made), Quotient.of(0))
        for limit in limits if made else ():
            sound = parameters.never_zero(positive, [total.below], limit.below)
            if not sound or not parameters.entailed(positive, (), limit - total):
                raise Unproved(f"the δ of the steps may pass {certificate.delta[:80]}")
