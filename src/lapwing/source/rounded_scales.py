"""Noise whose scale is written with a root below: ``sigma = 1 / sqrt(2 * rho)``.

The one idea: ``sqrt`` is rounded up, so ``b * sqrt(x) / x`` is not below ``b / sqrt(x)``, and noise of that scale is
not less than the formula says. So a scale is read, and so is a variable that is set once and only makes scales larger
where it is larger. What an ε is divided by (``epsilon / sqrt(k)``) stays as it is: there less is more noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from lapwing.kernel.program import ir, walk

_KINDS = ("laplace", "exponential", "gaussian", "discrete_laplace", "discrete_gaussian", "choose")


def with_rounded_scales(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism, its scales with no root in what they are divided by."""
    scales = _scales(mechanism)

    def rounded(statement: ir.Statement) -> walk.Block | None:
        match statement:
            case ir.Sample(_, kind, (*others, scale)) if kind in _KINDS:
                return (replace(statement, arguments=(*others, _rounded(scale))),)
            case ir.Assign(target, value) if target in scales:
                return (replace(statement, value=_rounded(value)),)
        return None

    block = walk.exchanged(mechanism.body, rounded)
    return mechanism if block == mechanism.body else replace(mechanism, body=block)


def _scales(mechanism: ir.Mechanism) -> frozenset[str]:
    """The variables that are set once and read in scales alone, or in other such variables, where more is more."""
    body = list(walk.statements(mechanism.body))
    set_here = walk.assigned(mechanism.body)
    read = Counter(part.name for part in walk.nodes(mechanism) if isinstance(part, ir.Name))
    settings = {each.target: each for each in body if isinstance(each, ir.Assign) and set_here.count(each.target) == 1}
    found = frozenset(settings) - {each.name for each in mechanism.parameters}
    while True:
        rising = [each.arguments[-1] for each in body if isinstance(each, ir.Sample) and each.kind in _KINDS]
        rising += [settings[name].value for name in found]
        counts = Counter(name for each in rising for name in _rising(each))
        kept = frozenset(name for name in found if counts[name] == read[name] > 0)
        if kept == found:
            return found
        found = kept


def _rising(node: ir.Expression) -> Iterator[str]:
    """The variables with which a product of numbers above 0 rises."""
    match node:
        case ir.Name(name):
            yield name
        case ir.Arithmetic("*", left, right):
            yield from _rising(left)
            yield from _rising(right)
        case ir.Arithmetic("/", left, _):
            yield from _rising(left)


def _rounded(scale: ir.Expression) -> ir.Expression:
    """``b / (c * sqrt(x))`` as ``b * sqrt(x) / (c * x)``, in any factor."""
    match scale:
        case ir.Arithmetic("*", left, right):
            return replace(scale, left=_rounded(left), right=_rounded(right))
        case ir.Arithmetic("/", left, ir.Builtin("~sqrt", (inside,)) as root):
            above = ir.Arithmetic("*", _rounded(left), root, span=scale.span)
            return ir.Arithmetic("/", above, inside, span=scale.span)
        case ir.Arithmetic(
            "/", left, ir.Arithmetic("*", factor, ir.Builtin("~sqrt", (inside,)) as root)
        ) | ir.Arithmetic("/", left, ir.Arithmetic("*", ir.Builtin("~sqrt", (inside,)) as root, factor)):
            above = ir.Arithmetic("*", _rounded(left), root, span=scale.span)
            return ir.Arithmetic("/", above, ir.Arithmetic("*", factor, inside, span=scale.span), span=scale.span)
        case ir.Arithmetic("/", left, _):
            return replace(scale, left=_rounded(left))
    return scale
