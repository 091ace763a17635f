"""Is the certificate of an answer that several aggregates make right? Each is checked, and prices add up."""

from __future__ import annotations

from lapwing.kernel.evidence.release import ReleaseCertificate
from lapwing.kernel.evidence.several import Several, added
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived, Protection
from lapwing.kernel.release.release import check_release, statement


def check_several(certificate: Several | ReleaseCertificate, policy: Protection | None = None) -> Derived | Rejected:
    """Derive what all aggregates of one answer cost together, and compare with what the certificate says.

    Sequential composition: every part is an answer of its own about the same people ([DR14] Thm 3.16, [BS16] Lemma
    2.3); what is computed from them afterwards is post-processing.
    """
    if isinstance(certificate, ReleaseCertificate):
        return check_release(certificate, policy)
    found: list[Derived] = []
    for part in certificate.parts:
        derived = check_release(part, policy)
        if isinstance(derived, Rejected):
            return derived
        found.append(derived)
    if len({(part.query, part.neighbours) for part in certificate.parts}) != 1:
        return Rejected("the parts are of different queries, or protect against different changes")
    price = added([each.price for each in found])
    if price is None or certificate.price != price:
        return Rejected("the price is not what the parts cost together")
    measured = sum(each.measurements for each in found)
    return Derived(statement("the answers cost", price, certificate.neighbours), price, measured, certificate.plans)
