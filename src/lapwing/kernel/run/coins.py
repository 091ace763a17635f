"""Coins whose bias is a real number: ``flip(exp(e) / (exp(e) + 1))`` comes up True with that probability exactly.

The one idea: the formula is computed in balls as finely as a comparison with a uniform number needs, so nobody rounds
it. Whether it is a probability at all is told the same way, before the coin is flipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb

from lapwing.algebra import balls
from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.run.claim_values import ball_of
from lapwing.kernel.run.evaluate import Environment, Value, compiled

#: Precisions at which a number is told apart from 0 and 1.
PRECISIONS = (128, 1024, 8192, 32768)


@dataclass(frozen=True, slots=True)
class RealChance:
    """A probability that balls enclose."""

    enclosing: Callable[[], arb]

    def check(self) -> None:
        """Refuse what is not certainly between 0 and 1."""
        for bits in PRECISIONS:
            with balls.precision(bits):
                value = self.enclosing()
                if value >= 0 and value <= 1:
                    return
                if value < 0 or value > 1:
                    raise InvalidInput("A105", "the probability of flip is outside [0, 1]", "Give a number from 0 to 1")
        raise InvalidInput(
            "A105", "the probability of flip is too close to 0 or 1 to tell", "Give parameters farther from there"
        )


def compiled_chance(expression: ir.Expression) -> Callable[[Environment], Value]:
    """A function from variables to a probability: an exact number, or a :class:`RealChance`."""
    if not is_irrational(expression):
        return compiled(expression)
    names = walk.names(expression)

    def chance(env: Environment) -> Value:
        known = {name: env[name] for name in names}
        return RealChance(lambda: ball_of(expression, known))

    return chance
