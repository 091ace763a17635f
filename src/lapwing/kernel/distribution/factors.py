"""The joint law of the draws that a state still knows: a product of factors, each a function of one combination.

The one idea: a draw that nothing mentions any more is integrated away as soon as its factors allow it, which leaves a
factor of what is held (a threshold, a running best). So the state of sparse-vector- and noisy-max-shaped programs is
the law of one number.
"""

from __future__ import annotations

from collections.abc import Iterable

from flint import arb, fmpq

from lapwing.kernel.distribution import gaussians
from lapwing.kernel.distribution.gaussians import Bell, Factor, Smooth, Unbounded
from lapwing.kernel.distribution.pieces import Calculus, Coefficient, Diverges, Indicator, Pieces
from lapwing.kernel.distribution.plane import integrate
from lapwing.kernel.distribution.values import Form, Mentions, Rational, primitive
from lapwing.kernel.uncomputable import Uncomputable

#: A combination of draws, its first coefficient 1 → what is known of it.
Factors = dict[Mentions, Factor]


class Impossible(Exception):
    """The factors exclude each other: the state has probability 0."""


def multiply(calculus: Calculus, factors: Factors, form: Form, factor: Factor) -> None:
    """Multiply by factor(form), in place."""
    mentions, scale = primitive(form)
    here: Factor | None = gaussians.moved(calculus, factor, fmpq(scale), fmpq(form.constant))
    if mentions in factors and here is not None:
        here = gaussians.product(calculus, factors[mentions], here)
    if here is None:
        raise Impossible
    factors[mentions] = here


def drawn(calculus: Calculus, kind: str, scale: fmpq) -> Factor:
    """The density of a draw."""
    return Smooth(None, (Bell(scale * scale),)) if kind == "gaussian" else calculus.density(kind, scale)


def settle(calculus: Calculus, factors: Factors, held: Iterable[int]) -> Coefficient | None:
    """Integrate away, in place, every draw that is not held and can be; the number that comes out, None for 1.

    Raises Impossible where the state has probability 0.
    """
    weight: Coefficient | None = None
    dead = {draw for mentions in factors for draw, _ in mentions}.difference(held)
    progress = True
    while dead and progress:
        progress = False
        for draw in sorted(dead, key=lambda one: sum(one in dict(mentions) for mentions in factors)):
            try:
                found = _eliminate(calculus, factors, draw, dead)
            except (Diverges, Unbounded):
                raise Uncomputable("an integral has no closed form here") from None
            if found is not None:
                dead.discard(draw)
                weight = found if weight is None else weight * found
                progress = True
                break
    return weight


def _eliminate(calculus: Calculus, factors: Factors, draw: int, dead: set[int]) -> Coefficient | None:
    """Integrate one draw away; None where that cannot be done (yet)."""
    absorbed = _absorb(calculus, factors, draw, dead)
    if absorbed is not None:
        return absorbed
    touching = _needed(factors, draw)
    others: dict[Mentions, list[tuple[Factor, fmpq, fmpq]]] = {}
    for mentions in touching:
        slope = fmpq(dict(mentions)[draw])
        rest = tuple(each for each in mentions if each[0] != draw)
        base, scale = primitive(Form(rest, 0)) if rest else ((), 0)
        others.setdefault(base, []).append((factors[mentions], slope, fmpq(scale)))
    lines = [base for base in others if base]
    if len(lines) > 1:
        return None
    if not lines:
        [mentions] = touching  # a draw alone has one factor
        return gaussians.total(calculus, factors.pop(mentions))
    base = lines[0]
    parts = [*others.get((), []), *others[base]]
    if all(isinstance(factor, Pieces) for factor, _, _ in parts):
        made: Factor | None = integrate(calculus, parts)  # type: ignore[arg-type]  # pieces, all of them
        weight = calculus.one
    else:
        smooth = _smoothed(calculus, parts)
        if smooth is None:
            return None
        made, weight = smooth
    for mentions in touching:
        del factors[mentions]
    if made is None:
        raise Impossible
    multiply(calculus, factors, Form(base, 0), made)
    return weight


def _needed(factors: Factors, draw: int) -> list[Mentions]:
    """The factors that mention a draw, without (and after dropping) comparisons that others imply."""
    touching = [mentions for mentions in factors if draw in dict(mentions)]
    if len(touching) > 2:
        for mentions in touching:
            if len(mentions) > 1 and _is_spare(factors, mentions):
                del factors[mentions]
        touching = [mentions for mentions in touching if mentions in factors]
    return touching


