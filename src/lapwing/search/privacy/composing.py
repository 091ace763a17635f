"""Proving by composition: where to cut a body, and how often its loops turn.

The one idea: a cut may stand wherever everything that is read behind it was released. The kernel outlines the parts
(:mod:`lapwing.kernel.composition`); each is searched for a proof like any mechanism, without a claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace as replaced_with
from functools import reduce

from lapwing.errors import LapwingError
from lapwing.kernel.composition.unlikely import without_coin
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Composed, Measure
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import claimed
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.search.privacy.body_parts import Attempts, Callee, Partition
from lapwing.search.privacy.outcome import Failed, Found, claiming
from lapwing.search.privacy.prepared import acts, prepares_loops, shared_by_a_loop
from lapwing.search.privacy.quotient_text import written
from lapwing.search.privacy.totals import points, scales


def by_composition(
    module: ir.Module, mechanism: ir.Mechanism, measure: Measure, attempts: Attempts, callee: Callee, deadline: float
) -> Iterator[Found | Failed]:
    """A proof of a body of several private steps, or of a loop of them."""
    if not any(map(acts, mechanism.body)):
        return
    claim = mechanism.claim
    slack = show(claim.delta) if isinstance(claim, ir.ApproximateClaim) else None
    proved: dict[str, Certificate] = {}
    for coarse in (False, True):
        cutting = Partition(module, mechanism, measure, attempts, callee, deadline, slack, coarse, proved=proved)
        if not coarse or shared_by_a_loop(mechanism):
            yield _composed(cutting)
            if slack is None:
                continue
            if cutting.amplified:  # powers of logarithms are hard to compare with a claim
                yield _composed(replaced_with(cutting, simple=True))
            for other in _slacks(cutting, slack):
                yield _composed(replaced_with(cutting, slack=other))
    if prepares_loops(mechanism):
        yield _composed(Partition(module, mechanism, measure, attempts, callee, deadline, slack, whole=True))


def _slacks(cutting: Partition, delta: str) -> Iterator[str | None]:
    """What else a loop may add to δ: nothing, or what other steps and loops leave of the claim's δ."""
    paid, loops = cutting.walk.paid, cutting.loops
    own = Quotient.of(0)
    for each in paid:
        own = own + each.delta
    for _ in range(loops):
        own = own - cutting.walk.parameters.read(delta)
    if not own.above.is_zero:
        yield None
        left = f"{delta} - {written(own)}" if " " not in written(own) else f"{delta} - ({written(own)})"
        yield written(cutting.walk.parameters.read(left)) if loops < 2 else show(formula(f"({left}) / {loops}"))
    elif loops > 1:
        yield show(formula(f"({delta}) / {loops}"))


def _composed(cutting: Partition) -> Found | Failed:
    mechanism, claim = cutting.mechanism, cutting.mechanism.claim
    try:
        parts = cutting.parts()
        paid = cutting.walk.paid
        if not paid:
            return Failed("there is no private step", mechanism.span)
        total, delta = Quotient.of(0), Quotient.of(0)
        for each in paid:
            total, delta = total + each.price.cost, delta + each.delta
        if passes(total, mechanism):
            return Failed(f"a proof of {written(total)} was not accepted: that passes the claim", mechanism.span)
        if not isinstance(claim, ir.ApproximateClaim):
            chance = written(delta) if cutting.measure == "approximate" else None
            return Found(cutting.measure, written(total), Composed(tuple(parts)), chance)
        # numbers are reported as small as they are
        smallest = show(ir.Number(total.number)) if total.number else show(claim.epsilon)
        return Found("approximate", smallest, Composed(tuple(parts)), show(claim.delta))
    except (Unproved, LapwingError) as doubt:
        problem = getattr(doubt, "problem", str(doubt))
        return Failed(problem, getattr(doubt, "span", mechanism.span) or mechanism.span)


def passes(total: Quotient, mechanism: ir.Mechanism) -> bool:
    """Whether a price is above the claim at some ordinary parameters: the kernel would find so, after all the steps."""
    claim = claimed(mechanism)
    if claim is None or any(map(is_irrational, mechanism.preconditions)):
        return False
    price = formula(written(total))
    for point in points(mechanism):
        made = all((point.value(scale) or 0) > 0 for scale in scales(mechanism).values())
        cost, limit = point.value(price), point.most(claim)
        if made and cost is not None and limit is not None and cost > limit:
            return True
    return False


def by_concentration(
    module: ir.Module, mechanism: ir.Mechanism, inner: Callable[[ir.Module], Iterator[Certificate | Failed]]
) -> Iterator[Found | Failed]:
    """A proof of an (ε, δ) claim from one in ρ: of the ρ that the claim speaks of, or of the smallest there is."""
    claim = mechanism.claim
    if not isinstance(claim, ir.ApproximateClaim):
        return
    spoken = [ir.ZcdpClaim(each, span=claim.span) for each in _spoken_of(claim.epsilon)]
    plain = claiming(module, mechanism.name, None)
    for rho in (*spoken, None):
        for attempt in inner(claiming(module, mechanism.name, rho)):
            if isinstance(attempt, Certificate) and attempt.measure == "rho":
                bound = attempt.bound if rho is None else show(rho.rho)
                about = replaced_with(attempt, bound=bound, claim=None, source=fingerprint(plain, mechanism.name))
                part = Stretch(len(mechanism.body), "concentrated", about, None, show(claim.delta))
                # what every ρ has is plain to see, and is asked first
                for each in (part, replaced_with(part, kind="gaussian", price=show(claim.epsilon))):
                    yield Found("approximate", show(claim.epsilon), Composed((each,)), show(claim.delta))
            elif isinstance(attempt, Failed) and rho is None:
                yield attempt


def _spoken_of(epsilon: ir.Expression) -> Iterator[ir.Expression]:
    """The ρ of ``ρ + 2 * sqrt(ρ * ln(1 / δ))``: what is added to a root."""
    terms = list(_summands(epsilon))
    rest = [each for each in terms if not is_irrational(each)]
    if rest and len(rest) < len(terms):
        yield reduce(lambda one, other: ir.Arithmetic("+", one, other), rest)


def _summands(node: ir.Expression) -> Iterator[ir.Expression]:
    if isinstance(node, ir.Arithmetic) and node.operator == "+":
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def by_an_unlikely_coin(
    module: ir.Module, mechanism: ir.Mechanism, inner: Callable[[ir.Module], Iterator[Certificate | Failed]]
) -> Iterator[Found]:
    """Proofs of an (ε, δ) claim from those of the mechanism where its first coin is False."""
    try:
        likely = without_coin(module, mechanism)
    except (Unproved, LapwingError):
        return
    for attempt in inner(likely):
        if isinstance(attempt, Certificate) and isinstance(mechanism.claim, ir.ApproximateClaim):
            part = Stretch(len(mechanism.body), "unlikely", attempt)
            yield Found("approximate", attempt.bound, Composed((part,)), show(mechanism.claim.delta))
