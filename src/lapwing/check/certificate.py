"""Is a certificate right? The source is read again and every condition is rebuilt from it; one doubt rejects.

The one idea: *proved* is said only here. A certificate is a list of suggestions; what it suggests is never assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing.check.couplings.doubt import Unproved
from lapwing.check.couplings.execution import Execution
from lapwing.check.couplings.setting import Setting
from lapwing.check.couplings.shape import Weights, shifted_draws
from lapwing.check.couplings.terms import MILLISECONDS, Terms
from lapwing.check.enumeration import Enumerated
from lapwing.check.polynomials import Quotient
from lapwing.check.prices import Price, Ways, certain, claimed
from lapwing.check.rejected import Rejected
from lapwing.check.sensitivities import Derivation
from lapwing.errors import LapwingError
from lapwing.evidence.certificate import Certificate, Coupling, Enumeration, Sensitivity
from lapwing.program import ir, printer, walk
from lapwing.program.parse import parse_text


@dataclass(frozen=True, slots=True)
class Proved:
    """The certificate holds. ``statement`` says in one sentence what it shows; ``questions`` the solver was asked."""

    statement: str
    bound: str
    questions: int


def check_certificate(certificate: Certificate, source: str, milliseconds: int = MILLISECONDS) -> Proved | Rejected:
    """Check ``certificate`` against the text of its source; the solver has ``milliseconds`` for each question."""
    try:
        module = parse_text(source, certificate.file, only=certificate.function)
        return _check(certificate, module, Terms(milliseconds=milliseconds))
    except Unproved as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except RecursionError:
        return Rejected("a formula is nested too deep")
    except (ArithmeticError, ValueError, LookupError, TypeError, MemoryError, RuntimeError) as error:
        # hostile input may break the checker or the solver (whose errors are RuntimeErrors) in ways nobody foresaw
        return Rejected(f"the check broke off with {type(error).__name__}, so nothing is shown")


def _check(certificate: Certificate, module: ir.Module, terms: Terms) -> Proved:
    mechanism = module[certificate.function]
    if printer.fingerprint(module, mechanism.name) != certificate.source:
        raise Unproved(f"the source of {mechanism.name} is not the one the certificate was written for")
    _check_claim(certificate, mechanism)
    match certificate.proof:
        case Coupling():
            _check_coupling(certificate, certificate.proof, mechanism, terms)
        case Sensitivity():
            Derivation(terms, module, mechanism, certificate, certificate.proof, _check).confirm()
        case Enumeration():
            if certificate.measure != "epsilon":
                raise Unproved("an enumeration shows a bound on ε")
            Enumerated(terms, mechanism, certificate, certificate.proof).confirm()
    measure = {"epsilon": "ε-differentially private with ε", "rho": "ρ-zCDP with ρ"}[certificate.measure]
    return Proved(f"{mechanism.name} is {measure} = {certificate.bound}", certificate.bound, terms.questions)


def _check_claim(certificate: Certificate, mechanism: ir.Mechanism) -> None:
    """What the certificate says of the claim is what the source claims, in the same measure."""
    match mechanism.claim, certificate.measure:
        case None, _:
            claim = None
        case (ir.PureClaim(value), "epsilon") | (ir.ZcdpClaim(value), "rho"):
            claim = printer.show(value)
        case _:
            raise Unproved("the certificate is about another kind of guarantee than the claim")
    if any(isinstance(part, ir.Number) and "/" in printer.show(part) for part in walk.nodes(mechanism)):
        raise Unproved("a number of the source is too long to be written in formulas")
    if certificate.claim != claim:
        raise Unproved(f"the certificate does not repeat the claim, {claim}")


def _check_coupling(certificate: Certificate, proof: Coupling, mechanism: ir.Mechanism, terms: Terms) -> None:
    """ε-DP because every draw is shifted one-to-one at the price |shift| / scale: see :mod:`couplings.execution`."""
    if certificate.measure != "epsilon":
        raise Unproved("a coupling shows a bound on ε")
    setting = Setting(terms, mechanism, proof)
    parameters = setting.parameters
    scales = {each.site: parameters.of(each.arguments[0]) for each in shifted_draws(mechanism)}
    made = {each.site for each in certain(mechanism)}
    prices = [_prices(weights, total, scales, made) for weights, _, total in setting.totals]
    parameters.check_sum(prices, certificate.bound, claimed(mechanism))
    Execution(setting).check()


def _prices(weights: Weights, total: Quotient, scales: Mapping[int, Quotient], made: set[int]) -> Ways:
    """The price total / (weight · scale), which has to be the same for all sites that are bounded together."""
    scaled = {site: scales[site] * Quotient.of(weight) for site, weight in weights}
    prices = {site: Price(total / each, (each,)) for site, each in scaled.items()}
    first = next(iter(scaled.values()))
    if not all(each.agrees(first) for each in scaled.values()):
        raise Unproved("draws are bounded together whose shifts have different prices")
    always = [price for site, price in prices.items() if site in made]
    return tuple(always[:1]) or (None, *prices.values())
