"""One answer made of several aggregates (UNION ALL, ROLLUP, a sub-query beside): a certificate for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.plan import Aggregate
from lapwing.kernel.evidence.release import Price, ReleaseCertificate


@dataclass(frozen=True, slots=True)
class Several:
    """Why the answers to one query of several aggregates cost ``price``."""

    parts: tuple[ReleaseCertificate, ...]
    price: Price

    @property
    def query(self) -> str:
        """The text of the query, which all parts are of."""
        return self.parts[0].query

    @property
    def neighbours(self) -> Neighbours:
        """What the parts protect against."""
        return self.parts[0].neighbours

    @property
    def plans(self) -> tuple[Aggregate, ...]:
        """What an engine may be asked for: one plan of each part."""
        return tuple(plan for part in self.parts for plan in part.plans)


def added(prices: list[Price]) -> Price | None:
    """What several answers cost together: ε and δ add up, and so does ρ; None where prices are of both kinds."""
    if all(isinstance(each, ZCDP) for each in prices):
        return ZCDP(sum((each.rho for each in prices if isinstance(each, ZCDP)), Fraction(0)))
    if any(isinstance(each, ZCDP) for each in prices):
        return None
    epsilon = sum((each.epsilon for each in prices if isinstance(each, PureDP | ApproxDP)), Fraction(0))
    delta = sum((each.delta for each in prices if isinstance(each, ApproxDP)), Fraction(0))
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def parts_of(certificate: Several | ReleaseCertificate) -> tuple[ReleaseCertificate, ...]:
    """The certificate of each aggregate."""
    return certificate.parts if isinstance(certificate, Several) else (certificate,)
