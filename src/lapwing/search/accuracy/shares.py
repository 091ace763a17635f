"""How β is shared out over the draws, and the margin that this gives, as text.

The one idea: the margin Σ aₖ·sₖ·ln(Nₖ/(fₖ·β)) is least when each site's share fₖ is in proportion to aₖ·sₖ, what one
unit of its logarithm costs (Lagrange: the derivatives aₖ·sₖ/fₖ are then equal).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as every

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.search.accuracy.products import ONE, Product, product, without_common

#: Noise whose margin grows with the root of the logarithm.
GAUSSIAN = ("gaussian", "discrete_gaussian")


@dataclass(frozen=True, slots=True)
class Priced:
    """A site with a margin: its noise, scale, number of draws and choices, and how many margins the condition needs."""

    site: int
    kind: str
    scale: ir.Expression
    count: ir.Expression
    weight: ir.Expression
    choices: ir.Expression


@dataclass(frozen=True, slots=True)
class Share:
    """The probability with which one draw of each site fails, and the margin that follows."""

    failures: Mapping[int, str]
    value: str


def shares(sites: Sequence[Priced], beta: ir.Expression) -> Iterator[Share]:
    """Ways to share β out, the best first."""
    weights = [product(ir.Arithmetic("*", each.weight, each.scale)) for each in sites]
    known = [each for each in weights if each is not None]
    if len(sites) == 1:
        yield _share(sites, [ONE], "", beta)
        return
    if len(known) == len(sites) and sites:
        parts = without_common(known)
        if not any(each.powers for each in parts):
            total = sum((each.factor for each in parts), Fraction(0))
            parts = [Product(each.factor / total) for each in parts]
            yield _share(sites, parts, "", beta)
        else:
            total_text = " + ".join(map(str, parts))
            yield _share(sites, parts, f"({total_text})", beta)
    if sites:
        equal = [Product(Fraction(1, len(sites)))] * len(sites)
        yield _share(sites, equal, "", beta)


def _share(sites: Sequence[Priced], parts: Sequence[Product], whole: str, beta: ir.Expression) -> Share:
    """Site k gets parts[k] / whole of β."""
    failures, terms = {}, []
    chance = product(beta)
    for each, part in zip(sites, parts, strict=True):
        count = product(each.count) or ONE
        failures[each.site] = _quotient(part * count.inverse, chance, show(beta), whole)
        weight = product(each.weight) or ONE
        scale = product(each.scale)
        text = str(weight * scale) if scale is not None else f"{weight} * ({show(each.scale)})"
        choices = product(each.choices) or ONE
        gaussian = each.kind in GAUSSIAN
        inside = _argument(part.inverse * count * choices, chance, show(beta), whole, twice=gaussian)
        logarithm = f"sqrt(2 * ln({inside}))" if gaussian else f"ln({inside})"
        terms.append(_times(text, logarithm))
    return Share(failures, " + ".join([*terms, *_halves(sites)]))


def _times(text: str, logarithm: str) -> str:
    if text == "1":
        return logarithm
    head, separator, tail = text.partition(" / ")
    if separator and head == "1":
        return f"{logarithm} / {tail}"
    return f"{text} * {logarithm}"


def _quotient(part: Product, chance: Product | None, beta: str, whole: str) -> str:
    text = str(part * chance) if chance is not None else f"{part} * ({beta})"
    return text if not whole else f"{text} / {whole}" if " / " not in text else f"({text}) / {whole}"


def _argument(rest: Product, chance: Product | None, beta: str, whole: str, *, twice: bool) -> str:
    rest = rest * Product(Fraction(2)) if twice else rest
    if chance is not None:
        text = str(rest * chance.inverse)
        return text if not whole else f"{whole} * {text}" if not text.startswith("1 / ") else f"{whole}{text[1:]}"
    text = f"{rest} / ({beta})" if " / " not in str(rest) else f"({rest}) / ({beta})"
    return text if not whole else f"{whole} * {text}"


def _halves(sites: Sequence[Priced]) -> list[str]:
    """Half a step for every draw of discrete Laplace noise that is added up."""
    weights = [product(each.weight) or ONE for each in sites if each.kind == "discrete_laplace"]
    return [str(each * Product(Fraction(1, 2))) for each in weights]


def chance_within(sites: Sequence[Priced], margin: ir.Expression) -> ir.Expression | None:
    """The β for which the best share gives this very margin: exp((margin at β = 1 - margin) / Σ aₖ·sₖ)."""
    if any(each.kind in GAUSSIAN for each in sites):
        return None  # its margin is no multiple of ln β
    if len(sites) == 1 and (only := product(ir.Arithmetic("*", sites[0].weight, sites[0].scale))) is not None:
        front = (product(sites[0].count) or ONE) * (product(sites[0].choices) or ONE)
        less = "".join(f" - {each}" for each in _halves(sites))
        power = f"exp(-({show(margin)}{less}) / ({only}))"
        return formula(power if front == ONE else f"{front} * {power}")
    at_one = next(shares(sites, ir.ONE)).value
    weights = [ir.Arithmetic("*", each.weight, each.scale) for each in sites]
    known = [product(each) for each in weights]
    total = " + ".join(show(each) if text is None else str(text) for each, text in zip(weights, known, strict=True))
    return formula(f"exp(({at_one} - ({show(margin)})) / ({total}))")


def claimed_failures(sites: Sequence[Priced], parts: Sequence[ir.Expression]) -> Iterator[dict[int, str]]:
    """Failures under which the margins have the very logarithms that a claim is written with: ln(E) fails with 1/E."""
    found: dict[str, None] = {}
    for part in parts:
        logarithms = [
            node.arguments[0] for node in walk.nodes(part) if isinstance(node, ir.Builtin) and node.function == "ln"
        ]
        for each in logarithms:
            found[f"1 / ({show(each)})"] = None
        if len(logarithms) > 1:
            joined = " * ".join(f"({show(each)})" for each in logarithms)
            found[f"1 / ({joined})"] = None
    if len(found) ** len(sites) <= 30:
        for chosen in every(found, repeat=len(sites)):
            yield {
                each.site: failure if each.kind != "choose" else f"({show(each.choices)}) * {failure}"
                for each, failure in zip(sites, chosen, strict=True)
            }