def _is_spare(factors: Factors, mentions: Mentions) -> bool:
    """Whether a factor is a comparison that follows from others."""
    factor = factors[mentions]
    if not isinstance(factor, Indicator):
        return False
    low, high = factor.support
    others = {each: factors[each] for each in factors if each != mentions}
    above = low is None or implied(others, Form(mentions, -low))
    return above and (high is None or implied(others, Form(tuple((draw, -c) for draw, c in mentions), high)))


def implied(factors: Factors, form: Form) -> bool:
    """Whether form >= 0 follows from two factors: a - c >= k + l from a - b >= k and b - c >= l."""
    wanted = dict(form.mentions)
    scale = abs(fmpq(form.mentions[0][1]))
    facts = [fact for mentions, factor in factors.items() for fact in _bounds(mentions, factor)]
    for i, (one, least) in enumerate(facts):
        for two, more in facts[:i]:
            if any(draw not in wanted and draw not in two for draw in one):
                continue
            total = dict(one)
            for draw, c in two.items():
                total[draw] = total.get(draw, 0) + c
            same = {draw: c * scale for draw, c in total.items() if c != 0} == wanted
            if same and (least + more) * scale + form.constant >= 0:
                return True
    return False


def _bounds(mentions: Mentions, factor: Factor) -> list[tuple[dict[int, Rational], fmpq]]:
    """What a factor says for certain: combinations and what they are at least."""
    low, high = factor.support
    found: list[tuple[dict[int, Rational], fmpq]] = []
    if low is not None:
        found.append((dict(mentions), low))
    if high is not None:
        found.append(({draw: -c for draw, c in mentions}, -high))
    return found


def _absorb(calculus: Calculus, factors: Factors, draw: int, dead: set[int]) -> Coefficient | None:
    """Two Gaussians of which only one combination matters are one: the other takes this one's variance, too."""
    alone = ((draw, 1),)
    bell = _bell(factors.get(alone))
    touching = [mentions for mentions in factors if draw in dict(mentions)]
    if bell is None or len(touching) != 2:
        return None
    [joint] = [mentions for mentions in touching if mentions != alone]
    for other, coefficient in joint:
        single = ((other, 1),)
        its = _bell(factors.get(single))
        if other == draw or other not in dead or its is None:
            continue
        if sum(other in dict(mentions) for mentions in factors) != 2:
            continue
        share = fmpq(dict(joint)[draw]) / coefficient
        middle = -its.offset / its.slope - share * bell.offset / bell.slope
        variance = its.variance / its.slope**2 + share**2 * bell.variance / bell.slope**2
        rest, factor = tuple(each for each in joint if each[0] != draw), factors[joint]
        for mentions in (alone, joint):
            del factors[mentions]
        factors[single] = Smooth(None, (Bell(variance, None, fmpq(1), -middle),))
        multiply(calculus, factors, Form(rest, 0), factor)
        return arb(abs(1 / (its.slope * bell.slope)))
    return None


def _bell(factor: Factor | None) -> Bell | None:
    return factor.density if isinstance(factor, Smooth) else None


def _smoothed(calculus: Calculus, parts: list[tuple[Factor, fmpq, fmpq]]) -> tuple[Factor, Coefficient] | None:
    """A Gaussian draw beside one factor of the line: that factor smoothed, or another Gaussian."""
    if len(parts) != 2 or (parts[0][2] == 0) == (parts[1][2] == 0):
        return None
    (alone, a, _), (joint, b, k) = sorted(parts, key=lambda part: part[2] != 0)
    bell, other = _bell(alone), _bell(joint)
    if bell is not None:
        # a·x = (Z - offset)/slope: the joint factor at b·x + k·y
        ratio = b / (a * bell.slope)
        variance, shift = bell.variance * ratio * ratio, -bell.offset * ratio
        weight = arb(abs(1 / (a * bell.slope)))
        if other is not None:
            variance = variance * other.slope**2 + other.variance
            return Smooth(None, (Bell(variance, None, other.slope * k, other.slope * shift + other.offset),)), weight
        if isinstance(joint, Pieces):
            return Smooth(None, (Bell(variance, joint, k, shift),)), weight
    if other is not None and isinstance(alone, Pieces):
        # Z = slope·(b·x + k·y) + offset: the density at a·x
        ratio = a / (b * other.slope)
        inner = calculus.moved(alone, ratio, fmpq(0))
        shift = -other.offset
        return Smooth(None, (Bell(other.variance, inner, -k * other.slope, shift),)), arb(abs(1 / (b * other.slope)))
    return None
