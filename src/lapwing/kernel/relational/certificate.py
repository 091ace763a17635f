"""Is a certificate right? The source is read again and every condition is rebuilt from it; one doubt rejects.

The one idea: *proved* is said only here. A certificate is a list of suggestions; what it suggests is never assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing.kernel.boundary import SECONDS, Limit, judged
from lapwing.kernel.composition.confirm import Composition
from lapwing.kernel.composition.confirm import confirm as compose
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Composed, Coupling, Enumeration, Fold, Lift, Sensitivity
from lapwing.kernel.folds.lifting import confirm as confirm_distances
from lapwing.kernel.folds.lifting import lift
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.formulas.reading import formula, printed
from lapwing.kernel.prices.named_functions import named
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Price, Ways, claimed
from lapwing.kernel.program import ir, printer, walk
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.chances import Prices, scales_known
from lapwing.kernel.relational.deferring import deferred
from lapwing.kernel.relational.enumeration import Enumerated
from lapwing.kernel.relational.lockstep import Lockstep
from lapwing.kernel.relational.proof_parts import Weights, shifted_draws
from lapwing.kernel.relational.sensitivities import confirm
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.relational.told_by_place import as_walked
from lapwing.kernel.solver import MILLISECONDS, Terms
from lapwing.kernel.wellformed.certain import certain
from lapwing.kernel.wellformed.modules import looked_at


@dataclass(frozen=True, slots=True)
class Proved:
    """The certificate holds. ``statement`` says in one sentence what it shows; ``questions`` the solver was asked."""

    statement: str
    bound: str
    questions: int


def check_certificate(
    certificate: Certificate, module: ir.Module, milliseconds: int = MILLISECONDS, seconds: float = SECONDS
) -> Proved | Rejected:
    """Check ``certificate`` against the program; the solver has ``milliseconds`` a question, and ``seconds`` in all."""
    limit = Limit(seconds)
    return judged(lambda: _check(certificate, looked_at(module), Terms(milliseconds=milliseconds, limit=limit)))


def _check(certificate: Certificate, module: ir.Module, terms: Terms) -> Proved:
    mechanism = module[certificate.function]
    if printer.fingerprint(module, mechanism.name) != certificate.source:
        raise Unproved(f"the source of {mechanism.name} is not the one the certificate was written for")
    _check_claim(certificate, mechanism)
    module = named(module, mechanism.name)
    own, mechanism = mechanism, module[mechanism.name]
    for text in (certificate.bound, certificate.delta or "0"):
        if walk.names(formula(text)) - {each.name for each in own.parameters}:
            raise Unproved("the bound speaks of something other than parameters")
    if certificate.measure == "approximate" and not isinstance(certificate.proof, Coupling | Composed | Lift):
        raise Unproved("only couplings and compositions show (ε, δ), and mechanisms on totals that have them")
    asks = any(isinstance(each.type, ir.Oracle) for each in mechanism.parameters)
    if asks and not isinstance(certificate.proof, Coupling | Composed | Sensitivity):
        raise Unproved("a mechanism that asks a function is proved by couplings, distances and composition")
    match certificate.proof:
        case Coupling():
            _check_coupling(certificate, certificate.proof, mechanism, terms)
        case Sensitivity():
            confirm(terms, module, certificate, certificate.proof, lambda callee: _check(callee, module, terms))
        case Enumeration():
            if certificate.measure != "epsilon":
                raise Unproved("an enumeration shows a bound on ε")
            Enumerated(terms, mechanism, certificate, certificate.proof).confirm()
        case Fold():
            Folds(terms, mechanism, certificate.measure).confirm(formula(certificate.bound), claimed(mechanism))
        case Lift(distances, inner):
            _check_lift(certificate, distances, inner, mechanism, terms)
        case Composed(parts):

            def step(inner: Certificate, outlined: ir.Module) -> object:
                return _check(inner, outlined, terms)

            compose(Composition(terms, module, mechanism, certificate.measure, step), parts, certificate)
    measure = {
        "epsilon": "ε-differentially private with ε",
        "approximate": "(ε, δ)-differentially private with (ε, δ)",
        "rho": "ρ-zCDP with ρ",
    }[certificate.measure]
    bound = printed(certificate.bound)
    if certificate.delta is not None:
        bound = f"({bound}, {printed(certificate.delta)})"
    return Proved(f"{mechanism.name} is {measure} = {bound}", bound, terms.questions)


def _check_lift(
    certificate: Certificate,
    distances: tuple[tuple[str, bool], ...],
    inner: Certificate,
    mechanism: ir.Mechanism,
    terms: Terms,
) -> None:
    """The mechanism on totals has the bound for neighbours as far apart as one record moves its totals."""
    folds = Folds(terms, mechanism, certificate.measure)
    lifted = lift(folds)
    confirm_distances(folds, lifted, distances)
    of_totals, own = (
        [formula(each) for each in (proved.bound, proved.delta) if each is not None] for proved in (inner, certificate)
    )
    if inner.measure != certificate.measure or of_totals != own:
        raise Unproved("the bound is not that of the mechanism on totals")
    totals = {each.name for each in lifted.totals}
    if any(walk.names(each) & totals for each in own):
        raise Unproved("the bound speaks of totals")
    if isinstance(inner.proof, Lift) or inner.function != mechanism.name:
        raise Unproved("a mechanism on totals is proved by other means")
    _check(inner, lifted.with_distances(distances), terms)


def _check_claim(certificate: Certificate, mechanism: ir.Mechanism) -> None:
    """What the certificate says of the claim is what the source claims, in the same measure."""
    if (certificate.delta is None) != (certificate.measure != "approximate"):
        raise Unproved("a bound in this measure has another number of parts")
    delta = None
    match mechanism.claim, certificate.measure:
        case None, _:
            claim = None
        case (ir.PureClaim(value), "epsilon") | (ir.ZcdpClaim(value), "rho"):
            claim = printer.show(value)
        case ir.ApproximateClaim(value, chance), "epsilon" | "approximate":  # ε-DP is (ε, δ)-DP for every δ
            claim, delta = printer.show(value), printer.show(chance)
        case _:
            raise Unproved("the certificate is about another kind of guarantee than the claim")
    if any(isinstance(part, ir.Number) and "/" in printer.show(part) for part in walk.nodes(mechanism)):
        raise Unproved("a number of the source is too long to be written in formulas")
    if (certificate.claim, certificate.claimed_delta) != (claim, delta):
        raise Unproved(f"the certificate does not repeat the claim, {claim if delta is None else f'{claim}, {delta}'}")


def _check_coupling(certificate: Certificate, proof: Coupling, mechanism: ir.Mechanism, terms: Terms) -> None:
    """ε-DP because every draw is shifted one-to-one at the price |shift| / scale: see :mod:`lockstep`.

    With intervals and tails, (ε, δ)-DP: see :mod:`alignments` and :mod:`tails`.
    """
    if certificate.measure not in ("epsilon", "approximate"):
        raise Unproved("a coupling shows a bound on ε, or on ε and δ")
    mechanism = deferred(as_walked(mechanism), proof)
    setting = Setting(terms, mechanism, proof)
    parameters = setting.parameters
    scales = {each.site: parameters.of(each.arguments[0]) for each in shifted_draws(mechanism)}
    made = {each.site for each in certain(mechanism)}
    prices = [_prices(weights, total, scales, made) for weights, _, total in setting.totals]
    for site, spread in setting.spreads.items():
        price = Price(spread.uses * spread.price, (scales[site],))
        prices.append((price,) if site in made else (None, price))
    parameters.check_sum(prices, certificate.bound)
    if proof.bad and certificate.delta is None:
        raise Unproved("what is shown up to bad noise holds with a δ only")
    for above in scales_known(scales, made, widths=bool(proof.intervals)):
        Prices(setting, scales, above).check(certificate.delta)
    Lockstep(setting).check()


def _prices(weights: Weights, total: Quotient, scales: Mapping[int, Quotient], made: set[int]) -> Ways:
    """The price total / (weight · scale), which has to be the same for all sites that are bounded together."""
    scaled = {site: scales[site] * Quotient.of(weight) for site, weight in weights}
    prices = {site: Price(total / each, (each,)) for site, each in scaled.items()}
    first = next(iter(scaled.values()))
    if not all(each.agrees(first) for each in scaled.values()):
        raise Unproved("draws are bounded together whose shifts have different prices")
    always = [price for site, price in prices.items() if site in made]
    return tuple(always[:1]) or (None, *prices.values())
