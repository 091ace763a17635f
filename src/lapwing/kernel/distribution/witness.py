"""Is a witness true? Everything it states is computed again from the source, by this room's own means.

The one idea: *refuted* is said only here. A witness is accepted when the source is the one it names, its inputs are
neighbours with which the mechanism runs, each of its numbers agrees with the recomputed one, and the recomputed
numbers alone, rounded in the claim's favour, break the claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.distribution.inputs import Inputs, plain, read_inputs
from lapwing.kernel.distribution.last_resort import probability
from lapwing.kernel.distribution.loss_values import closed_form, log_bounds
from lapwing.kernel.distribution.scripted import scripted
from lapwing.kernel.distribution.speaking import check_neighbours, speaks_of
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.distribution.violation import Claimed, shown, violation
from lapwing.kernel.evidence.witness import LogRatio, Witness
from lapwing.kernel.program import ir, printer
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.trying import refusal

__all__ = ["STEPS", "Accepted", "Rejected", "check_witness"]

#: States looked at before a check is given up, and seconds that one probability may take.
STEPS, SECONDS = 400_000, 6.0
#: Bits of a probability that are recomputed.
GOOD = 64
#: A stated number agrees when it is within 2^-48 of itself, or 2^-10 of its own interval's width, or 2^-256.
AGREEMENT, WIDTH_SHARE, TINY = Fraction(1, 2**48), Fraction(1, 2**10), Fraction(1, 2**256)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The witness holds. ``statement`` says in one sentence what it shows."""

    statement: str
    probability_left: Interval
    probability_right: Interval
    log_ratio: LogRatio


def check_witness(witness: Witness, module: ir.Module, limit: int = STEPS) -> Accepted | Rejected:
    """Recompute ``witness`` from the program; look at ``limit`` states at most."""
    return judged(lambda: _Checking(witness, _named(witness, module), limit).verdict())


def _named(witness: Witness, module: ir.Module) -> ir.Module:
    if printer.fingerprint(module, witness.function) != witness.source:
        raise Doubt(f"the source of {witness.function} is not the one the witness was written for")
    return scripted(module, witness.function)  # what a function answers is a list, in a witness


@dataclass(frozen=True, slots=True)
class _Checking:
    witness: Witness
    module: ir.Module
    limit: int

    @property
    def mechanism(self) -> ir.Mechanism:
        return self.module[self.witness.function]

    def verdict(self) -> Accepted:
        witness = self.witness
        if not speaks_of(witness.output, self.mechanism.returns):
            raise Doubt(f"the output is no answer of {self.mechanism.name}, which returns another type")
        left = read_inputs(self.mechanism, "left", witness.left)
        right = read_inputs(self.mechanism, "right", witness.right)
        check_neighbours(self.mechanism, left, right)
        for given in (left, right):
            self._check_runs(given)
        claim = self._claim(left)
        on_left, on_right = self._probability(left), self._probability(right)
        _agree("probability_left", on_left, witness.probability_left)
        _agree("probability_right", on_right, witness.probability_right)
        ratio = self._log_ratio(on_left, on_right)
        statement = violation(claim, on_left, on_right, ratio)
        # what is written down must show it too, so that nobody who reads the witness alone sees less
        written = Claimed(self.mechanism.claim, witness.claim_value, witness.claim_delta, witness.order)
        violation(written, witness.probability_left, witness.probability_right, witness.log_ratio)
        return Accepted(statement, on_left, on_right, ratio)

    def _check_runs(self, given: Inputs) -> None:
        """A mechanism that refuses its public parameters answers nothing."""
        error = refusal(self.module, self.mechanism.name, {name: plain(value) for name, value in given.items()})
        if error is not None:
            raise Doubt(f"{self.mechanism.name} does not run on these inputs: {error.problem}")

    # --- numbers --------------------------------------------------------------------------------------------

    def _claim(self, left: Inputs) -> Claimed:
        """The claim as the source has it, once what the witness says of it agrees."""
        claim, witness = self.mechanism.claim, self.witness
        value: ir.Expression | None = None
        delta: ir.Expression | None = None
        match claim:
            case ir.PureClaim(one) | ir.ZcdpClaim(one):
                value = one
            case ir.ApproximateClaim(one, two):
                value, delta = one, two
        if (witness.order is None) == isinstance(claim, ir.ZcdpClaim):
            raise Doubt("order is for zCDP claims, and only for them")
        found = [None if each is None else enclosed(each, dict(left)).or_zero() for each in (value, delta)]
        fields = ("claim_value", witness.claim_value), ("claim_delta", witness.claim_delta)
        for (name, stated), number in zip(fields, found, strict=True):
            if (stated is None) != (number is None):
                raise Doubt(f"{name} does not go with what {self.mechanism.name} claims")
            if stated is not None and number is not None:
                if number.is_exact and stated != number:
                    raise Doubt(f"{name} is not what is claimed: {shown(number)}")
                _agree(name, number, stated)
                _agree(name, stated, number)  # a claim is not a measurement: a wide interval will not do
        return Claimed(claim, found[0], found[1], witness.order)

    def _probability(self, given: Inputs) -> Interval:
        limits = Limits(self.limit, seconds=SECONDS, good=GOOD)
        return probability(self.module, self.witness.function, given, self.witness.output, limits)

    def _log_ratio(self, left: Interval, right: Interval) -> LogRatio:
        if left.lower <= 0:
            raise Doubt("the output has no certain probability on the left")
        found, stated = LogRatio(*log_bounds(left, right)), self.witness.log_ratio
        slack = AGREEMENT
        if stated.lower is not None and stated.upper is not None:
            slack = _margin(Interval(stated.lower, stated.upper))
        low = stated.lower is not None and (found.lower is None or found.lower >= stated.lower - slack)
        low = low or (stated.lower is None and found.lower is None)
        high = stated.upper is None or (found.upper is not None and found.upper <= stated.upper + slack)
        if not (low and high):
            raise Doubt("log_ratio is not what the probabilities give")
        if self.witness.closed_form is not None and not _is(self.witness.closed_form, found):
            raise Doubt("closed_form is not the log ratio")
        return found


def _is(form: str, ratio: LogRatio) -> bool:
    """Whether a closed form has the value of the ratio."""
    if form == "inf" or ratio.lower is None or ratio.upper is None:
        return form == "inf" and ratio.lower is None
    value = closed_form(form)
    return value.lower >= ratio.lower - AGREEMENT and value.upper <= ratio.upper + AGREEMENT


def _agree(name: str, found: Interval, stated: Interval) -> None:
    """The recomputed interval must lie in the stated one, up to its margin."""
    margin = _margin(stated)
    if found.lower < stated.lower - margin or found.upper > stated.upper + margin:
        raise Doubt(f"{name} is not confirmed: recomputed {shown(found)}")


def _margin(stated: Interval) -> Fraction:
    size = max(abs(stated.lower), abs(stated.upper))
    return max(size * AGREEMENT, stated.width * WIDTH_SHARE, TINY)
