"""What tails and intervals cost, as numbers: the δ of all that is bad, and the ε of being moved onto an interval.

The one idea: prices with exponentials are compared once, after the walk's linear questions, by formulas in the public
parameters (:mod:`lapwing.kernel.prices.exponential_sums`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.approximate import Tail
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.exponential_sums import Comparing, Exponentials
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir
from lapwing.kernel.relational.proof_parts import shifted_draws
from lapwing.kernel.relational.setting import Setting

#: By noise and side: the factor of e^(-t/b) in the probability of a tail from t on, for noise of scale b.
SHARES = {
    ("laplace", "above"): Fraction(1, 2),
    ("laplace", "below"): Fraction(1, 2),
    ("laplace", "beyond"): Fraction(1),
    ("exponential", "above"): Fraction(1),
    ("discrete_laplace", "above"): Fraction(1),
    ("discrete_laplace", "below"): Fraction(1),
    ("discrete_laplace", "beyond"): Fraction(2),
}
#: Sums of probabilities that are compared with a δ, one of each of those that are counted together.
MOST_SUMS = 16


def scales_known(scales: Mapping[int, Quotient], made: Collection[int], *, widths: bool) -> Iterator[list[Quotient]]:
    """What is above 0 wherever something is to be shown, case by case: the scales of draws that every run makes.

    Where there are none, the scale of some draw: a run that draws nothing answers like its neighbour. That this is so
    is walked with the ``widths`` of intervals known to be above 0: then they have to be, whether noise is drawn or not.
    """
    always = [scale for site, scale in scales.items() if site in made]
    if always or not scales or widths:
        yield always
        return
    for place, scale in enumerate(scales.values()):
        if not any(scale.agrees(other) for other in list(scales.values())[:place]):
            yield [scale]


@dataclass(slots=True)
class Prices:
    """The prices of one coupling proof; ``made`` are scales that are above 0."""

    setting: Setting
    scales: Mapping[int, Quotient]
    made: Sequence[Quotient]
    comparing: Comparing = field(init=False)

    def __post_init__(self) -> None:
        self.comparing = Comparing(self.setting.parameters, tuple(self.made))
        widths: dict[ir.Expression, Exponentials] = {
            ir.Builtin("%width", (ir.Number(Fraction(each.site)),)): self.comparing.read(formula(each.width))
            for each in self.setting.proof.intervals
        }
        self.comparing = Comparing(self.setting.parameters, tuple(self.made), widths)

    def check(self, delta: str | None) -> None:
        """Refuse unless every interval has its price, and all that is bad has probability ``delta`` at most."""
        for each in self.setting.proof.intervals:
            spread = self.setting.spreads[each.site]
            # an interval that is never used must not pay for what is
            for amount, text in ((spread.extra, each.extra), (spread.uses, each.uses), (spread.price, each.price)):
                if not self.comparing.at_least_zero(self.comparing.of(amount)):
                    raise Unproved(f"{text[:60]}, which is said of an interval, may be below 0")
            self._interval(each.site, spread.extra, each.width, each.price)
        if delta is None:
            return
        stated = self.comparing.read(formula(delta))
        if not all(self.comparing.at_most(each, stated) for each in self.bad()):
            raise Unproved(f"the probability of what is bad may pass {delta[:80]}")
        claim = self.setting.mechanism.claim
        if isinstance(claim, ir.ApproximateClaim) and not self.comparing.at_most(
            stated, self.comparing.read(claim.delta)
        ):
            raise Unproved(f"{delta[:80]} may pass the δ of the claim")

    def bad(self) -> list[Exponentials]:
        """The probability of everything that is bad, or more: the largest of these."""
        totals = [Exponentials.of(0)]
        kinds = {each.site: each.kind for each in shifted_draws(self.setting.mechanism)}
        for counter, many in self.setting.counts.items():
            count = self.comparing.of(many)
            if not self.comparing.at_least_zero(count):
                raise Unproved(f"the count {self.setting.tails[counter].count[:60]} may be below 0")
            together = [tail for entry, tail in self.setting.tails.items() if self.setting.counters[entry] == counter]
            chances: list[Exponentials] = []
            for tail in together:
                chance = self._tail(tail, kinds[tail.site])
                if all((chance - other).terms for other in chances):
                    chances.append(chance)
            if len(totals) * len(chances) > MOST_SUMS:
                raise Unproved("too many tails are counted together")
            totals = [total + count * chance for total in totals for chance in chances]
        return totals

    def _tail(self, tail: Tail, kind: str) -> Exponentials:
        """The probability of a tail from ``least`` on, or more, whatever the sign of ``least``.

        Laplace noise: ½ e^(-t/b) on each side for t ≥ 0; for t < 0 it is 1 - ½ e^(t/b), which is less, since e^x and
        e^(-x) add up to 2 at least. Of both sides: e^(-t/b), which is 1 at least for t < 0. Integer noise is t or
        above with probability e^(-t/b) / (1 + e^(-1/b)) at most, if t > 0, and e^(-t/b) is 1 at least if not.
        """
        share = SHARES.get((kind, tail.side))
        if share is None:
            raise Unproved(f"the tail {tail.side} of {kind} noise has no price")
        self._positive(tail.site)
        least = self.comparing.read(formula(tail.least))
        exponent = -least * self.comparing.of(Quotient.of(1) / self.scales[tail.site])
        return Exponentials.of(share) * exponent.exp()

    def _interval(self, site: int, extra: Quotient, width: str, price: str) -> None:
        """1 + (e^(K/b) - 1) / (1 - e^(-W/b)) is at most e^price, where W, b > 0: see :func:`alignments.ask_nested`."""
        self._positive(site)
        comparing = self.comparing
        wide = comparing.read(formula(width))
        if not comparing.at_least_zero(wide, strictly=True):
            raise Unproved(f"the width {width[:60]} may not be above 0")
        inverse = comparing.of(Quotient.of(1) / self.scales[site])
        gone, left = (comparing.of(extra) * inverse).exp(), (-wide * inverse).exp()
        most = comparing.read(formula(price)).exp() * (Exponentials.of(1) - left)
        if not comparing.at_most(gone - left, most):
            raise Unproved(f"being moved onto an interval at site {site} may cost more than {price[:60]}")

    def _positive(self, site: int) -> None:
        """Refuse a scale that is not known to be above 0."""
        if not self.comparing.at_least_zero(self.comparing.of(self.scales[site]), strictly=True):
            raise Unproved(f"the scale at site {site} is not known to be above 0: say so with an assert")
