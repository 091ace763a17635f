"""What can be composed: the building blocks of an expression, each with what is known about its privacy.

The one idea: a term is *public parameters only*, frozen and checked, and says for itself which noise it is
about. ``Laplace(10)`` is real-valued noise of scale 10; ``Laplace(10, steps=1)`` is integer noise for a count.
The two have the same ε, but not the same privacy profile: the coarser lattice hides less (see ``loss``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import Number, decimal_down
from lapwing.algebra.exact import shown as brief
from lapwing.algebra.subsampling import amplified
from lapwing.errors import InvalidInput, Unbounded


@dataclass(frozen=True, slots=True, init=False)
class Laplace:
    """Laplace noise; with ``steps``, on the lattice that divides one sensitivity into that many steps."""

    scale: Fraction
    sensitivity: Fraction
    steps: int | None

    def __init__(self, scale: Number, sensitivity: Number = 1, steps: int | None = None) -> None:
        object.__setattr__(self, "scale", parameters.scale(scale))
        object.__setattr__(self, "sensitivity", parameters.nonnegative(sensitivity, "sensitivity"))
        object.__setattr__(self, "steps", None if steps is None else parameters.whole(steps, "steps"))

    @property
    def epsilon(self) -> Fraction:
        """ε-DP because the density ratio is at most e^(Δ/b) [DR14] Thm 3.6, on a lattice as on the line."""
        return self.sensitivity / self.scale


@dataclass(frozen=True, slots=True, init=False)
class Gaussian:
    """Gaussian noise; with ``steps``, the discrete Gaussian on the lattice with that many steps per sensitivity."""

    sigma: Fraction
    sensitivity: Fraction
    steps: int | None

    def __init__(self, sigma: Number, sensitivity: Number = 1, steps: int | None = None) -> None:
        object.__setattr__(self, "sigma", parameters.scale(sigma, "sigma"))
        object.__setattr__(self, "sensitivity", parameters.nonnegative(sensitivity, "sensitivity"))
        object.__setattr__(self, "steps", None if steps is None else parameters.whole(steps, "steps"))

    @property
    def squared_ratio(self) -> Fraction:
        """(Δ/σ)²."""
        return (self.sensitivity / self.sigma) ** 2

    @property
    def rho(self) -> Fraction:
        """ρ-zCDP with ρ = Δ²/2σ², [BS16] Prop 1.6; for the discrete Gaussian [CKS20] Thm 4."""
        return self.squared_ratio / 2


@dataclass(frozen=True, slots=True, init=False)
class Pure:
    """Any ε-DP mechanism, such as the exponential mechanism."""

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", parameters.epsilon(epsilon))


@dataclass(frozen=True, slots=True, init=False)
class Approx:
    """Any (ε, δ)-DP mechanism."""

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", parameters.nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", parameters.delta(delta))


@dataclass(frozen=True, slots=True, init=False)
class Concentrated:
    """Any ρ-zCDP mechanism."""

    rho: Fraction

    def __init__(self, rho: Number) -> None:
        number = parameters.nonnegative(rho, "rho")
        if number == 0:
            raise InvalidInput("A101", "rho is 0, not above 0", "Give a positive number, such as 0.005")
        object.__setattr__(self, "rho", number)


@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponse:
    """A yes or no told truthfully with probability ``keep``, and turned round otherwise."""

    keep: Fraction

    def __init__(self, keep: Number) -> None:
        number = parameters.probability(keep, "keep")
        if number in (0, 1):
            raise Unbounded(
                "A504", f"keep is {number}, so the answer is told exactly", "Give a probability such as 3/4"
            )
        object.__setattr__(self, "keep", number)

    @property
    def epsilon(self) -> Fraction:
        """ε-DP with ε = |ln(keep/(1−keep))|, the log-ratio of either answer, rounded up."""
        odds = max(self.keep, 1 - self.keep) / min(self.keep, 1 - self.keep)
        return enclose(lambda: ball(odds).log()).upper if odds != 1 else Fraction(0)


Base = Laplace | Gaussian | Pure | Approx | RandomizedResponse


@dataclass(frozen=True, slots=True, init=False)
class Poisson:
    """A mechanism run on a sample in which every unit is kept independently with probability ``rate``.

    About neighbours that differ by one unit more or fewer, and no other.
    """

    rate: Fraction
    base: Base

    def __init__(self, rate: Number, base: Base) -> None:
        number = parameters.probability(rate, "rate")
        if number == 0:
            raise InvalidInput("A105", "rate is 0, so nobody is ever sampled", "Give a probability above 0")
        if not isinstance(base, Base):
            raise InvalidInput(
                "A505",
                f"no amplification by sampling is known for a {type(base).__name__}",
                "Sample for laplace, gaussian, pure, approx or randomized_response",
            )
        object.__setattr__(self, "rate", number)
        object.__setattr__(self, "base", base)


Term = Laplace | Gaussian | Pure | Approx | Concentrated | RandomizedResponse | Poisson


def pure_epsilon(term: Term) -> Fraction | None:
    """The smallest known ε at which the term is ε-DP apart from open failures, rounded up; None if there is none."""
    match term:
        case Laplace() | Pure() | Approx() | RandomizedResponse():
            return term.epsilon
        case Poisson(rate, Laplace() | Pure() | RandomizedResponse() as base):
            return amplified(base.epsilon, rate)
    return None


def without_sampled_failures(term: Term) -> Term:
    """The term, where a sampled (ε, δ) mechanism is the (ln(1 + q(e^ε − 1)), qδ) mechanism that it is [BBG18] Thm 8."""
    match term:
        case Poisson(rate, Approx(epsilon, delta)):
            return Approx(amplified(epsilon, rate), rate * delta)
    return term


def open_failure(term: Term) -> Fraction:
    """The probability with which the term may tell everything."""
    return term.delta if isinstance(term, Approx) else Fraction(0)


def zcdp_rho(term: Term) -> Fraction | None:
    """The smallest known ρ at which the term is ρ-zCDP apart from its open failures; None if there is none."""
    match term:
        case Gaussian() | Concentrated():
            return term.rho
    epsilon = pure_epsilon(term)
    return None if epsilon is None else epsilon**2 / 2  # [BS16] Prop 1.4


def shown(term: Term) -> str:
    """The term as one would write it in an expression."""
    match term:
        case Laplace(scale, sensitivity, steps):
            return _call("laplace", scale, sensitivity, steps)
        case Gaussian(sigma, sensitivity, steps):
            return _call("gaussian", sigma, sensitivity, steps)
        case Pure(epsilon):
            return f"pure({_number(epsilon)})"
        case Approx(epsilon, delta):
            return f"approx({_number(epsilon)}, {_number(delta)})"
        case Concentrated(rho):
            return f"zcdp({_number(rho)})"
        case RandomizedResponse(keep):
            return f"randomized_response({_number(keep)})"
        case Poisson(rate, base):
            return f"poisson({_number(rate)}, {shown(base)})"


def _call(name: str, scale: Fraction, sensitivity: Fraction, steps: int | None) -> str:
    arguments = [_number(scale)]
    if sensitivity != 1:
        arguments.append(f"sensitivity={_number(sensitivity)}")
    if steps is not None:
        arguments.append(f"steps={brief(steps)}")
    return f"{name}({', '.join(arguments)})"


def _number(value: Fraction) -> str:
    text = decimal_down(value, 12)
    if Fraction(text) == value:
        return text
    return brief(value)
