"""What a charge costs, in the three currencies an account is kept in: ε, ρ and δ.

The one idea: every price is written down both as a pure bound and as a concentrated one, and an account adds up both
columns. An (ε, δ) price is an ε-DP mechanism that gives itself away with probability δ ([KOV15] Thm 3.1), an ε-DP
mechanism is ε²/2-zCDP ([BS16] Prop. 1.4), and a ρ-zCDP one has no pure bound: its ε is None, and stays None in every
sum. Beside these an account has a column for each of its Rényi orders (``orders``), to which every price adds. Sums do
not depend on the order of charges, and a larger price never costs less in any column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import decimal_up, exact
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.ledger.orders import Order, divergence

Price = PureDP | ApproxDP | ZCDP

#: A price with longer numbers is refused; a sum with a longer denominator is rounded up to a multiple of 2^-1024.
#: Nobody's ordinary numbers come near it, and nobody can make the ledger slow with others.
_LONGEST_BITS = 2048
_FINEST = 1 << 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """An upper bound on a loss: δ-approximately (pure ``epsilon`` and ``rho``-concentrated); None is no pure bound."""

    epsilon: Fraction | None
    rho: Fraction
    delta: Fraction
    #: divergences of the orders of an account; none where it has no orders, or nothing was spent
    columns: tuple[Fraction, ...] = ()

    def plus(self, other: Cost) -> Cost:
        """The cost of both, in sequence."""
        epsilon = None if self.epsilon is None or other.epsilon is None else _short(self.epsilon + other.epsilon)
        columns = tuple(_short(a + b) for a, b in paired(self, other))
        return Cost(epsilon, _short(self.rho + other.rho), _short(self.delta + other.delta), columns)

    def times(self, count: int) -> Cost:
        """The cost of ``count`` in sequence, each of this cost."""
        columns = tuple(count * each for each in self.columns)
        epsilon = None if self.epsilon is None else count * self.epsilon
        return Cost(epsilon, count * self.rho, count * self.delta, columns)

    def or_larger(self, other: Cost) -> Cost:
        """A bound on either: the larger number in each column."""
        epsilon = None if self.epsilon is None or other.epsilon is None else max(self.epsilon, other.epsilon)
        columns = tuple(max(a, b) for a, b in paired(self, other))
        return Cost(epsilon, max(self.rho, other.rho), max(self.delta, other.delta), columns)

    def beyond(self, other: Cost) -> Cost:
        """What is added to ``other``, which is nowhere larger, to give this."""
        grown = None if self.epsilon is None else self.epsilon - (other.epsilon or Fraction(0))
        columns = tuple(a - b for a, b in paired(self, other))
        return Cost(grown, self.rho - other.rho, self.delta - other.delta, columns)

    def text(self) -> str:
        """The numbers, exactly, as the ledger stores them: three words, and the columns behind the last."""
        columns = "".join(f";{each}" for each in self.columns)
        return f"{'-' if self.epsilon is None else self.epsilon} {self.rho} {self.delta}{columns}"


NOTHING = Cost(Fraction(0), Fraction(0), Fraction(0))


def cost_from(text: str) -> Cost:
    """The cost that :meth:`Cost.text` wrote."""
    epsilon, rho, rest = text.split(" ")
    delta, *columns = rest.split(";")
    loss = None if epsilon == "-" else Fraction(epsilon)
    return Cost(loss, Fraction(rho), Fraction(delta), tuple(Fraction(each) for each in columns))


def paired(first: Cost, second: Cost) -> list[tuple[Fraction, Fraction]]:
    """The columns side by side; a cost without any has nothing in each."""
    size = max(len(first.columns), len(second.columns))
    if any(each.columns and len(each.columns) != size for each in (first, second)):
        raise ValueError("costs of accounts with different orders were added up")
    nothing = (Fraction(0),) * size
    return list(zip(first.columns or nothing, second.columns or nothing, strict=True))


def prices_of(price: Price | tuple[Price, ...]) -> tuple[Price, ...]:
    """The price as a tuple, whose members add up; refuses what the ledger has no column for."""
    prices = price if isinstance(price, tuple) else (price,)
    for each in prices:
        if not isinstance(each, PureDP | ApproxDP | ZCDP):
            raise InvalidInput(
                "L111", f"a price is a {type(each).__name__}", "Give a PureDP, ApproxDP or ZCDP, or a tuple of them"
            )
        longest = max(max(n.numerator.bit_length(), n.denominator.bit_length()) for n in _numbers(each).values())
        if longest > _LONGEST_BITS:
            raise InvalidInput("L111", "a price has a number of hundreds of digits", "Round the price up")
    if not prices:
        raise InvalidInput("L111", "a price is empty", "Give PureDP(0) for what costs nothing")
    return prices


def cost_of(prices: tuple[Price, ...], orders: Sequence[Order] = ()) -> Cost:
    """The cost of prices in sequence, in an account with these orders."""
    total = NOTHING
    for price in prices:
        match price:
            case PureDP(epsilon):
                cost = Cost(epsilon, epsilon**2 / 2, Fraction(0), _pure(epsilon, orders))
            case ApproxDP(epsilon, delta):
                cost = Cost(epsilon, epsilon**2 / 2, delta, _pure(epsilon, orders))
            case ZCDP(rho):
                columns = tuple(each.alpha * rho for each in orders)
                cost = Cost(None if rho else Fraction(0), rho, Fraction(0), columns)
        total = total.plus(cost)
    return total


def _pure(epsilon: Fraction, orders: Sequence[Order]) -> tuple[Fraction, ...]:
    return tuple(divergence(epsilon, each.alpha) for each in orders)


def prices_text(prices: tuple[Price, ...]) -> str:
    """The prices, exactly, as the ledger stores and compares them: ``epsilon 1/10, delta 1/1000 + rho 1/2``."""
    return " + ".join(", ".join(f"{name} {value}" for name, value in _numbers(each).items()) for each in prices)


def prices_from(text: str) -> tuple[Price, ...]:
    """The prices that :func:`prices_text` wrote."""
    found: list[Price] = []
    for each in text.split(" + "):
        numbers = {name: exact(value) for name, value in (pair.split(" ") for pair in each.split(", "))}
        if "rho" in numbers:
            found.append(ZCDP(numbers["rho"]))
        elif "delta" in numbers:
            found.append(ApproxDP(numbers["epsilon"], numbers["delta"]))
        else:
            found.append(PureDP(numbers["epsilon"]))
    return tuple(found)


def prices_shown(prices: tuple[Price, ...]) -> str:
    """What the prices add up to in each currency, in a message: rounded up to a few digits."""
    total: dict[str, Fraction] = {}
    for each in prices:
        total |= {name: total.get(name, Fraction(0)) + value for name, value in _numbers(each).items()}
    return ", ".join(f"{name} {decimal_up(value)}" for name, value in total.items())


def _numbers(price: Price) -> dict[str, Fraction]:
    match price:
        case PureDP(epsilon):
            return {"epsilon": epsilon}
        case ApproxDP(epsilon, delta):
            return {"epsilon": epsilon, "delta": delta}
        case ZCDP(rho):
            return {"rho": rho}


def _short(number: Fraction) -> Fraction:
    """The number, or one a little above it if its denominator has grown out of all measure."""
    if number.denominator.bit_length() <= _LONGEST_BITS:
        return number
    return Fraction(-((-number.numerator * _FINEST) // number.denominator), _FINEST)
