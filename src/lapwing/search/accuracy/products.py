"""Products of public numbers, written as a person would: ``4 * limit / epsilon``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show


@dataclass(frozen=True, slots=True)
class Product:
    """A number times names to powers."""

    factor: Fraction
    powers: tuple[tuple[str, int], ...] = ()

    def __mul__(self, other: Product) -> Product:
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers.get(name, 0) + power
        kept = tuple((name, power) for name, power in powers.items() if power)
        return Product(self.factor * other.factor, kept)

    @property
    def inverse(self) -> Product:
        """One over it."""
        return Product(1 / self.factor, tuple((name, -power) for name, power in self.powers))

    def __str__(self) -> str:
        above = [name for name, power in self.powers for _ in range(power)]
        below = [name for name, power in self.powers for _ in range(-power)]
        top, bottom = self.factor.numerator, self.factor.denominator
        above = ([str(top)] if top != 1 or not above else []) + above
        below = ([str(bottom)] if bottom != 1 else []) + below
        text = " * ".join(above)
        return text if not below else f"{text} / {below[0]}" if len(below) == 1 else f"{text} / ({' * '.join(below)})"


ONE = Product(Fraction(1))


def product(node: ir.Expression) -> Product | None:
    """The product that an expression is, if it is one."""
    match node:
        case ir.Number(value) if value:
            return Product(value)
        case ir.Name(name):
            return Product(Fraction(1), ((name, 1),))
        case ir.Builtin("len", (ir.Name(),)):
            return Product(Fraction(1), ((show(node), 1),))
        case ir.Arithmetic("*" | "/" as symbol, left, right):
            a, b = product(left), product(right)
            if a is not None and b is not None:
                return a * (b if symbol == "*" else b.inverse)
    return None


def without_common(products: list[Product]) -> list[Product]:
    """The products, divided by all that they have in common."""
    names = dict.fromkeys(name for each in products for name, _ in each.powers)
    common = tuple((name, min(dict(each.powers).get(name, 0) for each in products)) for name in names)
    factor = Fraction(
        reduce(gcd, (each.factor.numerator for each in products)),
        reduce(lcm, (each.factor.denominator for each in products)),
    )
    shared = Product(factor, tuple((name, power) for name, power in common if power)).inverse
    return [each * shared for each in products]
