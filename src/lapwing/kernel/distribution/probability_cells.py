"""Probabilities by cells: the last resort, where draws are multiplied or compared in more ways than are integrated.

The one idea: a draw is F⁻¹(U), and a cell fixes the first digits of each U. There every draw is a ball, on which the
program runs; a question that the balls leave open makes two cells of the cell, by one digit more of one draw. A cell in
which nothing is open weighs 2^-digits, exactly.

Claim: the probability of an answer is at least the weight of the cells that give it, and at most that and the weight of
those still open, because cells that split are their parts, and every run in a cell answers as the balls do. (Numbers on
the edge of two cells, and ties between different polynomials of draws, have probability 0.)
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn

from flint import arb, fmpq

from lapwing.algebra import balls
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.inputs import plain
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.machine import made
from lapwing.kernel.uncomputable import TooMuch, Uncomputable

#: A cell is a run from the beginning: about as much work as so many states. And no more cells than this.
STATES, CELLS = 20, 12_000
#: Steps of one run, and terms of one number: longer ones are not worth it here.
STEPS, TERMS = 20_000, 64
BITS = 96
SIGNED = frozenset({"laplace", "gaussian"})
#: How many digits of a draw are fixed, and they as a whole number; of a draw with few outcomes -1, and which.
Fixed = tuple[int, int]
#: Draws multiplied with each other, in order; () stands for 1.
Monomial = tuple[int, ...]


class Open(Exception):
    """A question is not decided in this cell: of one draw more has to be fixed, in parts that have these shares."""

    def __init__(self, draw: int, parts: Sequence[tuple[Fraction, Fixed]]) -> None:
        super().__init__(draw, parts)
        self.draw, self.parts = draw, parts


@dataclass(slots=True)
class Run:
    """The draws of one run in a cell."""

    fixed: list[Fixed] = field(default_factory=list)
    balls: list[arb] = field(default_factory=list)

    def draw(self, kind: ir.NoiseKind, arguments: Sequence[Any]) -> Multiplied | bool | int:
        """A number that lies in a ball; or the outcome of a coin or of ``uniform``, which a cell fixes."""
        number, size = len(self.balls), arguments[0]
        fresh = number >= len(self.fixed)
        if not isinstance(size, int | Fraction) or kind not in ("flip", "uniform", "exponential", *SIGNED):
            raise Uncomputable("this noise cannot be cut into cells")
        if kind in SIGNED or kind == "exponential":
            if fresh:
                self.fixed.append((0, 0))
            self.balls.append(_ball(kind, *self.fixed[number]) * fmpq(size.numerator, size.denominator))
            return Multiplied(self, {(number,): Fraction(1)}, self.balls[number])
        if fresh:
            shares = [1 - Fraction(size), Fraction(size)] if kind == "flip" else [1 / Fraction(size)] * int(size)
            raise Open(number, [(share, (-1, place)) for place, share in enumerate(shares) if share])
        self.balls.append(arb(0))
        outcome = self.fixed[number][1]
        return bool(outcome) if kind == "flip" else outcome


class Multiplied:
    """Σ coefficient · draws, normalised, so that what cancels is seen to cancel; and where that lies, as computed.

    The ball is the product of the factors as they were written: narrower than that of the sum they are multiplied to.
    """

    __slots__ = ("ball", "run", "terms")
    __hash__ = None  # type: ignore[assignment]  # numbers are compared, not looked up

    def __init__(self, run: Run, terms: dict[Monomial, Fraction], ball: arb) -> None:
        self.run, self.terms, self.ball = run, terms, ball

    def _with(self, terms: Iterable[tuple[Monomial, Fraction]], ball: arb) -> Any:  # noqa: ANN401  # of either kind
        found: dict[Monomial, Fraction] = {}
        for monomial, coefficient in terms:
            found[monomial] = found.get(monomial, Fraction(0)) + coefficient
        found = {monomial: coefficient for monomial, coefficient in found.items() if coefficient}
        if len(found) > TERMS:
            raise TooMuch("a number hangs on too many products of draws")
        if not found or list(found) == [()]:
            return plain(found.get((), Fraction(0)))
        return Multiplied(self.run, found, ball)

    def __add__(self, other: object) -> Any:  # noqa: ANN401  # a number of either kind
        return self._with([*self.terms.items(), *_terms(other)], self.ball + _lies(other))

    def __mul__(self, other: object) -> Any:  # noqa: ANN401  # a number of either kind
        pairs = ((one, two) for one in self.terms.items() for two in _terms(other))
        terms = ((tuple(sorted(one[0] + two[0])), one[1] * two[1]) for one, two in pairs)
        return self._with(terms, self.ball * _lies(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:  # noqa: ANN401  # a number of either kind
        return self * -1

    def __sub__(self, other: Any) -> Any:  # noqa: ANN401  # a number of either kind
        return self + (-other)

    def __rsub__(self, other: object) -> Any:  # noqa: ANN401  # a number of either kind
        return -self + other

    def __truediv__(self, other: object) -> Any:  # noqa: ANN401  # a number of either kind
        if not isinstance(other, Fraction):
            raise Uncomputable("a quotient of noisy numbers is divided again, or multiplied by others")
        return self * (1 / other)

    def __rtruediv__(self, _other: object) -> NoReturn:
        raise Uncomputable("a quotient of noisy numbers is divided again, or multiplied by others")

    def __abs__(self) -> Any:  # noqa: ANN401  # a number of either kind
        return self if self >= 0 else -self

    def __eq__(self, other: object) -> bool:
        """Whether both are the same number: certain where the draws cancel, else it has probability 0."""
        difference = self - other
        return not isinstance(difference, Multiplied) and bool(difference == 0)

    def __lt__(self, other: object) -> bool:
        return self._compared(other) < 0

    def __gt__(self, other: object) -> bool:
        return self._compared(other) > 0

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        return not self < other

    def _compared(self, other: object) -> int:
        """The sign of the difference; raises Open where the cell leaves it open."""
        difference = self - other
        if not isinstance(difference, Multiplied):
            return int(difference > 0) - int(difference < 0)
        for value in (difference.ball, difference._around_middle()):
            if value > 0:
                return 1
            if value < 0:  # not "else": a ball that is no number compares False both ways
                return -1
        raise difference._split()

    @property
    def _draws(self) -> list[int]:
        return sorted({draw for monomial in self.terms for draw in monomial})

    def _around_middle(self) -> arb:
        """Where it lies by the mean value theorem: its value in the middle of the cell, and slopes from there."""
        balls = self.run.balls
        middles = {draw: balls[draw].mid() for draw in self._draws}
        found = _sum(self.terms.items(), middles)
        for draw, middle in middles.items():
            found += self._slope(draw) * (balls[draw] - middle)
        return found

    def _slope(self, draw: int) -> arb:
        """A ball of the derivative, everywhere in the cell."""
        terms = ((_without(m, draw), c * m.count(draw)) for m, c in self.terms.items() if draw in m)
        return _sum(terms, self.run.balls)

    def _split(self) -> Open:
        """One digit more of the draw that leaves most open: its width times the slope."""

        def width(draw: int) -> tuple[bool, float]:
            ball = self.run.balls[draw]
            if not ball.is_finite():
                return True, -self.run.fixed[draw][0]
            return False, float(self._slope(draw).abs_upper()) * float(ball.rad())

        draw = max(self._draws, key=width)
        digits, number = self.run.fixed[draw]
        return Open(draw, [(Fraction(1, 2), (digits + 1, 2 * number + bit)) for bit in (0, 1)])

    def weight(self) -> int:
        """What a step of arithmetic on it costs."""
        return 64 * len(self.terms)

    @staticmethod
    def total(values: Iterable[Any]) -> Any:  # noqa: ANN401  # a number of either kind
        """The sum of numbers of any kind."""
        found: Any = 0
        for value in values:
            found = found + value
        return found


def _terms(other: Any) -> Iterator[tuple[Monomial, Fraction]]:  # noqa: ANN401  # a number of any kind
    if isinstance(other, Multiplied):
        yield from other.terms.items()
    elif isinstance(other, fmpq):
        yield (), Fraction(int(other.p), int(other.q))
    else:
        yield (), Fraction(other)


def _sum(terms: Iterable[tuple[Monomial, Fraction]], balls: Mapping[int, arb] | Sequence[arb]) -> arb:
    found = arb(0)
    for draws, coefficient in terms:
        product = arb(fmpq(coefficient.numerator, coefficient.denominator))
        for draw in draws:
            product *= balls[draw]
        found += product
    return found


def _lies(other: Any) -> Any:  # noqa: ANN401  # a number of any kind
    """The ball of a number, or the number itself as flint computes with it."""
    if isinstance(other, Multiplied | fmpq):
        return other.ball if isinstance(other, Multiplied) else other
    return fmpq(other.numerator, other.denominator)


def _without(monomial: Monomial, draw: int) -> Monomial:
    place = monomial.index(draw)
    return monomial[:place] + monomial[place + 1 :]


def _ball(kind: str, digits: int, number: int) -> arb:
    """Where a draw of scale 1 lies: |X| = -ln U, or √2·erfc⁻¹(U), and the first digit is the sign."""
    signed = kind in SIGNED and digits > 0
    count = digits - 1 if signed else digits
    uniform = number & ((1 << count) - 1)
    if uniform == 0 or (kind in SIGNED and digits == 0):
        return arb("nan")  # it may be as large as it likes
    size = _size(kind, uniform, count).union(_size(kind, uniform + 1, count))
    return -size if signed and number >> count else size


@cache
def _size(kind: str, uniform: int, count: int) -> arb:
    at = arb((uniform, -count))
    return arb(2).sqrt() * at.erfcinv() if kind == "gaussian" else -at.log()


def explored(
    module: ir.Module,
    name: str,
    arguments: Mapping[str, Value],
    judge: Callable[[Any], Hashable],
    states: int,
    seconds: float,
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """What ``judge`` says of the answers, with the weight of the cells in which it does; and what is still open.

    The heaviest cell is cut first, so the same question asked with more patience has an answer inside this one.
    """
    run = Run()
    program = made(module, name, run.draw)
    given = {each: plain(value) for each, value in arguments.items()}
    found: dict[Hashable, Fraction] = {}
    waiting: list[tuple[Fraction, int, list[Fixed]]] = [(Fraction(-1), 0, [])]
    deadline, pushed = time.thread_time() + seconds, 0
    with balls.precision(BITS):
        for _ in range(min(states // STATES, CELLS)):
            if not waiting:
                break
            if time.thread_time() > deadline:
                raise TooMuch(f"computing takes more than {seconds:g} seconds")
            weight, _, fixed = heapq.heappop(waiting)
            run.fixed, run.balls = list(fixed), []
            try:
                said = judge(program(dict(given), Meter(STEPS)))
                found[said] = found.get(said, Fraction(0)) - weight
            except Open as why:
                for share, part in why.parts:
                    pushed += 1
                    parts = [*run.fixed[: why.draw], part, *run.fixed[why.draw + 1 :]]
                    heapq.heappush(waiting, (weight * share, pushed, parts))
            except InvalidInput as error:
                if error.code != "P206":
                    raise
                raise TooMuch("a run takes too many steps") from None
    return found, -sum((weight for weight, _, _ in waiting), Fraction(0))
