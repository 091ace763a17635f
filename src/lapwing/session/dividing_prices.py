"""How a price is divided among the questions of a plan, so that every error meets its wish.

The one idea: each error falls as its question's share grows, so for a common ratio r of errors to wishes each question
has a smallest share, and the shares add up to a price that falls as r grows. For wishes as they are, r is 1 and the
price is what comes out; for a price that is given, r is found by halving.

Everything is added up in one currency: in ε, or in ρ. Groups with unknown keys are chosen at a price in ε, which adds
ε²/2 to a sum in ρ ([BS16] Prop. 1.4). What is charged is not decided here: the kernel derives it from the mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.session.compounding import Compound, aggregates
from lapwing.session.estimating import Foreseen
from lapwing.session.pricing import root_down
from lapwing.session.quoting import lattice
from lapwing.session.wishing import Tolerance, Wished

#: Prices that are tried, in steps of 64 to a doubling: ε from 2^-20 to 2^10, and ρ as far as these reach.
_STEPS = 64
_EPSILONS, _RHOS = (-20 * _STEPS, 10 * _STEPS), (-41 * _STEPS, 19 * _STEPS)
#: As far off as this says nothing.
_LARGEST = 1e300
#: A common ratio, or the price for one, is found to this factor.
_CLOSE = 1.005
#: While a common ratio is looked for, an error this close to it is close enough.
_NEARLY = 0.985
#: So often a search guesses from how errors fall, before it halves; and how they fall in one step.
_GUESSES, _FALL = 8, math.log(2) / _STEPS


@dataclass(frozen=True, slots=True)
class Costed:
    """A question of a plan, read: its query, how it is priced, and how far off each of its columns may be."""

    wanted: Wished
    asked: Foreseen
    limits: Mapping[str, Tolerance]

    @property
    def chooses(self) -> bool:
        """Whether its groups are chosen in private, at a price in ε."""
        return any(each.aggregate.selection is not None for each in aggregates(self.asked.query))

    def ratios(self, plan: Compound) -> dict[str, float]:
        """The error of each column with a limit, in parts of what it may be."""
        found = self.asked.margins(plan, self.limits)
        return {name: _part(found[name], limit) for name, limit in self.limits.items()}

    def ratio(self, plan: Compound) -> float:
        """The largest of them."""
        return max(self.ratios(plan).values())


@dataclass(slots=True)
class Division:
    """The search for shares in one currency; what was priced once is remembered."""

    lines: Sequence[Costed]
    in_rho: bool
    _known: dict[tuple[int, int], float] = field(default_factory=dict)

    def cheapest(self) -> list[Fraction]:
        """The smallest shares that meet every wish; refuses a wish that no price meets."""
        lowest, highest = _RHOS if self.in_rho else _EPSILONS
        found = []
        for at, line in enumerate(self.lines):
            if self._ratio(at, highest) > 1:
                raise self._beyond(line, at, lattice(highest))
            found.append(self._smallest(at, 1.0, lowest, highest))
        return found

    def within(self, total: Fraction) -> list[Fraction]:
        """The shares of a price for which the largest ratio of an error to its wish is smallest."""
        lowest, highest = (_RHOS if self.in_rho else _EPSILONS)[0], _step_above(total)
        low = max(self._ratio(at, highest) for at in range(len(self.lines)))
        if not math.isfinite(low):
            at = next(at for at in range(len(self.lines)) if not math.isfinite(self._ratio(at, highest)))
            raise self._beyond(self.lines[at], at, total)

        def shares(ratio: float) -> list[Fraction]:
            return [self._smallest(at, ratio, lowest, highest, _NEARLY) for at in range(len(self.lines))]

        low, high = low or 1 / _LARGEST, _LARGEST
        guess, found, turn = low * float(len(self.lines)) ** self._power, None, 0
        while found is None or (high > low * _CLOSE and float(total / sum(found)) > _CLOSE):
            tried = shares(guess)
            if sum(tried) <= total:
                high, found = guess, tried
            elif guess >= _LARGEST:
                raise InvalidInput(
                    "S172",
                    f"a price of {float(total):.3g} is too small for {len(self.lines)} questions: no ± would be known",
                    "Pay more, or ask for less",
                )
            else:
                low = guess
            turn += 1
            guess *= max(float(sum(tried) / total) ** self._power, 1.001 if low == guess else 0.0)
            if turn > _GUESSES or not low < guess < high:
                guess = _LARGEST if found is None and turn > _GUESSES else math.sqrt(low) * math.sqrt(high)
        return [share * total / sum(found) for share in found]

    @property
    def _power(self) -> float:
        """An error falls about as this power of the price: noise is as wide as 1/ε, and as 1/√ρ."""
        return 0.5 if self.in_rho else 1.0

    def measure(self, at: int, share: Fraction) -> PureDP | ZCDP:
        """What a share buys."""
        if not self.in_rho:
            return PureDP(share)
        return PureDP(root_down(2 * share)) if self.lines[at].chooses else ZCDP(share)

    def _ratio(self, at: int, step: int) -> float:
        if (at, step) not in self._known:
            line = self.lines[at]
            self._known[at, step] = line.ratio(line.asked.priced(self.measure(at, lattice(step))))
        return self._known[at, step]

    def _smallest(self, at: int, ratio: float, low: int, high: int, enough: float = 1.0) -> Fraction:
        """The smallest price on the lattice at which a question's errors are within this ratio of its wishes.

        Prices that are known narrow the search; in between, errors fall about as a power of the price does. It also
        ends where errors are at least ``enough`` of the ratio.
        """
        known = {step: found for (line, step), found in self._known.items() if line == at}
        low = max((step for step, found in known.items() if found > ratio and low <= step < high), default=low - 1)
        high = min((step for step, found in known.items() if found <= ratio and low < step <= high), default=high)
        turn = 0
        while high - low > 1 and not enough * ratio <= known.get(high, 0.0) < ratio:
            above, below = known.get(low, math.inf), known.get(high, 0.0)
            middle = (low + high) // 2
            if turn < _GUESSES and 0 < below < above and ratio < _LARGEST:
                fall = math.log(above / below) / (high - low) if math.isfinite(above) else self._power * _FALL
                middle = min(max(high - math.floor(math.log(ratio / below) / fall), low + 1), high - 1)
            found = self._ratio(at, middle)
            low, high = (low, middle) if found <= ratio else (middle, high)
            known[middle] = found
            turn += 1
        return lattice(high)

    def _beyond(self, line: Costed, at: int, share: Fraction) -> InvalidInput:
        """Says which wish it is, and what could be had instead."""
        found = line.asked.margins(line.asked.priced(self.measure(at, share)), line.limits)
        name = max(line.limits, key=lambda each: _part(found[each], line.limits[each]))
        margin = found[name][0]
        closest = f"± {margin:,.3g} is the closest" if math.isfinite(margin) else "none is known there"
        currency = "rho" if self.in_rho else "epsilon"
        return InvalidInput(
            "S171",
            f"{line.wanted.name!r}: no price up to {currency} {float(share):.6g} brings {name!r} within "
            f"{line.limits[name]} for groups of {line.wanted.rows:,} rows; {closest}",
            "Allow a larger error, guess more rows in a group, or say what you expect of it",
        )


def _part(found: tuple[float, float], limit: Tolerance) -> float:
    margin, value = found
    allowed = float(limit.amount) * (abs(value) if limit.relative else 1.0)
    return margin / allowed if allowed > 0 else math.inf


def _step_above(total: Fraction) -> int:
    """The first step whose price is at least so large."""
    step = math.floor(math.log2(total.numerator) - math.log2(total.denominator)) * _STEPS - 1
    while lattice(step) < total:
        step += 1
    return step
