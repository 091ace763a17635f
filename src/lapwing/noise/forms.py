"""Numbers that hold noise: an exact rational plus Σ coefficient · product of draws.

The one idea: nothing is rounded. A form is kept normalised, so ``(x + n) - n`` is the number ``x`` again. A comparison
encloses the form in a ball and, while that holds 0, asks for more digits of the draws; two different forms are equal
with probability 0 (a polynomial that is not constant has no atoms under laws with a density), so it ends. An answer
leaves as its floor on multiples of 2^-bits, which is post-processing of the real number.

A long sum of draws becomes one part of later sums (:class:`Bundle`), so that running totals stay cheap; where a
comparison cannot be decided at once, bundles are opened, so that what cancels is seen to cancel.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeVar

from flint import arb, fmpq, fmpz

from lapwing.noise.ratios import NoisyQuotient, divided
from lapwing.noise.reals import FIRST, Draw, Law, OfOneRun, Precision
from lapwing.noise.source import SECURE, Source, generation

#: Sums of more draws are bundled before something is added to them.
LONGEST = 8

Rational = int | Fraction
Decided = TypeVar("Decided")
_bundles = itertools.count(1)


class Bundle:
    """A long sum of draws under one name; it holds no constant."""

    __slots__ = ("number", "sum")

    def __init__(self, total: Form) -> None:
        self.sum = total
        self.number = -next(_bundles)  # below every draw's; a bundle holds older bundles only

    def ball(self, digits: int) -> arb:
        """A ball that holds the sum; see :meth:`Draw.ball`."""
        return self.sum.noise(digits)


Part = Draw | Bundle
#: A product of draws and bundles, in the order of their numbers.
Monomial = tuple[Part, ...]
Terms = dict[Monomial, fmpq]
#: A ball of the noise, the digits it was made from, and the process that drew them.
Known = tuple[int, arb, int]


class Form(OfOneRun):
    """``constant + Σ terms``, with at least one term and no coefficient 0. Never changes."""

    __slots__ = ("_known", "constant", "terms")

    def __init__(self, constant: fmpq, terms: Terms, known: Known | None = None) -> None:
        self.constant = constant
        self.terms = terms
        self._known = known

    # --- arithmetic -----------------------------------------------------------------------------------------

    def __add__(self, other: object) -> Form | Rational:
        if isinstance(other, Form):
            return _sum(self, other, 1)
        number = exact(other)
        return NotImplemented if number is None else Form(self.constant + number, self.terms, self._known)

    __radd__ = __add__

    def __sub__(self, other: object) -> Form | Rational:
        if isinstance(other, Form):
            return _sum(self, other, -1)
        number = exact(other)
        return NotImplemented if number is None else Form(self.constant - number, self.terms, self._known)

    def __rsub__(self, other: object) -> Form | Rational:
        number = exact(other)
        return NotImplemented if number is None else -self + plain(number)

    def __neg__(self) -> Form:
        return Form(-self.constant, {monomial: -value for monomial, value in self.terms.items()})

    def __mul__(self, other: object) -> Form | Rational:
        if isinstance(other, Form):
            return _product(_short(self), _short(other))
        number = exact(other)
        if number is None:
            return NotImplemented
        if number == 0:
            return 0
        return Form(self.constant * number, {monomial: value * number for monomial, value in self.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Form | NoisyQuotient | Rational:
        number = exact(other)
        if number is None:  # a quotient is divided by in its own words
            return divided(self, other) if isinstance(other, Form) else NotImplemented
        return self * plain(1 / number)

    def __rtruediv__(self, other: Rational) -> Form | NoisyQuotient | Rational:
        return divided(other, self)

    def __abs__(self) -> Form | Rational:
        return self if self >= 0 else -self

    # --- questions: as many digits as it takes ---------------------------------------------------------------

    def __lt__(self, other: object) -> bool:
        return _compare(self, other) < 0

    def __le__(self, other: object) -> bool:
        return _compare(self, other) <= 0

    def __gt__(self, other: object) -> bool:
        return _compare(self, other) > 0

    def __ge__(self, other: object) -> bool:
        return _compare(self, other) >= 0

    def __eq__(self, other: object) -> bool:
        """Whether both are the same number: certain where the draws cancel, else it has probability 0."""
        if not isinstance(other, Form) and exact(other) is None:
            return NotImplemented
        difference = self - other
        same = opened(difference) if isinstance(difference, Form) else difference
        return not isinstance(same, Form) and same == 0

    __hash__ = None  # type: ignore[assignment]  # equal forms have no common hash: they are compared by their digits

    def floor_to(self, bits: int) -> Fraction:
        """The largest multiple of 2^-``bits`` that is not above the number."""
        return _floor(self, bits)

    def settled(self) -> Form | Rational:
        """The same number over draws alone: a plain one where what is added up cancels."""
        return opened(self)

    def share_of(self, other: Form) -> Rational | None:
        """By what number ``other`` has to be multiplied to be this, whatever was drawn; both are settled."""
        monomial, coefficient = next(iter(other.terms.items()))
        factor = plain(self.terms.get(monomial, fmpq(0)) / coefficient)
        return factor if self == other * factor else None

    def ball(self, digits: int) -> arb:
        """A ball that holds the number; see :meth:`noise`."""
        return self.noise(digits) + self.constant

    def noise(self, digits: int) -> arb:
        """A ball that holds Σ terms, from at least so many digits of each draw, at the working precision."""
        process, known = generation(), self._known
        if known is not None and known[0] >= digits and known[2] == process:  # in another process the draws refuse
            return known[1]
        for bundle in _unknown(self, digits):  # oldest first: running totals are deeper than the stack
            bundle.ball(digits)
        value = arb(0)
        for monomial, coefficient in self.terms.items():
            product = monomial[0].ball(digits) * coefficient
            for part in monomial[1:]:
                product *= part.ball(digits)
            value += product
        self._known = (digits, value, process)
        return value

    @staticmethod
    def total(values: Iterable[Form | Rational]) -> Form | Rational:
        """The sum of numbers of any kind, for who has met a form among them."""
        return total(values)

    def weight(self) -> int:
        """Bits of everything in the form, counting 64 for a draw: what a step of arithmetic on it costs."""
        weight = _bits(self.constant)
        for monomial, coefficient in self.terms.items():
            weight += 64 * len(monomial) + _bits(coefficient)
        return weight

    def __repr__(self) -> str:
        return f"<a number with {len(self.terms)} noisy terms>"


def draw(law: Law, scale: Rational, source: Source = SECURE) -> Form:
    """A fresh draw from ``law`` stretched by ``scale``, which is above 0."""
    return Form(fmpq(0), {(Draw(law, source),): fmpq(scale.numerator, scale.denominator)})


def total(values: Iterable[Form | Rational]) -> Form | Rational:
    """The sum of numbers of any kind, in one pass."""
    constant: Rational = 0
    noisy: list[Form] = []
    for value in values:
        if isinstance(value, Form):
            noisy.append(value)
        else:
            constant += value
    start, terms = fmpq(0), Terms()
    for form in noisy:
        start += form.constant
        _add(terms, form.terms, fmpq(1))
    return _normal(start, terms) + constant  # which adds itself where it is a number of another kind


def exact(value: object) -> fmpq | None:
    """A rational as flint computes with it; ``None`` for what is none."""
    if type(value) is int:
        return fmpq(value)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return fmpq(value.numerator, value.denominator)
    return None


def plain(value: fmpq) -> Rational:
    """A rational as Python computes with it."""
    return int(value.p) if value.q == 1 else Fraction(int(value.p), int(value.q))


def opened(form: Form) -> Form | Rational:
    """The same number over draws alone, so that equal terms meet."""
    pending = {monomial: value for monomial, value in form.terms.items() if _bundled(monomial)}
    if not pending:
        return form
    terms = {monomial: value for monomial, value in form.terms.items() if monomial not in pending}
    newest = [(monomial[0].number, index, monomial) for index, monomial in enumerate(pending)]
    order = itertools.count(len(newest))
    heapq.heapify(newest)
    while newest:  # the newest bundle first: every one is opened once, with its whole coefficient
        monomial = heapq.heappop(newest)[2]
        coefficient = pending.pop(monomial)
        if coefficient == 0:
            continue
        bundle = monomial[0]
        assert isinstance(bundle, Bundle)  # noqa: S101  # bundles come first in a product
        for inner, value in bundle.sum.terms.items():
            merged = _ordered(inner + monomial[1:])
            if not _bundled(merged):
                _add(terms, {merged: value}, coefficient)
            elif merged in pending:
                pending[merged] += value * coefficient
            else:
                pending[merged] = value * coefficient
                heapq.heappush(newest, (merged[0].number, next(order), merged))
    return _normal(form.constant, terms)


def _bundled(monomial: Monomial) -> bool:
    return isinstance(monomial[0], Bundle)


def _ordered(parts: Monomial) -> Monomial:
    return parts if len(parts) == 1 else tuple(sorted(parts, key=lambda part: part.number))


def _normal(constant: fmpq, terms: Terms) -> Form | Rational:
    return Form(constant, terms) if terms else plain(constant)


def _add(terms: Terms, more: Terms, factor: fmpq) -> None:
    """Add ``factor · more`` to ``terms``, dropping what cancels."""
    for monomial, value in more.items():
        known = terms.get(monomial)
        if known is None:
            terms[monomial] = value * factor
        else:
            value = known + value * factor
            if value == 0:
                del terms[monomial]
            else:
                terms[monomial] = value


def _short(form: Form) -> Form:
    """The same number, with a long sum of draws under one name."""
    if len(form.terms) <= LONGEST or any(len(monomial) > 1 for monomial in form.terms):
        return form
    return Form(form.constant, {(Bundle(Form(fmpq(0), form.terms, form._known)),): fmpq(1)}, form._known)


def _sum(left: Form, right: Form, sign: int) -> Form | Rational:
    if left.terms is right.terms and sign < 0:
        return plain(left.constant - right.constant)
    left, right = _short(left), _short(right)
    terms = dict(left.terms)
    _add(terms, right.terms, fmpq(sign))
    return _normal(left.constant + sign * right.constant, terms)


def _product(left: Form, right: Form) -> Form | Rational:
    terms: Terms = {}
    for monomial, value in left.terms.items():
        _add(terms, {_ordered(monomial + other): more for other, more in right.terms.items()}, value)
    if right.constant != 0:
        _add(terms, left.terms, right.constant)
    if left.constant != 0:
        _add(terms, right.terms, left.constant)
    return _normal(left.constant * right.constant, terms)


def _compare(left: Form, right: object) -> int:
    """The sign of ``left - right``."""
    if isinstance(right, Form):
        gap = left.constant - right.constant
        if left.terms is right.terms:
            return _sign_of(gap)
        with Precision(FIRST):  # most questions are decided by two balls, without the normalised difference
            answer = _sign(left.noise(FIRST) - right.noise(FIRST), gap)
        if answer is not None:
            return answer
        form = left - right
        return _decided(form, form.constant, _sign, _sign_of) if isinstance(form, Form) else _sign_of(form)
    number = exact(right)
    if number is None:  # a quotient compares itself
        return -int(right.compared(left))  # type: ignore[attr-defined]  # nothing else is compared with noise
    return _decided(left, left.constant - number, _sign, _sign_of)


def _sign(noise: arb, constant: fmpq) -> int | None:
    value = noise + constant
    if value > 0:
        return 1
    return -1 if value < 0 else None  # not "else 1": a ball that is no number compares False both ways


def _sign_of(value: Rational | fmpq) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0


def _floor(form: Form, bits: int) -> Fraction:
    steps = fmpz(1) << bits

    def certain(noise: arb, constant: fmpq) -> Fraction | None:
        # the whole part of the constant is added last, so that large private numbers need no precision
        whole = (constant * steps).floor()
        floor = (noise * steps + (constant * steps - whole)).floor().unique_fmpz()
        return None if floor is None else Fraction(int(floor + whole), int(steps))

    def exactly(value: Rational) -> Fraction:
        return Fraction((value * int(steps)).__floor__(), int(steps))

    return _decided(form, form.constant, certain, exactly)


def _decided(
    form: Form,
    constant: fmpq,
    decide: Callable[[arb, fmpq], Decided | None],
    exactly: Callable[[Rational], Decided],
) -> Decided:
    """What ``decide`` says of the noise of ``form`` plus ``constant``, once the ball is narrow enough.

    ``exactly`` decides what turns out to be a number. Each round asks for more digits and sets the precision anew:
    another thread may have changed it meanwhile.
    """
    digits = FIRST
    while True:
        with Precision(digits):
            answer = decide(form.noise(digits), constant)
        if answer is not None:
            return answer
        if digits == FIRST:
            same = opened(Form(constant, form.terms))
            if not isinstance(same, Form):
                return exactly(same)
            form = same
        digits = 2 * digits + 1


def _unknown(form: Form, digits: int) -> list[Bundle]:
    """Every bundle inside ``form`` whose ball is not known from so many digits, oldest first."""
    found: dict[int, Bundle] = {}
    pending = [form]
    while pending:
        for monomial in pending.pop().terms:
            for part in monomial:
                if isinstance(part, Bundle) and part.number not in found:
                    known = part.sum._known
                    if known is None or known[0] < digits:
                        found[part.number] = part
                        pending.append(part.sum)
    return [found[number] for number in sorted(found, reverse=True)]


def _bits(value: fmpq) -> int:
    return int(value.p.bit_length()) + int(value.q.bit_length())
