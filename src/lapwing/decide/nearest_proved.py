"""The nearest program that is proved, for whoever wrote one that is not: the same with more noise.

The one idea: what shifts cost falls as the noise grows. Where a bound is a number of times the claim, so much more
noise should do; that it does is asked of the prover and the kernel like anything else.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.solver import Terms
from lapwing.search.privacy import attempts
from lapwing.search.privacy.quotient_text import written

#: Noise whose price is the shift over its scale, or for scores so many times that.
SCALED = ("laplace", "exponential", "discrete_laplace", "choose")
#: More draws are not listed one by one.
FEW = 3


def with_more_noise(module: ir.Module, name: str, bound: str, seconds: float) -> str | None:
    """What to draw instead so that the claim is proved, in words, where that much is known to be enough."""
    mechanism = module[name]
    times = _excess(mechanism, bound)
    if times is None:
        return None
    body = _scaled(mechanism, mechanism.body, times)
    louder = ir.Module(tuple(replace(each, body=body) if each.name == name else each for each in module))
    for attempt in attempts(louder, name, "<text>", seconds):
        if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, louder), Proved):
            return f"with {_words(body, times)} the claim is proved"
    return None


def _excess(mechanism: ir.Mechanism, bound: str) -> Fraction | None:
    """How many times the claim a bound is, where that is a number."""
    draws = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample)]
    if not isinstance(mechanism.claim, ir.PureClaim) or not all(each.kind in SCALED for each in draws):
        return None
    parameters = Parameters(Terms(), mechanism)
    try:
        ratio = parameters.read(bound) / parameters.of(mechanism.claim.epsilon)
    except Unproved:
        return None
    return (ratio.number or None) if draws else None


def _scaled(mechanism: ir.Mechanism, block: tuple[ir.Statement, ...], times: Fraction) -> tuple[ir.Statement, ...]:
    """The block with so many times its noise."""

    def louder(statement: ir.Statement) -> walk.Block | None:
        match statement:
            case ir.Sample(_, _, (*others, scale)):
                return (replace(statement, arguments=(*others, _product(mechanism, scale, times))),)
        return None

    return walk.exchanged(block, louder)


def _product(mechanism: ir.Mechanism, scale: ir.Expression, times: Fraction) -> ir.Expression:
    """A scale so many times, in few words where it is a formula over parameters."""
    try:
        return formula(written(Parameters(Terms(), mechanism).of(scale) * Quotient.of(times)))
    except Unproved:
        return ir.Arithmetic("*", ir.Number(times), scale)


def _words(body: tuple[ir.Statement, ...], times: Fraction) -> str:
    draws = [each for each in walk.statements(body) if isinstance(each, ir.Sample)]
    if len(draws) > FEW:
        return f"{show(ir.Number(times))} times the noise everywhere"
    said = [f"{each.kind}({', '.join(map(show, each.arguments))}) on line {each.span.line}" for each in draws]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
