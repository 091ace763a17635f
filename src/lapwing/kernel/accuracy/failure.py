"""Is a claim of accuracy false? The failure is computed again: the program that answers whether the condition holds.

The one idea: every ``return value`` becomes ``return condition(value)``. The condition fails exactly as often as that
program answers False, a probability like any other, also where the answer is a real number. Logarithms, roots and
exponentials in the condition are enclosed by rationals, and a comparison with one holds if it holds for any number of
the enclosure: every doubt favours the claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import decimal_down
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.distribution.inputs import read_inputs
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.accuracy import AccuracyWitness
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.formulas.favouring import possibly
from lapwing.kernel.formulas.margins import OPEN, replaced
from lapwing.kernel.program import ir, printer, walk
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.uncomputable import Uncomputable

#: States looked at before a check is given up, and seconds.
STEPS, SECONDS = 400_000, 6.0
#: The answer, under a name that no variable of a program can have.
RESULT = "%result"


@dataclass(frozen=True, slots=True)
class Fails:
    """The witness holds: the condition fails with at least ``probability``, which is above β."""

    statement: str
    probability: Fraction


def failure(
    module: ir.Module, name: str, inputs: Mapping[str, Value], condition: ir.Expression, given: Mapping[str, Value],
    limits: Limits,
) -> Interval:  # fmt: skip
    """The probability that ``condition`` on the answer fails; below the truth where it cannot be decided."""
    mechanism = asked(module[name], condition, {**inputs, **given})
    changed = ir.Module(tuple(mechanism if each.name == name else each for each in module))
    arguments = {**inputs, **{_own(each): value for each, value in given.items()}}
    return probability(changed, name, arguments, False, limits)


def asked(mechanism: ir.Mechanism, condition: ir.Expression, known: Mapping[str, Value]) -> ir.Mechanism:
    """The program that answers whether the condition holds of its answer."""
    spoken = walk.names(condition) - {"result"}
    if not set(spoken).isdisjoint(walk.assigned(mechanism.body)):
        raise Uncomputable("the program changes a parameter that the condition speaks of")
    meanings: dict[ir.Expression, ir.Expression] = {ir.Name("result"): ir.Name(RESULT)}
    meanings |= {ir.Name(name): ir.Name(_own(name)) for name in OPEN if mechanism.parameter(name) is None}
    parameters = {name: value for name, value in known.items() if name != "result"}  # which means the answer here
    question = replaced(possibly(condition, parameters), meanings)

    def answered(statement: ir.Statement) -> walk.Block | None:
        match statement:
            case ir.Return(value):
                return ir.Assign(RESULT, value), replace(statement, value=question)
        return None

    opened = tuple(ir.Parameter(_own(name), ir.Real()) for name in OPEN if name in known)
    return replace(
        mechanism,
        returns=ir.Boolean(),
        body=walk.exchanged(mechanism.body, answered),
        parameters=(*mechanism.parameters, *(each for each in opened if mechanism.parameter(each.name[1:]) is None)),
    )


def _own(name: str) -> str:
    """A name that no variable of the program can have."""
    return f"%{name}" if name in OPEN else name


# --- checking -------------------------------------------------------------------------------------------------


def check_failure(
    witness: AccuracyWitness, module: ir.Module, claim: ir.Accuracy, limit: int = STEPS
) -> Fails | Rejected:
    """Recompute ``witness`` against ``claim`` from the program; look at ``limit`` states at most."""
    return judged(lambda: _checked(witness, module, claim, limit))


def _checked(witness: AccuracyWitness, module: ir.Module, claim: ir.Accuracy, limit: int) -> Fails:
    if printer.fingerprint(module, witness.function) != witness.source:
        raise Doubt(f"the source of {witness.function} is not the one the witness was written for")
    mechanism = module[witness.function]
    taken = [name for name in witness.given if name not in OPEN or mechanism.parameter(name) is not None]
    if taken:
        raise Doubt(f"{taken[0]!r} is not a name that the claim leaves open")
    inputs = read_inputs(mechanism, "inputs", witness.inputs)
    beta = enclosed(claim.beta, {**inputs, **witness.given})
    if beta.lower <= 0 or beta.upper >= 1:
        raise Doubt("beta is not between 0 and 1 on these inputs")
    limits = Limits(limit, seconds=SECONDS)
    found = failure(module, mechanism.name, inputs, claim.condition, witness.given, limits)
    if found.lower < witness.probability:
        raise Doubt("the probability is not confirmed")
    if witness.probability <= beta.upper:
        raise Doubt("the probability is not above beta")
    chance = witness.probability
    stated = str(chance) if chance.denominator < 10**6 else decimal_down(chance, 6)
    allowed = str(beta.upper) if beta.is_exact and beta.upper.denominator < 10**6 else f"{float(beta):.6g}"
    return Fails(f"{witness.condition} fails with probability at least {stated}, above beta = {allowed}", found.lower)
