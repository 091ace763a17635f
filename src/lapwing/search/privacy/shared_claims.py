"""Shares of an (ε, δ) claim for one step of several: Gaussian noise has no ε without a δ, and somebody says which.

The one idea: whoever wrote the claim gave each step what is left after the others, half of that, or a number that the
claim names. Each is tried; the kernel adds up what the steps cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.evidence.certificate import Certificate, Composed
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy.outcome import Failed, claiming
from lapwing.search.privacy.quotient_text import written

#: Attempts at a step with one share that are looked at.
FEW = 4
HALF = Quotient.of(Fraction(1, 2))


def by_a_share(
    outlined: ir.Module,
    mechanism: ir.Mechanism,
    passage: Composition,
    attempts: Callable[[ir.Module], Iterator[Certificate | Failed]],
) -> Certificate | None:
    """A certificate of a step with Gaussian noise, for a share of the mechanism's claim."""
    claim, step = mechanism.claim, outlined[mechanism.name]
    if not isinstance(claim, ir.ApproximateClaim) or not any(map(_is_gaussian, walk.statements(step.body))):
        return None
    read, paid = passage.parameters.of, passage.paid
    shares = product(
        _shares(claim.epsilon, read(claim.epsilon), [each.price.cost for each in paid]),
        _shares(claim.delta, read(claim.delta), [each.delta for each in paid]),
    )
    for epsilon, delta in shares:
        every = attempts(claiming(outlined, step.name, ir.ApproximateClaim(epsilon, delta)))
        found = [each for each in islice(every, FEW) if isinstance(each, Certificate) and each.measure == "approximate"]
        for attempt in sorted(found, key=_is_by_rho):
            source, bound = fingerprint(outlined, step.name), show(epsilon)
            own = replace(attempt, claim=None, claimed_delta=None, source=source, bound=bound)
            if isinstance(check_certificate(own, outlined), Proved):
                return own
    return None


def _is_by_rho(certificate: Certificate) -> bool:
    """Whether an ε is that of a ρ: the kernel thinks about one for long, and it is larger than the noise's own."""
    proof = certificate.proof
    return isinstance(proof, Composed) and any(each.kind == "concentrated" for each in proof.parts)


def _shares(stated: ir.Expression, whole: Quotient, paid: list[Quotient]) -> Iterator[ir.Expression]:
    """What is left of an ε or a δ after the steps before; half of it; and the numbers that it names."""
    left = sum((Quotient.of(0) - each for each in paid), whole)
    if left.above.is_zero:
        return
    # where nothing is paid so far, steps behind this one want their share
    parts = (left, left * HALF) if paid else (left * HALF, left)
    yield from (formula(written(part)) for part in parts)
    yield from (each for each in walk.nodes(stated) if isinstance(each, ir.Name) and each != stated)


def _is_gaussian(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Sample) and statement.kind in ("gaussian", "discrete_gaussian")
