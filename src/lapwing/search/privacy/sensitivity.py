"""Proving by sensitivity: how far each value can move between neighbours, and what noise of that distance costs.

The one idea: there is nothing to search for. The kernel derives distances and prices from the program alone
(:mod:`lapwing.kernel.relational.sensitivities`); what is found here is written down, and checked like any certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Cost, Measure, Sensitivity
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.spans import Span
from lapwing.kernel.relational.sensitivities import Derivation
from lapwing.search.privacy.kept_solver import KeptTerms
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.quotient_text import written

#: The certificate of a callee in a measure, if there is one.
Callee = Callable[[str, Measure], Certificate | None]
GAUSSIAN = ("gaussian", "discrete_gaussian")


def by_sensitivity(module: ir.Module, mechanism: ir.Mechanism, certificate_of: Callee) -> Found | Failed:
    """A sensitivity proof of a body of plain assignments, draws and calls."""
    match mechanism.claim:
        case ir.PureClaim():
            measure: Measure = "epsilon"
        case ir.ZcdpClaim():
            measure = "rho"
        case None:
            gaussian = any(isinstance(each, ir.Sample) and each.kind in GAUSSIAN for each in mechanism.body)
            measure = "rho" if gaussian or calls_concentrated(module, mechanism) else "epsilon"
        case claim:
            return Failed("sensitivities give ε and ρ, not (ε, δ)", claim.span)
    callees = _Callees(lambda name: certificate_of(name, measure))
    derivation = Derivation(KeptTerms(), module, mechanism, measure, callees.bound)
    where = mechanism.span
    try:
        for statement in mechanism.body:
            where = statement.span
            derivation.statement(statement)
    except Unproved as doubt:
        return _failed(str(doubt), where)
    total = Quotient.of(0)
    for _, price in derivation.priced.values():
        total = total + price.cost
    costs = tuple(Cost(site, written(d), written(price.cost)) for site, (d, price) in sorted(derivation.priced.items()))
    return Found(measure, written(total), Sensitivity(costs, tuple(callees.used.values())))


def calls_concentrated(module: ir.Module, mechanism: ir.Mechanism) -> bool:
    """Whether a mechanism without a claim calls one that claims a ρ."""
    calls = (each for each in walk.statements(mechanism.body) if isinstance(each, ir.Call))
    return mechanism.claim is None and any(isinstance(module[e.mechanism].claim, ir.ZcdpClaim) for e in calls)


def _failed(doubt: str, where: Span) -> Failed:
    """What stopped the derivation, at the statement where it did."""
    return Failed(doubt.partition(": ")[2] if doubt.startswith("line ") else doubt, where)


@dataclass(slots=True)
class _Callees:
    find: Callable[[str], Certificate | None]
    used: dict[str, Certificate] = field(default_factory=dict)

    def bound(self, name: str) -> str | None:
        """The bound of a mechanism that is called, whose certificate is kept."""
        found = self.used.get(name) or self.find(name)
        if found is None:
            return None
        self.used[name] = found
        return found.bound


def judgements(module: ir.Module, certificate: Certificate) -> Iterator[tuple[ir.Statement, str]]:
    """Every statement of a mechanism that was proved, and how far what it sets moves between neighbours, in words."""
    proof = certificate.proof
    bounds = {each.function: each.bound for each in proof.callees} if isinstance(proof, Sensitivity) else {}
    mechanism = module[certificate.function]
    derivation = Derivation(KeptTerms(), module, mechanism, certificate.measure, bounds.get)
    for statement in mechanism.body:
        derivation.statement(statement)
        target = getattr(statement, "target", "")
        if target in derivation.distances.waiting:
            yield statement, "noise"
        else:
            distance = derivation.distances.known.get(target, Quotient.of(0))
            yield statement, "unbounded" if distance is None else written(distance)
