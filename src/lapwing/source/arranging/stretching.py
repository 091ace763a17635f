"""Noise that is drawn of one size and stretched where it is used is drawn of the size that it is used in.

``laplace(1) / epsilon`` has the law of ``laplace(1 / epsilon)`` for every epsilon above 0, and so have normal and
exponential noise. Nothing is changed unless the factor is plainly above 0, made of public parameters alone, and the
same wherever the noise is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.counting_coins import above_zero
from lapwing.source.built_lists import Block, rewrite

#: Noise that is as large as its one argument says.
_SCALED = ("laplace", "gaussian", "exponential")


def stretched(mechanism: ir.Mechanism, body: Block) -> Block:
    """The body with noise drawn in the size in which it is used."""
    every, walked = walk.assigned(body), {name for each in body for name in walk.walked(each)}
    known = {name for condition in mechanism.preconditions for name in above_zero(condition)} - walked.union(every)
    draws = [each for each in walk.statements(body) if isinstance(each, ir.Sample) and each.kind in _SCALED]
    often, every_use = Counter(every), _uses(body, {each.target for each in draws}, known)
    for draw in draws:
        uses = every_use[draw.target]
        if len(uses) != 1 or often[draw.target] > 1 or draw.target in walked:
            continue  # read in several sizes, or a name of something else as well
        (use,) = uses
        if use != ir.Name(draw.target):
            scale = replaced(use, {ir.Name(draw.target): draw.arguments[0]})
            body = _rescaled(rewrite(body, {use: ir.Name(draw.target)}), draw.target, scale)
            every_use = _uses(body, set(every_use), known)
    return body


def _uses(body: Block, noises: set[str], known: set[str]) -> dict[str, set[ir.Expression]]:
    """Where each noise is read: the largest products and quotients around it with factors above 0, or its name."""
    found: dict[str, set[ir.Expression]] = {noise: set() for noise in noises}
    waiting = list(walk.evaluated(body))
    while waiting:
        part = waiting.pop()
        name = _multiplied(part, known)
        if name in found:
            found[name].add(part)
        else:
            waiting += walk.children(part)  # type: ignore[arg-type]  # parts of expressions, and what a loop walks over
    return found


def _multiplied(part: ir.Expression, known: set[str]) -> str:
    """The variable that an expression is a multiple of, by something above 0; empty where it is not of that form."""
    match part:
        case ir.Name(name):
            return name
        case ir.Arithmetic("*", left, right) if _is_positive(left, known):
            return _multiplied(right, known)
        case ir.Arithmetic("*" | "/", left, right) if _is_positive(right, known):
            return _multiplied(left, known)
    return ""


def _is_positive(factor: ir.Expression, known: set[str]) -> bool:
    match factor:
        case ir.Number(value):
            return value > 0
        case ir.Name(name):
            return name in known
        case ir.Arithmetic("*" | "/" | "+", left, right):
            return _is_positive(left, known) and _is_positive(right, known)
    return False


def _rescaled(block: Block, noise: str, scale: ir.Expression) -> Block:
    """The block with another scale for the one draw of some noise."""

    def rescaled(statement: ir.Statement) -> Block | None:
        match statement:
            case ir.Sample(target) if target == noise:
                return (replace(statement, arguments=(scale,)),)
        return None

    return walk.exchanged(block, rescaled)
