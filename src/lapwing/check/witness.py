"""Is a witness true? Everything it states is computed again from the source, by this room's own means.

The one idea: *refuted* is said only here. A witness is accepted when the source is the one it names, its inputs are
neighbours with which the mechanism runs, each of its numbers agrees with the recomputed one, and the recomputed
numbers alone, rounded in the claim's favour, break the claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2

from lapwing.algebra.balls import Interval
from lapwing.check.formulas import claimed, closed_form, log_bounds
from lapwing.check.inputs import RUN, check_lattice, check_neighbours, has_lattice_noise, read_inputs
from lapwing.check.interpret import probability
from lapwing.check.rejected import Rejected
from lapwing.check.values import Value, speaks_of
from lapwing.check.violation import Claimed, Doubt, shown, violation
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.witness import LogRatio, Witness
from lapwing.program import interpret, ir, printer
from lapwing.program.evaluate import Meter
from lapwing.program.parse import parse_text

__all__ = ["STEPS", "Accepted", "Rejected", "check_witness"]

#: States looked at before a check is given up.
STEPS = 5_000_000
#: A stated number agrees when it is within 2^-48 of itself, or 2^-10 of its own interval's width, or 2^-256.
AGREEMENT, WIDTH_SHARE, TINY = Fraction(1, 2**48), Fraction(1, 2**10), Fraction(1, 2**256)
LEAST_BITS, MOST_BITS = 64, 300
#: States looked at to see whether a violation on a coarse lattice is one on a run's, too.
AGAIN = 20_000


@dataclass(frozen=True, slots=True)
class Accepted:
    """The witness holds. ``statement`` says in one sentence what it shows."""

    statement: str
    probability_left: Interval
    probability_right: Interval
    log_ratio: LogRatio


def check_witness(witness: Witness, source: str, limit: int = STEPS) -> Accepted | Rejected:
    """Recompute ``witness`` from the text of its source; look at ``limit`` states at most."""
    try:
        return _Checking(witness, _read(witness, source), limit).verdict()
    except Doubt as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except ZeroDivisionError:
        return Rejected("the mechanism divides by zero on these inputs")
    except (ArithmeticError, AssertionError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        # whatever a witness makes go wrong here, it has not been confirmed
        return Rejected(f"the witness cannot be checked ({type(error).__name__})")


def _read(witness: Witness, source: str) -> ir.Module:
    module = parse_text(source, witness.file, only=witness.function)
    if printer.fingerprint(module, witness.function) != witness.source:
        raise Doubt(f"the source of {witness.function} is not the one the witness was written for")
    return module


@dataclass(frozen=True, slots=True)
class _Checking:
    witness: Witness
    module: ir.Module
    limit: int

    @property
    def mechanism(self) -> ir.Mechanism:
        return self.module[self.witness.function]

    def verdict(self) -> Accepted:
        witness, step = self.witness, self.witness.lattice
        check_lattice(step)
        if not speaks_of(witness.output, self.mechanism.returns):
            raise Doubt(f"the output is no answer of {self.mechanism.name}, which returns another type")
        left = read_inputs(self.mechanism, "left", witness.left, step)
        right = read_inputs(self.mechanism, "right", witness.right, step)
        check_neighbours(self.mechanism, left, right, step)
        for given in (left, right):
            self._check_runs(given)
        claim = self._claim(left)
        bits = self._bits()
        on_left, on_right = self._probability(left, bits), self._probability(right, bits)
        _agree("probability_left", on_left, witness.probability_left)
        _agree("probability_right", on_right, witness.probability_right)
        ratio = self._log_ratio(on_left, on_right)
        statement = violation(claim, on_left, on_right, ratio)
        # what is written down must show it too, so that nobody who reads the witness alone sees less
        written = Claimed(self.mechanism.claim, witness.claim_value, witness.claim_delta, witness.order)
        violation(written, witness.probability_left, witness.probability_right, witness.log_ratio)
        if step > RUN and self.mechanism.claim is not None and has_lattice_noise(self.mechanism):
            self._check_in_a_run(claim, left, right)
        return Accepted(statement, on_left, on_right, ratio)

    def _check_in_a_run(self, claim: Claimed, left: dict[str, Value], right: dict[str, Value]) -> None:
        """Raise Doubt if the event breaks the claim on the coarse lattice only.

        A tie is likelier on a coarse lattice, and so is whatever hangs on it. Where a run's lattice takes too many
        states, nothing is known of it, and the witness speaks for the lattice that it names.
        """
        witness, name, limit = self.witness, self.mechanism.name, min(self.limit, AGAIN)
        try:
            on_left, on_right = (
                probability(self.module, name, given, witness.output, RUN, MOST_BITS, limit) for given in (left, right)
            )
        except InvalidInput as error:
            if error.code != "C110":
                raise
            return
        reason = (
            f"it breaks the claim on multiples of {witness.lattice} and not on multiples of {RUN}, as a run has them"
        )
        if on_left.lower <= 0:
            raise Doubt(reason)
        try:
            violation(claim, on_left, on_right, LogRatio(*log_bounds(on_left, on_right)))
        except Doubt:
            raise Doubt(reason) from None

    def _check_runs(self, given: dict[str, Value]) -> None:
        """A mechanism that refuses its public parameters answers nothing. It does so in every run or in none."""
        bits = self.witness.lattice.denominator.bit_length() - 1
        try:
            interpret.program(self.module, self.mechanism.name)(dict(given), Meter(100_000, bits))
        except InvalidInput as error:
            if error.code != "P206":  # out of patience is not a refusal
                raise Doubt(f"{self.mechanism.name} does not run on these inputs: {error.problem}") from None

    # --- numbers --------------------------------------------------------------------------------------------

    def _claim(self, left: dict[str, Value]) -> Claimed:
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
        types = {parameter.name: parameter.type for parameter in self.mechanism.parameters}
        found = [None if each is None else claimed(each, left, types).or_zero() for each in (value, delta)]
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

    def _bits(self) -> int:
        """Binary places at which the stated numbers can be told right from wrong."""
        widths = [_margin(stated) for stated in (self.witness.probability_left, self.witness.probability_right)]
        ratio = self.witness.log_ratio
        if ratio.lower is not None and ratio.upper is not None:
            relative = _margin(Interval(ratio.lower, ratio.upper)) / 4
            smallest = min(self.witness.probability_left.lower, self.witness.probability_right.lower)
            widths.append(max(min(relative, Fraction(1)) * smallest, TINY))
        finest = min(widths)
        needed = ceil(log2(finest.denominator) - log2(finest.numerator)) + 4
        return max(LEAST_BITS, min(needed, MOST_BITS))

    def _probability(self, given: dict[str, Value], bits: int) -> Interval:
        witness = self.witness
        return probability(self.module, witness.function, given, witness.output, witness.lattice, bits, self.limit)

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
