"""Is a proof by composition right? Every part is outlined again from the source, and its certificate checked.

Claim: if the parts are as they are said to be, the mechanism has the sum of the prices of its steps and rounds. For
neighbouring inputs, and given the same values released so far, both runs do the same up to the next step: which step
that is, and on what public values it works, is decided by what was released. Each step is a mechanism with a bound for
*all* public values, so prices add up ([DR14] Thm 3.14 for ε and δ, [BS16] Lemma 1.7 for ρ).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from lapwing.kernel.composition.exposure import targets
from lapwing.kernel.composition.gaussian_tails import gaussian_price
from lapwing.kernel.composition.payments import Paid, Payments, reached
from lapwing.kernel.composition.spending import (
    MAX_WAYS,
    Account,
    Way,
    booked,
    branched,
    check_still,
    check_ways,
    opening,
    paid_at,
    whole_price,
)
from lapwing.kernel.composition.thinning import thinned
from lapwing.kernel.composition.unlikely import coin_of, without_coin
from lapwing.kernel.composition.walking import Passage, one_loop
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.callee_prices import delta_of, price_of
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed.certain import certain

#: Checks a certificate against a module, or refuses.
Check = Callable[[Certificate, ir.Module], object]


@dataclass(slots=True)
class Composition(Passage):
    """One walk over the parts of one body, which checks the certificates of its steps and adds up what they cost."""

    check: Check
    payments: Payments = field(init=False)
    paid: list[Paid] = field(default_factory=list, kw_only=True)
    #: whether an answer may have been given by now
    ended: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        Passage.__post_init__(self)
        self.payments = Payments(self.parameters, self.measure)

    def again(self) -> Self:
        """Another walk from here on, on which nothing is paid yet."""
        return replace(self, derived=list(self.derived), paid=[])

    def parts(
        self, parts: Sequence[Stretch], body: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...] = ()
    ) -> None:
        """Walk over a whole body; ``rest`` is what comes behind it."""
        position = 0
        for part in parts:
            block = body[position : position + part.statements]
            if len(block) < part.statements:
                raise Unproved("the parts are longer than the body")
            position += part.statements
            self.part(part, block, (*body[position:], *rest))
        if position < len(body):
            raise Unproved("the parts do not cover the body")

    def part(self, part: Stretch, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> None:
        """Walk over one part; ``rest`` is what comes behind it."""
        if part.kind == "public":
            self.public(block)
        elif part.kind == "private":
            self.private(block, rest)
        elif part.kind == "branch":
            self._branch(part, block, rest)
        elif part.kind == "spending":
            self.paid.append(self._spending(part, one_loop(block), rest))
        elif not isinstance(part.inner, Certificate):
            raise Unproved("a step has no certificate")
        elif part.kind in ("concentrated", "gaussian"):
            self._concentrated(part, part.inner, rest)
        elif part.kind == "unlikely":
            self._unlikely(part.inner, rest)
        elif part.kind == "step":
            self._reached(self._step(part.inner, self.step(block, rest)))
        elif part.kind == "call":
            self._reached(self._call(part.inner, block))
        elif part.kind == "sampled":
            paid = self._step(part.inner, self.sampled(block, rest))
            self._reached(self.payments.amplified(paid, part.inner, thinned(self.mechanism, block).chance))
        elif part.kind == "parallel":
            self.paid.append(replace(self._step(part.inner, self.apart(block, rest)), always=False))
        else:
            outlined, turning = self.loop(block, rest)
            self.paid.append(self.payments.repeated(self._step(part.inner, outlined), turning, part))
        self.ended = self.ended or any(isinstance(each, ir.Return) for each in walk.statements(block))

    def _branch(self, part: Stretch, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> None:
        """A branch that released values decide on: both runs go the same way, and pay for that one."""
        (statement, *others) = block
        if others or not isinstance(statement, ir.If):
            raise at(statement, "this is not one branch")
        if not self.knows(statement.condition):
            raise at(statement, "what decides on a branch is not released")
        ways = []
        for parts, side in ((part.then, statement.then), (part.otherwise, statement.otherwise)):
            way = self.again()
            way.parts(parts, side, rest)
            ways.append(way)
        self.released = ways[0].released & ways[1].released
        self.paid += self.payments.either(*(way.paid for way in ways))

    def _spending(self, part: Stretch, loop: ir.For | ir.While, rest: tuple[ir.Statement, ...]) -> Paid:
        """Rounds that pay out of an account, which says what all of them cost: see :mod:`spending`."""
        account, limit = Account.read(part.account or "", self.mechanism), formula(part.limit or "")
        first = opening(self.mechanism, loop, account.name)
        walk_inside = self.inside(loop, rest, account)
        account = walk_inside.account or account
        ways = [Way(ir.Name(account.name))]
        if isinstance(loop, ir.While):
            ways = list(branched(ways[0], ir.If(loop.condition, (), ()), account)[:1])
        ways = walk_inside.ways(part.then, loop.body, (loop, *rest), ways, account)
        squares = part.slack is not None
        check_ways(self.terms, self.mechanism, account, limit, ways, squares=squares)
        self.released = self.released - targets((loop,)) | (walk_inside.kept & targets(loop.body))
        room = whole_price(self.parameters, account, limit, first, ways)
        if part.slack:
            return self.payments.squared(room, limit, account.spent(first), part.slack)
        return Paid(room, Quotient.of(0))

    def ways(
        self,
        parts: Sequence[Stretch],
        body: tuple[ir.Statement, ...],
        rest: tuple[ir.Statement, ...],
        ways: Sequence[Way],
        account: Account,
    ) -> list[Way]:
        """Every way through a body, with what is paid on it."""
        found, position = list(ways), 0
        for part in parts:
            block = body[position : position + part.statements]
            position += part.statements
            behind = (*body[position:], *rest)
            over, going = [each for each in found if each.over], [each for each in found if not each.over]
            (statement, *others) = block or (None,)
            if statement is None or position > len(body):
                raise Unproved("the parts are longer than the body")
            if part.kind == "branch" and isinstance(statement, ir.If) and not others:
                if not self.knows(statement.condition):
                    raise at(statement, "what decides on a branch is not released")
                split = [branched(each, statement, account) for each in going]
                sides = [self.again(), self.again()]
                going = [
                    *sides[0].ways(part.then, statement.then, behind, [yes for yes, _ in split], account),
                    *sides[1].ways(part.otherwise, statement.otherwise, behind, [no for _, no in split], account),
                ]
                self.released = sides[0].released & sides[1].released
            elif part.kind == "public":
                self.public(block)
                going = [booked(account, block, each) for each in going]
            elif part.kind in ("step", "call", "sampled", "loop", "parallel"):
                check_still(block, account)
                before = len(self.paid)
                self.part(part, block, behind)
                new = self.paid[before:]
                going = [
                    replace(
                        each, paid=(*each.paid, *(paid_at(self.parameters, account, each.held, one) for one in new))
                    )
                    for each in going
                ]
            else:
                raise at(statement, "this is no part of a round that keeps accounts")
            if self.kept - self.known_names:
                raise at(statement, "what is read again is not released")
            found = [*over, *going]
            if len(found) > MAX_WAYS:  # told here, as every branch may double them
                raise at(statement, f"there are more than {MAX_WAYS} ways through a round")
        if position < len(body):
            raise Unproved("the parts do not cover the body")
        return found

    def _reached(self, paid: Paid) -> None:
        self.paid.append(replace(paid, always=paid.always and not self.ended))

    def _step(self, inner: Certificate, outlined: ir.Module) -> Paid:
        self._check_about(inner)
        self.payments.check_measure(inner)
        self.check(inner, outlined)
        return self.payments.step(inner, outlined[self.mechanism.name])

    def _check_about(self, inner: Certificate) -> None:
        if inner.function != self.mechanism.name:
            raise Unproved("a step has the certificate of something else")

    def _call(self, inner: Certificate, block: tuple[ir.Statement, ...]) -> Paid:
        """A call by the callee's own certificate: its bound holds for all public arguments."""
        (call, *others) = block
        if others or not isinstance(call, ir.Call) or inner.function != call.mechanism:
            raise at(call, "this is not one call of what the certificate is about")
        if call.target in self.derived_names:
            raise at(call, "a private value is set again")
        self.payments.check_measure(inner)
        self.check(inner, self.module)
        callee = self.module[call.mechanism]
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            if not parameter.private and not self.knows(argument):
                raise at(call, f"'{parameter.name}' of {callee.name} is given what is not released")
        price = price_of(call, callee, inner.bound, self.parameters, self.knows)
        delta = delta_of(call, callee, inner.delta or "0", self.parameters, self.knows)
        self.released |= {call.target}
        # a mechanism that runs has no ε below 0
        always = self.parameters.entailed(price.positive, (), delta)
        return Paid(replace(price, least=() if inner.delta else (price.cost,)), delta, always)

    def _concentrated(self, part: Stretch, inner: Certificate, rest: tuple[ir.Statement, ...]) -> None:
        if rest or self.paid:
            raise Unproved("only a whole body in ρ has an ε for a δ")
        self._check_about(inner)
        whole = replace(self.mechanism, claim=None)
        self.check(inner, ir.Module(tuple(whole if each is self.mechanism else each for each in self.module)))
        price = gaussian_price if part.kind == "gaussian" else Payments.concentrated
        self.paid.append(price(self.payments, part, inner))

    def _unlikely(self, inner: Certificate, rest: tuple[ir.Statement, ...]) -> None:
        if rest or self.paid or self.measure != "approximate":
            raise Unproved("only a whole body has a coin that costs a δ")
        paid = self._step(inner, without_coin(self.module, self.mechanism))
        chance = self.parameters.of(coin_of(self.mechanism).arguments[0])
        # a run whose coin is True may answer where noise that it does not draw would be refused
        made = tuple(self.parameters.of(each.arguments[-1]) for each in certain(self.mechanism))
        if not self.parameters.entailed(made, (), paid.delta):
            raise Unproved("the δ of what is left without the coin may be below 0")
        self.paid.append(Paid(Price(paid.price.cost, made), paid.delta + chance, paid.always))


def confirm(composition: Composition, parts: Sequence[Stretch], certificate: Certificate) -> None:
    """Refuse unless the parts are as they are said to be, and their prices add up to the bound within the claim."""
    composition.parts(parts, composition.mechanism.body)
    claim, parameters = composition.mechanism.claim, composition.parameters
    if not composition.paid:
        raise Unproved("there is no step")
    parameters.check_sum([each.ways for each in composition.paid], certificate.bound)
    if certificate.delta is None:
        if any(not each.delta.above.is_zero for each in composition.paid):
            raise Unproved("the steps have a δ")
        return
    stated = parameters.read(certificate.delta)
    limits = [stated, parameters.of(claim.delta)] if isinstance(claim, ir.ApproximateClaim) else [stated]
    for made in reached(composition.paid):
        positive = [each for paid in made for each in paid.price.positive]
        total = sum((each.delta for each in made), Quotient.of(0))
        for limit in limits if made else ():
            # of each δ by itself: a sum may cancel what one of them divides by
            sound = parameters.never_zero(positive, [each.delta.below for each in made], limit.below)
            if not sound or not parameters.entailed(positive, (), limit - total):
                raise Unproved(f"the δ of the steps may pass {certificate.delta[:80]}")
