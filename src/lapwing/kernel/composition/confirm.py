"""Is a proof by composition right? Every part is outlined again from the source, and its certificate checked.

Claim: if the parts are as they are said to be, the mechanism has the sum of the prices of its steps and rounds. For
neighbouring inputs, and given the same values released so far, both runs do the same up to the next step: which step
that is, and on what public values it works, is decided by what was released. Each step is a mechanism with a bound for
*all* public values, so prices add up ([DR14] Thm 3.14 for ε and δ, [BS16] Lemma 1.7 for ρ).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from lapwing.kernel.composition.exposure import Names, exposed, reads, targets
from lapwing.kernel.composition.outline import Part, outline
from lapwing.kernel.composition.payments import Paid, Payments
from lapwing.kernel.composition.rounds import Turns, turns
from lapwing.kernel.composition.thinning import thinned
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.prices.calls import delta_of, price_of
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
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


@dataclass(slots=True)
class Composition:
    """One walk over the parts of one body."""

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    measure: str
    check: Check
    parameters: Parameters = field(init=False)
    payments: Payments = field(init=False)
    released: Names = frozenset()
    derived: list[Derived] = field(default_factory=list)
    paid: list[Paid] = field(default_factory=list)
    #: whether an answer may have been given by now
    ended: bool = False

    def __post_init__(self) -> None:
        self.parameters = Parameters(self.terms, self.mechanism)
        self.payments = Payments(self.parameters, self.measure)

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
            self._reached(self._step(part.inner, self.step(block, rest)))
        elif part.kind == "call":
            self._reached(self._call(part.inner, block))
        elif part.kind == "sampled":
            paid = self._step(part.inner, self.sampled(block, rest))
            self._reached(self.payments.amplified(paid, part.inner, thinned(self.mechanism, block).chance))
        else:
            outlined, turning = self.loop(block, rest)
            self.paid.append(self.payments.repeated(self._step(part.inner, outlined), turning, part))
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
            if isinstance(each, ir.Sample | ir.Call | ir.Asking | ir.Return):
                raise at(each, "a private part draws, calls, asks or answers")
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

    def _reached(self, paid: Paid) -> None:
        self.paid.append(replace(paid, always=not self.ended))

    def _step(self, inner: Certificate, outlined: ir.Module) -> Paid:
        if inner.function != self.mechanism.name:
            raise Unproved("a step has the certificate of something else")
        self.payments.check_measure(inner)
        self.check(inner, outlined)
        return self.payments.step(inner, outlined[self.mechanism.name])

    def _call(self, inner: Certificate, block: tuple[ir.Statement, ...]) -> Paid:
        """A call by the callee's own certificate: its bound holds for all public arguments."""
        (call, *others) = block
        if others or not isinstance(call, ir.Call) or inner.function != call.mechanism:
            raise at(call, "this is not one call of what the certificate is about")
        if call.target in self._derived_names:
            raise at(call, "a private value is set again")
        self.payments.check_measure(inner)
        self.check(inner, self.module)
        callee = self.module[call.mechanism]
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            if not parameter.private and not self._known(argument):
                raise at(call, f"'{parameter.name}' of {callee.name} is given what is not released")
        price = price_of(call, callee, inner.bound, self.parameters, self._known)
        delta = inner.delta and delta_of(call, callee, inner.delta, self.parameters, self._known)
        self.released |= {call.target}
        # a mechanism that runs has no ε below 0
        return Paid(replace(price, least=() if delta else (price.cost,)), delta or Quotient.of(0))

    def _known(self, argument: ir.Expression) -> bool:
        return not self._foreign(reads(argument, self.mechanism))

    def _concentrated(self, part: Stretch, inner: Certificate, rest: tuple[ir.Statement, ...]) -> None:
        if rest or self.paid:
            raise Unproved("only a whole body in ρ has an ε for a δ")
        whole = replace(self.mechanism, claim=None)
        self.check(inner, ir.Module(tuple(whole if each is self.mechanism else each for each in self.module)))
        self.paid.append(self.payments.concentrated(part, inner))


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
