"""How the worst loss grows with the size of the inputs, and the law that fits.

The one idea: losses found are certain lower bounds that reach, or come close to, simple laws: c·n, min(c·n, d), c. The
simplest law that no point exceeds and all points (for c: the later half) come within 2 % of is reported, as a fit and
not as a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isinf
from typing import cast

from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.search.violation.explore import Search
from lapwing.search.violation.findings import Finding
from lapwing.search.violation.neighbouring import Neighbourhood
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.search import Progress
from lapwing.search.violation.subject import Subject

#: How far below a law its points may lie; laws are often limits that no input reaches.
TOLERANCE = 0.02
#: Coefficients are fractions with small denominators.
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
#: A loss this large whose event was found impossible on the other side counts as infinite.
_INFINITE = 30.0


@dataclass(frozen=True, slots=True)
class Growth:
    """The worst finding of each size; ``law`` in the parameters and n if one fits; whether it grows without bound."""

    points: Mapping[int, Finding]
    law: str | None
    unbounded: bool


def growth(
    subject: Subject,
    *,
    settings: Mapping[str, object] | None = None,
    max_n: int = 8,
    progress: Progress | None = None,
) -> Growth:
    """The worst loss for n = 1 … max_n with the ordinary public parameters, and the law it follows."""
    given = dict(settings or {})
    public = next(assignments(subject, given))
    points = _points(subject, public, max_n, progress)
    coefficients = _fit(_losses(points))
    if coefficients is None:
        return Growth(points, None, unbounded=False)
    epsilon = public.get("epsilon")
    unit = epsilon if isinstance(epsilon, Fraction) and epsilon > 0 else None
    slope, ceiling = (None if c is None else c / (unit or 1) for c in coefficients)
    if isinf(ceiling or 0):
        return Growth(points, "infinite", unbounded=True)
    divisor = _dividing(subject, given, public, coefficients) if slope is not None and ceiling is None else None
    return Growth(points, _text(slope, ceiling, unit is not None, divisor), unbounded=ceiling is None)


def _points(
    subject: Subject,
    public: Mapping[str, object],
    max_n: int,
    progress: Progress | None = None,
) -> dict[int, Finding]:
    search = Search(Neighbourhood(subject, cast("Mapping[str, Value]", public)))  # assignments() made them so
    found = {}
    for n in search.sizes(max_n):
        finding = search.best_at(n)
        if progress is not None:
            progress(n, finding)
        if finding is not None:
            found[n] = finding
    return found


def _losses(points: Mapping[int, Finding]) -> dict[int, float]:
    losses = {}
    for n, finding in points.items():
        infinite = finding.is_impossible_on_the_right and finding.loss > _INFINITE
        losses[n] = float("inf") if infinite else max(0.0, finding.loss)
    return losses


Coefficients = tuple[float | Fraction | None, float | Fraction | None]


def _fit(losses: Mapping[int, float]) -> Coefficients | None:
    """(slope, ceiling) of the simplest law min(slope·n, ceiling) that fits; None for a part that is not there."""
    if not losses:
        return None
    if any(isinf(value) for value in losses.values()):
        return None, float("inf")
    last = max(losses)
    for ceiling in _simple(losses[last]):
        if all(_fits(value, float(ceiling)) for value in losses.values()):
            return None, ceiling
    if last >= 3:
        for slope in _simple(losses[last] / last):
            if all(_fits(value, float(slope) * n) for n, value in losses.items()):
                return slope, None
        for ceiling in _simple(losses[last]):
            for slope in _simple(losses[min(losses)] / min(losses)):
                if all(_fits(value, min(float(slope) * n, float(ceiling))) for n, value in losses.items()):
                    return slope, ceiling
            late = [value for n, value in losses.items() if n > last // 2]
            if all(_fits(value, float(ceiling)) for value in late) and max(losses.values()) <= float(ceiling) + 1e-9:
                return None, ceiling
    return None


def _fits(value: float, law: float) -> bool:
    return law * (1 - TOLERANCE) - 1e-9 <= value <= law * (1 + 1e-9) + 1e-12


def _simple(value: float) -> Iterator[Fraction]:
    """Fractions with small denominators at or just above a number, simplest first."""
    for denominator in _DENOMINATORS:
        numerator = round(value * denominator)
        candidate = Fraction(numerator, denominator)
        if candidate.denominator == denominator and _fits(value, float(candidate)):
            yield candidate


def _dividing(
    subject: Subject, given: Mapping[str, object], public: Mapping[str, object], coefficients: Coefficients
) -> str | None:
    """A whole-number parameter that the slope is divided by: with twice its value, the slope is half."""
    for parameter in subject.mechanism.parameters:
        value = public.get(parameter.name)
        if parameter.private or not isinstance(parameter.type, ir.Integer) or parameter.name in given or value != 1:
            continue
        doubled = _fit(_losses(_points(subject, {**public, parameter.name: Fraction(2)}, 4)))
        slope = coefficients[0]
        if doubled is not None and slope is not None and doubled[0] is not None and 2 * doubled[0] == slope:
            return parameter.name
    return None


def _text(
    slope: float | Fraction | None, ceiling: float | Fraction | None, with_epsilon: bool, divisor: str | None
) -> str:
    if slope is not None and ceiling is not None:
        inner = f"min({_product(Fraction(slope), 'n', None)}, {Fraction(ceiling)})"
        return f"{inner}*epsilon" if with_epsilon else inner
    letters = [letter for letter, present in (("n", slope is not None), ("epsilon", with_epsilon)) if present]
    return _product(Fraction(slope if slope is not None else ceiling or 0), "*".join(letters), divisor)


def _product(coefficient: Fraction, letters: str, divisor: str | None) -> str:
    """``3*n*epsilon/(4*limit)``."""
    if coefficient == 0:
        return "0"
    top = (
        letters
        if coefficient.numerator == 1 and letters
        else "*".join(part for part in (str(coefficient.numerator), letters) if part)
    )
    bottom = [str(coefficient.denominator)] if coefficient.denominator != 1 else []
    bottom += [divisor] if divisor else []
    if not bottom:
        return top
    return f"{top}/{bottom[0]}" if len(bottom) == 1 else f"{top}/({'*'.join(bottom)})"
