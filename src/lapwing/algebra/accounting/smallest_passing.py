"""The smallest number that passes a certified test.

The one idea: the search may be clumsy, because the answer is one that was *itself* tested. A test is a
function that says yes only when ball arithmetic has proved it, so a wrong assumption about monotonicity costs
tightness, never soundness.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from lapwing.errors import Unbounded

#: Bits to which a returned bound is narrowed; 2⁻⁴⁸ is about 3.6e-15 relative.
SEARCH_BITS = 48
#: Doublings (or halvings) tried before a search gives up.
MAX_DOUBLINGS = 4096


def smallest(passes: Callable[[Fraction], bool], start: Fraction = Fraction(1), what: str = "bound") -> Fraction:
    """A positive number that passes, within 2⁻⁴⁸ relative of one that was seen to fail; 0 if 0 passes."""
    if passes(Fraction(0)):
        return Fraction(0)
    return smallest_positive(passes, start, what)


def smallest_positive(
    passes: Callable[[Fraction], bool], start: Fraction = Fraction(1), what: str = "bound"
) -> Fraction:
    """As :func:`smallest`, for a quantity that has no meaning at 0, such as a noise scale."""
    fails, succeeds = _bracket(passes, start, what)
    while (succeeds - fails) * (1 << SEARCH_BITS) > succeeds:
        middle = _short((fails + succeeds) / 2, (succeeds - fails) / 8)
        if passes(middle):
            succeeds = middle
        else:
            fails = middle
    return succeeds


def smallest_whole(passes: Callable[[int], bool], start: int = 1, what: str = "bound") -> int:
    """The smallest whole number from 1 on that passes, if the test is monotone; one that passes, in any case."""
    fails, succeeds = 0, max(start, 1)
    for _ in range(MAX_DOUBLINGS):
        if passes(succeeds):
            break
        fails, succeeds = succeeds, 2 * succeeds
    else:
        raise _gave_up(what)
    while succeeds - fails > 1:
        middle = (fails + succeeds) // 2
        if passes(middle):
            succeeds = middle
        else:
            fails = middle
    return succeeds


def _bracket(passes: Callable[[Fraction], bool], start: Fraction, what: str) -> tuple[Fraction, Fraction]:
    """(one that fails, one twice as large that passes)."""
    point = _short(start, start / 8)
    if passes(point):
        for _ in range(MAX_DOUBLINGS):
            point /= 2
            if not passes(point):
                return point, 2 * point
    else:
        for _ in range(MAX_DOUBLINGS):
            point *= 2
            if passes(point):
                return point / 2, point
    raise _gave_up(what)


def _short(value: Fraction, slack: Fraction) -> Fraction:
    """A dyadic number within ``slack`` of ``value``: keeps the search's own numbers short."""
    bits = max(0, slack.denominator.bit_length() - slack.numerator.bit_length() + 1)
    return Fraction(round(value * (1 << bits)), 1 << bits)


def _gave_up(what: str) -> Unbounded:
    return Unbounded("A501", f"no finite {what} was found", "Use a larger delta or parameters of ordinary size")
