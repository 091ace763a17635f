"""Gaussian noise at (ε, δ): sharper than what ρ says of any mechanism, since here the law of the loss is known.

Claim: let all noise of a mechanism be Gaussian, drawn for values that move by d_i between two neighbours with standard
deviations s_i, and let Σ d_i² / (2 s_i²) be at most ρ on every run, also where d_i hangs on what was released before.
Then every answer is computed from a Gaussian mechanism whose value moves by √(2ρ) standard deviations: noise that pads
the sum up to ρ changes no answer, and then the loss is a Brownian motion with drift at a time that is fixed ([ST22]
for the law of such a sum, [DRS22] Cor. 3.3 where each part is fixed). So

    δ(ε) ≤ P(N(ρ, 2ρ) > ε) = P(N(0, 1) > t) for t = (ε - ρ) / √(2ρ), [BW18] Lemma 3,

which is at most ½ e^(-t²/2) where t ≥ 0, that is where ε ≥ ρ. And δ(ε) ≤ δ(0) for ε ≥ 0, the distance in variation of
two normal laws √(2ρ) apart, at most √(ρ/π). Each public choice of parameters may use either. The classical theorem
[DR14, Thm A.1], with noise √(2 ln(1.25/δ)) / ε and ε ≤ 1, follows: it is where (ε - ρ)² ≥ 4ρ ln(1/(2δ)) because
ε/2 ≤ ln(2.5). For larger ε nothing is assumed, and its formula is not enough from some ε on.

The sum that a certificate in ρ bounds is that sum wherever no draw is of another law and no other mechanism is called.
"""

from __future__ import annotations

from fractions import Fraction

from lapwing.kernel.composition.payments import Paid, Payments
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.composition import Stretch
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed.certain import certain

#: Less than π.
BELOW_PI = Quotient.of(Fraction(3141592, 10**6))


def gaussian_price(payments: Payments, part: Stretch, inner: Certificate) -> Paid:
    """The ε and δ that are stated, if the whole body in ρ has them because its noise is Gaussian."""
    parameters = payments.parameters
    if payments.measure != "approximate" or inner.measure != "rho" or part.slack is None or part.price is None:
        raise Unproved("only a whole body in ρ has an ε for a δ")
    for statement in walk.statements(parameters.mechanism.body):
        if isinstance(statement, ir.Call) or (isinstance(statement, ir.Sample) and statement.kind != "gaussian"):
            raise Unproved("some noise is not Gaussian")
    positive = tuple(parameters.of(each.arguments[-1]) for each in certain(parameters.mechanism))
    rho, delta = parameters.read(inner.bound), payments.slack(part.slack, positive)
    epsilon = parameters.read(part.price)
    twice = ir.Arithmetic("*", ir.Number(Fraction(2)), formula(part.slack))
    logarithm = parameters.of(ir.Builtin("ln", (ir.Arithmetic("/", ir.ONE, twice),)))
    if not parameters.never_zero(positive, [rho.below, epsilon.below, delta.below]):
        raise Unproved("the price may divide by 0")
    over = epsilon - rho
    tail = (over, over * over - Quotient.of(4) * rho * logarithm)
    variation = (epsilon, BELOW_PI * delta * delta - rho)
    if not parameters.some_hold(positive, (tail, variation)):
        raise Unproved(f"the loss may pass {part.price[:60]} with a larger probability than {part.slack[:60]}")
    return Paid(Price(epsilon, positive), delta, always=True)
