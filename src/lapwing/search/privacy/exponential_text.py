"""A sum of exponentials as people write it: ``3 * sqrt(3) / 2 * exp(epsilon / 2 - epsilon * high / 4)``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.exponential_sums import Comparing, Exponentials, Powers
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms


def shortest(text: str, mechanism: ir.Mechanism) -> str:
    """A formula over public parameters in fewer words, if there are any: ``exp(-ln(1 / delta))`` is ``delta``."""
    try:
        other = shown_exponentials(Comparing(Parameters(Terms(), mechanism)).read(formula(text)))
    except Unproved:
        return text
    return other if len(other) < len(text) else text


def shown_exponentials(value: Exponentials) -> str:
    """The text of a sum, which is read as the same sum again."""
    parts = [_product(factor, powers, dict(exponent)) for (powers, exponent), factor in value.terms.items()]
    return _joined(parts) if parts else "0"


def _joined(parts: list[tuple[bool, str]]) -> str:
    first, *rest = sorted(parts)
    text = f"-{first[1]}" if first[0] else first[1]
    return text + "".join(f" {'-' if negative else '+'} {part}" for negative, part in rest)


def _product(factor: Fraction, powers: Powers, exponent: Mapping[Powers, Fraction]) -> tuple[bool, str]:
    """Whether a product is below 0, and its text without the sign."""
    size = abs(factor)
    above: list[str] = []
    below: list[str] = []
    for name, power in powers:
        whole = power.numerator // power.denominator
        rest = power - whole
        if name.startswith("#"):
            size *= Fraction(int(name[1:])) ** whole
        else:
            (above if whole > 0 else below).extend([_named(name)] * abs(whole))
        if rest == Fraction(1, 2):
            above.append(f"sqrt({_named(name)})")
        elif rest:
            above.append(f"exp({_number(rest, 'ln(' + _named(name) + ')')})")
    if exponent:
        above.append(f"exp({_joined([_product(by, each, {}) for each, by in exponent.items()])})")
    head = [] if size.numerator == 1 and above else [str(size.numerator)]
    tail = ([str(size.denominator)] if size.denominator != 1 else []) + below
    numbers = [each for each in above if not each.startswith("exp(")]
    text = " * ".join([*head, *numbers]) or "1"
    powers_of_e = [each for each in above if each.startswith("exp(")]
    if not head and not numbers and powers_of_e:
        text, powers_of_e = powers_of_e[0], powers_of_e[1:]
    text = " / ".join([text, *tail])
    return factor < 0, " * ".join([text, *powers_of_e])


def _number(value: Fraction, text: str) -> str:
    above = text if value.numerator == 1 else f"{value.numerator} * {text}"
    return above if value.denominator == 1 else f"{above} / {value.denominator}"


def _named(name: str) -> str:
    if name.startswith("ln:"):
        return f"ln({_named(name[3:])})"
    return name.removeprefix("#")
