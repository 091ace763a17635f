"""Is a claim of accuracy false? The failure is computed again, by this room's own interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import decimal_down
from lapwing.check.inputs import RUN, read_inputs
from lapwing.check.interpret import probability
from lapwing.check.rejected import Rejected
from lapwing.check.violation import Doubt
from lapwing.errors import LapwingError
from lapwing.evidence.accuracy import AccuracyWitness
from lapwing.evidence.event import AnyOf
from lapwing.program import printer
from lapwing.program.claims import enclosed
from lapwing.program.conditions import OPEN, read_condition
from lapwing.program.deciding import decider
from lapwing.program.parse import parse_text

#: States looked at before a check is given up, and binary places of a probability.
STEPS, BITS = 2_000_000, 80


@dataclass(frozen=True, slots=True)
class Fails:
    """The witness holds: the condition fails with at least ``probability``, which is above β."""

    statement: str
    probability: Fraction


def check_failure(witness: AccuracyWitness, source: str, limit: int = STEPS) -> Fails | Rejected:
    """Recompute ``witness`` from the text of its source; look at ``limit`` states at most."""
    try:
        return _checked(witness, source, limit)
    except Doubt as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except (ArithmeticError, AssertionError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        # whatever a witness makes go wrong here, it has not been confirmed
        return Rejected(f"the witness cannot be checked ({type(error).__name__})")


def _checked(witness: AccuracyWitness, source: str, limit: int) -> Fails:
    module = parse_text(source, witness.file, only=witness.function)
    if printer.fingerprint(module, witness.function) != witness.source:
        raise Doubt(f"the source of {witness.function} is not the one the witness was written for")
    mechanism = module[witness.function]
    claim = read_condition(mechanism, witness.condition, witness.beta)
    taken = [name for name in witness.given if name not in OPEN or mechanism.parameter(name) is not None]
    if taken:
        raise Doubt(f"{taken[0]!r} is not a name that the claim leaves open")
    if witness.lattice != RUN:
        raise Doubt("the lattice is not the one of a run")
    inputs = read_inputs(mechanism, "inputs", witness.inputs, witness.lattice)
    known = {**inputs, **witness.given, "step()": witness.lattice}
    beta = enclosed(claim.beta, dict(known))
    if beta.lower <= 0 or beta.upper >= 1:
        raise Doubt("beta is not between 0 and 1 on these inputs")
    decide = decider(claim.condition, known)
    if any(decide(answer) is not False for answer in witness.answers):
        raise Doubt("an answer of the witness does not break the condition")
    if len(set(map(str, witness.answers))) != len(witness.answers) or not witness.answers:
        raise Doubt("the answers are none, or one of them stands there twice")
    event = AnyOf(witness.answers)
    found = probability(module, mechanism.name, inputs, event, witness.lattice, BITS, limit)
    if found.lower < witness.probability:
        raise Doubt("the probability is not confirmed")
    if witness.probability <= beta.upper:
        raise Doubt("the probability is not above beta")
    chance = witness.probability
    stated = str(chance) if chance.denominator < 10**6 else decimal_down(chance, 6)
    allowed = str(beta.upper) if beta.is_exact and beta.upper.denominator < 10**6 else f"{float(beta):.6g}"
    return Fails(f"{witness.condition} fails with probability at least {stated}, above beta = {allowed}", found.lower)
