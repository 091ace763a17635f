"""The two sides of a coin whose bias is a real number, such as e^x / (e^x + 1): in closed form, or as balls.

The one idea: such a bias is a quotient of sums c·e^r, which is what closed forms are made of
(:mod:`~lapwing.kernel.distribution.exponentials`). What is none (a logarithm, a root) is computed with balls.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from lapwing.kernel.distribution.exponentials import ONE, ExactProbability, Terms, add, multiply
from lapwing.kernel.program import ir
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run.claim_values import ball_of
from lapwing.kernel.run.coins import RealChance
from lapwing.kernel.run.evaluate import Environment, evaluate
from lapwing.kernel.uncomputable import TooMuch

MINUS: Terms = ((Fraction(0), Fraction(-1)),)


def closed_sides(expression: ir.Expression, numbers: Environment) -> tuple[ExactProbability, ExactProbability]:
    """The probabilities of True and of False in closed form."""
    RealChance(lambda: ball_of(expression, numbers)).check()
    above, below = _quotient(expression, numbers)
    if not below:
        raise TooMuch("a probability divides by 0")
    shift, size = below[0]
    unit: Terms = ((-shift, 1 / size),)
    above, below = multiply(above, unit), multiply(below, unit)
    if any(value < 0 for _, value in below):
        raise TooMuch("a probability divides by a difference")
    factors = () if below == ONE else ((below, 1),)
    return ExactProbability(above, factors), ExactProbability(add(below, multiply(above, MINUS)), factors)


def enclosed_sides(expression: ir.Expression, numbers: Environment) -> tuple[arb, arb]:
    """The same as balls, at the working precision."""
    RealChance(lambda: ball_of(expression, numbers)).check()
    heads = ball_of(expression, numbers)
    return heads, 1 - heads


def _quotient(node: ir.Expression, numbers: Environment) -> tuple[Terms, Terms]:
    if not is_irrational(node):
        value = Fraction(evaluate(node, numbers))
        return (((Fraction(0), value),) if value else ()), ONE
    match node:
        case ir.Negate(operand):
            above, below = _quotient(operand, numbers)
            return multiply(above, MINUS), below
        case ir.Arithmetic(symbol, left, right):
            (a, b), (c, d) = _quotient(left, numbers), _quotient(right, numbers)
            match symbol:
                case "*":
                    return multiply(a, c), multiply(b, d)
                case "/":
                    return multiply(a, d), multiply(b, c)
            return add(multiply(a, d), multiply(multiply(c, b), ONE if symbol == "+" else MINUS)), multiply(b, d)
        case ir.Builtin("exp", (operand,)):
            return ((Fraction(evaluate(operand, numbers)), Fraction(1)),), ONE
    raise TooMuch("a probability has no closed form")
