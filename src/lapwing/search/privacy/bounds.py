"""Prices as people write them: a sum of products of parameters, with its common factors in front.

The one idea: scales are nearly always products (``4 * limit / epsilon``), so total / scale is a sum of products with
whole, perhaps negative, powers; ``1/4·ε + 3/2·N·ε`` reads ``(1 + 6 * limit) / 4 * epsilon``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from lapwing.kernel import coefficients
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.search.privacy.linear import number, times

#: Powers of atoms, sorted by their text.
Powers = tuple[tuple[str, int], ...]
Sum = Mapping[Powers, Fraction]


def products(expression: ir.Expression) -> dict[Powers, Fraction] | None:
    """The expression as a sum of products; ``None`` when it is not one."""
    match expression:
        case ir.Number(value):
            return {(): value} if value else {}
        case ir.Name() | ir.Builtin(function="len" | "cost"):
            return {((show(expression), 1),): Fraction(1)}
        case ir.Negate(operand):
            return multiplied({(): Fraction(-1)}, products(operand))
        case ir.Arithmetic("+", left, right):
            return added(products(left), products(right))
        case ir.Arithmetic("-", left, right):
            return added(products(left), multiplied({(): Fraction(-1)}, products(right)))
        case ir.Arithmetic("*", left, right):
            return multiplied(products(left), products(right))
        case ir.Arithmetic("/", left, right):
            return divided(products(left), products(right))
    return None


def added(a: Sum | None, b: Sum | None) -> dict[Powers, Fraction] | None:
    """The sum."""
    if a is None or b is None:
        return None
    return coefficients.added(a, b)


def divided(a: Sum | None, b: Sum | None) -> dict[Powers, Fraction] | None:
    """The quotient, where the divisor is one product."""
    if a is None or b is None or len(b) != 1:
        return None
    ((powers, factor),) = b.items()
    return multiplied(a, {tuple((name, -power) for name, power in powers): 1 / factor})


def multiplied(a: Sum | None, b: Sum | None) -> dict[Powers, Fraction] | None:
    """The product."""
    if a is None or b is None:
        return None
    total: dict[Powers, Fraction] = {}
    for left, x in a.items():
        for right, y in b.items():
            powers = _merged(left, right)
            total[powers] = total.get(powers, Fraction(0)) + x * y
    return {powers: factor for powers, factor in total.items() if factor}


def _merged(a: Powers, b: Powers) -> Powers:
    powers = dict(a)
    for name, power in b:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def price(parts: Sequence[tuple[ir.Expression, ir.Expression]]) -> str:
    """The sum of total / scale over (total, scale) pairs, as text."""
    whole: dict[Powers, Fraction] | None = {}
    for total, scale in parts:
        whole = added(whole, divided(products(total), products(scale)))
    if whole is not None:
        return text(whole)
    return " + ".join(show(ir.Arithmetic("/", *part)) for part in parts if part[0] != number(0)) or "0"


def text(whole: Sum) -> str:
    """A sum of products with its common factors in front: ``(1 + 6 * limit) / 4 * epsilon``."""
    if not whole:
        return "0"
    below = lcm(*(factor.denominator for factor in whole.values()))
    above = gcd(*(int(factor * below) for factor in whole.values()))
    names = {name for powers in whole for name, _ in powers}
    common = {name: min(dict(powers).get(name, 0) for powers in whole) for name in names}
    rest = {
        _merged(powers, tuple((name, -power) for name, power in common.items())): int(factor * below) // above
        for powers, factor in whole.items()
    }
    over = gcd(above, below)
    above, below = above // over, below // over
    # variables with a common negative power go below the line
    up = [name for name in sorted(common, key=_place) for _ in range(common[name])]
    down = [name for name in sorted(common, key=_place) for _ in range(-common[name])]
    head = _sum(rest)
    result: ir.Expression = number(above) if head is None else times(number(above), head)
    result = _over(result, below, down)
    for name in up:
        result = _named(name) if result == number(1) else ir.Arithmetic("*", result, _named(name))
    return show(_tidy(result, below, down, up, above, head))


def _place(name: str) -> tuple[bool, bool, str]:
    """Lengths first, the privacy parameter last."""
    return name in ("epsilon", "rho"), not name.startswith("len("), name


def _tidy(
    result: ir.Expression, below: int, down: list[str], up: list[str], above: int, head: ir.Expression | None
) -> ir.Expression:
    """A single product is written with its quotient last: ``epsilon / 2``."""
    if head is not None:
        return result
    factors: ir.Expression = number(above)
    for name in up:
        factors = times(factors, _named(name))
    return _over(factors, below, down)


def _over(value: ir.Expression, below: int, down: list[str]) -> ir.Expression:
    divisor: ir.Expression = number(below)
    for name in down:
        divisor = times(divisor, _named(name))
    return value if divisor == number(1) else ir.Arithmetic("/", value, divisor)


def _sum(rest: Mapping[Powers, int]) -> ir.Expression | None:
    """The terms that differ; ``None`` when it is only 1."""
    if rest == {(): 1}:
        return None
    result: ir.Expression | None = None
    for powers, factor in sorted(rest.items(), key=lambda item: (item[1] < 0, sum(p for _, p in item[0]), item[0])):
        term: ir.Expression = number(abs(factor))
        for name, power in powers:
            for _ in range(power):
                term = times(term, _named(name))
        if result is None:
            result = ir.Negate(term) if factor < 0 else term
        else:
            result = ir.Arithmetic("-" if factor < 0 else "+", result, term)
    return result


def _named(name: str) -> ir.Expression:
    function, _, inner = name.partition("(")
    if not inner:
        return ir.Name(name)
    argument = inner.removesuffix(")")
    node: ir.Expression = ir.Number(Fraction(argument)) if argument.isdigit() else ir.Name(argument)
    return ir.Builtin(function, (node,))


def read(bound: str) -> ir.Expression:
    """The expression that a bound is the text of."""
    return formula(bound, frozenset())
