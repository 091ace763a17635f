"""Functions of one real number that Gaussian noise brings: pieces, times bells, times pieces smoothed by a bell.

The one idea: one Gaussian against pieces has a closed form with erf (complete the square). Several Gaussians around one
held number are a product of such functions, entire in the complex plane, so one certified quadrature between the
breakpoints of the pieces gives its integral; what is cut off is bounded and added. Beyond that nothing is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import acb, arb, ctx, fmpq

from lapwing.kernel.distribution.pieces import Calculus, Coefficient, End, Indicator, Pieces

ZERO, ONE = fmpq(0), fmpq(1)
#: Evaluations of one function that a quadrature may take.
MOST_EVALUATIONS = 20_000


@dataclass(frozen=True, slots=True)
class Bell:
    """At s = slope·t + offset: the density of N(0, variance), or the mean of ``smoothed`` at s plus such noise."""

    variance: fmpq
    smoothed: Pieces | None = None
    slope: fmpq = ONE
    offset: fmpq = ZERO

    def moved(self, slope: fmpq, offset: fmpq) -> Bell:
        """The same function at slope·t + offset."""
        return replace(self, slope=self.slope * slope, offset=self.slope * offset + self.offset)

    def at(self, t: acb) -> acb:
        """The value at a complex number."""
        s = t * acb(arb(self.slope)) + acb(arb(self.offset))
        if self.smoothed is None:
            return (-s * s / acb(arb(2 * self.variance))).exp() / acb((2 * arb.pi() * arb(self.variance)).sqrt())
        return smooth(self.smoothed, self.variance, s)


class Smooth:
    """``pieces`` (1 everywhere if None) times every bell. Compared by identity, as pieces are."""

    __slots__ = ("bells", "pieces")

    def __init__(self, pieces: Pieces | None, bells: tuple[Bell, ...]) -> None:
        self.pieces, self.bells = pieces, bells

    @property
    def support(self) -> tuple[End, End]:
        """Ends between which all of it lies."""
        return (None, None) if self.pieces is None else self.pieces.support

    @property
    def density(self) -> Bell | None:
        """The one bell that this is, if it is a density of Gaussian noise and nothing else."""
        alone = self.pieces is None and len(self.bells) == 1 and self.bells[0].smoothed is None
        return self.bells[0] if alone else None


Factor = Pieces | Smooth


def moved(calculus: Calculus, factor: Factor, slope: fmpq, offset: fmpq) -> Factor:
    """T ↦ factor(slope·t + offset)."""
    if isinstance(factor, Pieces):
        return calculus.moved(factor, slope, offset)
    if slope == 1 and offset == 0:
        return factor
    inner = None if factor.pieces is None else calculus.moved(factor.pieces, slope, offset)
    return Smooth(inner, tuple(bell.moved(slope, offset) for bell in factor.bells))


def product(calculus: Calculus, one: Factor, two: Factor) -> Factor | None:
    """The product; None where that is 0."""
    if isinstance(one, Pieces) and isinstance(two, Pieces):
        return calculus.product(one, two)
    parts = [each if isinstance(each, Smooth) else Smooth(each, ()) for each in (one, two)]
    first, second = (part.pieces for part in parts)
    if first is not None and second is not None:
        first = calculus.product(first, second)
        if first is None:
            return None
    return Smooth(first if first is not None else second, parts[0].bells + parts[1].bells)


def total(calculus: Calculus, factor: Factor) -> Coefficient:
    """The integral over all numbers."""
    if isinstance(factor, Pieces):
        return calculus.total(factor)
    bells, pieces = factor.bells, factor.pieces
    if len(bells) == 1 and bells[0].smoothed is None:
        bell = bells[0]
        width = arb(abs(1 / bell.slope))
        if pieces is None:
            return width
        return (
            smooth(calculus.moved(pieces, 1 / bell.slope, -bell.offset / bell.slope), bell.variance, acb(0)).real
            * width
        )
    return _quadrature(calculus, factor)


def smooth(pieces: Pieces, variance: fmpq, s: acb) -> acb:
    """E[pieces(s + Z)] with Z from N(0, variance): for each term, e^(λs + λ²v/2) times a moment around s + λv."""
    found = acb(0)
    spread = acb(arb(2 * variance).sqrt())
    v = acb(arb(variance))
    for low, high, terms in pieces.segments:
        for (m, p, q), c in terms.items():
            speed = acb(arb(fmpq(p, q)))
            middle = s + speed * v
            factor = (speed * s + speed * speed * v / 2).exp() if p else acb(1)
            found += acb(c) * factor * _moment(m, middle, v, spread, low, high)
    return found


def _moment(m: int, middle: acb, v: acb, spread: acb, low: End, high: End) -> acb:
    """∫ uᵐ·φ(u - middle) du from low to high, by parts: I_m = middle·I_(m-1) + v·(m-1)·I_(m-2) - v·[u^(m-1)·φ]."""
    ends = [None if end is None else acb(arb(end)) for end in (low, high)]
    before, here = acb(0), _mass(middle, spread, *ends)
    for k in range(1, m + 1):
        edge = acb(0)
        for end, sign in zip(ends, (-1, 1), strict=True):
            if end is not None:
                height = (-(((end - middle) / spread) ** 2)).exp() / (spread * acb(arb.pi()).sqrt())
                edge += sign * end ** (k - 1) * height
        before, here = here, middle * here + v * (k - 1) * before - v * edge
    return here


def _mass(middle: acb, spread: acb, low: acb | None, high: acb | None) -> acb:
    if low is None and high is None:
        return acb(1)
    if low is None:
        assert high is not None  # noqa: S101  # the case before
        return ((middle - high) / spread).erfc() / 2
    if high is None:
        return ((low - middle) / spread).erfc() / 2
    near, far = (low - middle) / spread, (high - middle) / spread
    if near.real.mid() > 0:
        return (near.erfc() - far.erfc()) / 2
    return ((-far).erfc() - (-near).erfc()) / 2 if far.real.mid() < 0 else (far.erf() - near.erf()) / 2


class Unbounded(Exception):
    """A product of which the tail is not bounded here."""


def _quadrature(calculus: Calculus, factor: Smooth) -> arb:
    """One certified integral per segment, and what was cut off. Every other factor is a probability, so at most 1."""
    bits = ctx.prec
    densities = [bell for bell in factor.bells if bell.smoothed is None]
    tests = [bell.smoothed for bell in factor.bells if bell.smoothed is not None]
    if not all(isinstance(each, Indicator) for each in tests):
        raise Unbounded
    pieces = factor.pieces or calculus.indicator(None, None)
    if len(densities) == 1 and isinstance(pieces, Indicator):
        low, high, cut = _bell_reach(densities[0], bits)
    elif not densities:
        low, high, cut = _pieces_reach(calculus, pieces, bits)
    else:
        raise Unbounded
    found = arb(0)
    for start, end, _ in pieces.segments:
        a, b = low if start is None or start < low else start, high if end is None or high < end else end
        if a < b:
            found += _segment(factor, pieces, a, b, bits)
    return found + cut.union(arb(0))


def _segment(factor: Smooth, pieces: Pieces, a: fmpq, b: fmpq, bits: int) -> arb:
    middle = (a + b) / 2
    terms = next(
        terms for low, high, terms in pieces.segments
        if (low is None or low <= middle) and (high is None or middle <= high)
    )  # fmt: skip

    def value(t: acb, _analytic: bool) -> acb:
        found = acb(0)
        for (m, p, q), c in terms.items():
            found += acb(c) * t**m * (t * acb(arb(fmpq(p, q)))).exp()
        for bell in factor.bells:
            found *= bell.at(t)
        return found

    # the tolerance is relative to the answer, which may lie in a small part of the segment: look at both ends closely
    shares = [fmpq(k, 16) for k in range(1, 16)] + [fmpq(1, 2**j) for j in range(5, 12)]
    places = [a, b, *(a + (b - a) * share for share in shares), *(b - (b - a) * share for share in shares)]
    heights = [abs(value(acb(arb(at)), False).real.mid()) for at in places]
    goal = max(heights, key=float) * arb((b - a) / 2**11) * arb(2) ** -bits
    whole = acb.integral(
        value, acb(arb(a)), acb(arb(b)), rel_tol=arb(2) ** -bits, abs_tol=goal, eval_limit=MOST_EVALUATIONS
    )
    return whole.real


def _bell_reach(bell: Bell, bits: int) -> tuple[fmpq, fmpq, arb]:
    """Ends beyond which little of a Gaussian density lies, and how much at most."""
    far = fmpq(int(arb(2 * bits * bell.variance).sqrt().upper().floor().unique_fmpz() or 0) + 2)
    ends = sorted([(far - bell.offset) / bell.slope, (-far - bell.offset) / bell.slope])
    rest = (arb(far) / arb(2 * bell.variance).sqrt()).erfc() * arb(abs(1 / bell.slope))
    return ends[0], ends[1], rest


def _pieces_reach(calculus: Calculus, pieces: Pieces, bits: int) -> tuple[fmpq, fmpq, arb]:
    """The same for pieces, which are not negative: the mass beyond two ends."""
    slowest = [
        abs(fmpq(p, q)) for low, high, terms in pieces.segments if low is None or high is None for _, p, q in terms
    ]
    if any(each == 0 for each in slowest):
        raise Unbounded
    breaks = pieces.breaks
    far = bits / min(slowest) if slowest else fmpq(0)
    low, high = breaks[0] - far, breaks[-1] + far
    rest = arb(0)
    for beyond in ((None, low), (high, None)):
        tail = calculus.product(pieces, calculus.indicator(*beyond))
        if tail is not None:
            rest += calculus.total(tail)
    return low, high, rest
