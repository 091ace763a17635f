"""The accounting methods, each a function from a problem to an ε and a note about it.

The one idea: ``bound`` returns an upper bound on ε or raises :class:`NotCovered` with the reason; a reader sees
in one list what is tried, and whether the number is a proof or an estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.accounting.expression import Expression
from lapwing.algebra.accounting.gaussian import gaussian_epsilon
from lapwing.algebra.accounting.lattice_gaussian import lattice_gaussian_epsilon
from lapwing.algebra.accounting.optimal import MAX_COUNT, optimal_epsilon
from lapwing.algebra.accounting.pairs import TooFine
from lapwing.algebra.accounting.pld_estimate import estimated_epsilon
from lapwing.algebra.accounting.privacy_loss import privacy_loss_epsilon
from lapwing.algebra.accounting.renyi import renyi_epsilon
from lapwing.algebra.accounting.terms import (
    Approx,
    Base,
    Concentrated,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    pure_epsilon,
    shown,
    zcdp_rho,
)
from lapwing.algebra.composition.advanced import advanced, advanced_heterogeneous
from lapwing.algebra.conversion import zcdp_at_delta
from lapwing.algebra.exact import decimal_up
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import LapwingError, MissingExtra

#: Composing bounds that differ one by one takes a list; longer ones are left to other methods.
MAX_LISTED = 10_000
#: Below it a mass would need thousands of bits.
SMALLEST_DELTA = Fraction(1, 2**1000)


class NotCovered(Exception):
    """The method says nothing about this sum; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A sum, the δ asked about, and what is left of it for everything but the open failures."""

    expression: Expression
    delta: Fraction
    remaining: Fraction

    def pure(self) -> list[tuple[int, Fraction]]:
        """(count, ε) of every term, if all are ε-DP apart from open failures."""
        pairs = []
        for count, term in self.expression.terms:
            epsilon = pure_epsilon(term)
            if epsilon is None:
                raise NotCovered(f"{shown(term)} has no ε of its own")
            pairs.append((count, epsilon))
        return pairs


Bound = tuple[Fraction, str]


@dataclass(frozen=True, slots=True)
class Method:
    """A name, whether its number is a proved upper bound, and the function that finds it."""

    name: str
    rigorous: bool
    bound: Callable[[Problem], Bound]


def basic(problem: Problem) -> Bound:
    """Σ ε, because likelihood ratios multiply [DR14] Thm 3.16."""
    return sum((count * epsilon for count, epsilon in problem.pure()), Fraction(0)), "ε adds up"


def advanced_composition(problem: Problem) -> Bound:
    """[DRV10] for equal ε, [KOV15] Thm 3.5 for different ones; the slack is all of δ that is left."""
    _needs_delta(problem)
    pairs = problem.pure()
    if len({epsilon for _, epsilon in pairs}) == 1:
        bound = advanced(ApproxDP(pairs[0][1], 0), sum(count for count, _ in pairs), problem.remaining)
    elif sum(count for count, _ in pairs) <= MAX_LISTED:
        each = [ApproxDP(epsilon, 0) for count, epsilon in pairs for _ in range(count)]
        bound = advanced_heterogeneous(each, problem.remaining)
    else:
        raise NotCovered(f"more than {MAX_LISTED} terms whose ε differ")
    if bound.epsilon >= basic(problem)[0]:
        raise NotCovered("no better than basic composition here")
    return bound.epsilon, "ε grows like the square root of the count"


def optimal(problem: Problem) -> Bound:
    """[KOV15] Thm 3.3: exact for the worst mechanisms with these ε."""
    pairs = problem.pure()
    total = sum(count for count, _ in pairs)
    if len({epsilon for _, epsilon in pairs}) != 1:
        raise NotCovered("the terms' ε differ")
    if total > MAX_COUNT:
        raise NotCovered(f"more than {MAX_COUNT} terms")
    return optimal_epsilon(PureDP(pairs[0][1]), total, problem.remaining), "exact for the worst mechanism with this ε"


def analytic_gaussian(problem: Problem) -> Bound:
    """[BW18] Thm 8: exact, because Gaussian answers compose to one Gaussian answer."""
    _needs_delta(problem)
    total = Fraction(0)
    for count, term in problem.expression.terms:
        if not isinstance(term, Gaussian):
            raise NotCovered(f"{shown(term)} is not Gaussian")
        if term.steps is not None:
            raise NotCovered("the formula is about real-valued noise, not noise on a lattice")
        total += count * term.squared_ratio
    return gaussian_epsilon(total, problem.remaining), "exact, real-valued noise"


def lattice_gaussian(problem: Problem) -> Bound:
    """[CKS20] Thm 7: exact for one discrete Gaussian answer."""
    _needs_delta(problem)
    match problem.expression.terms:
        case ((1, Gaussian(steps=int(steps)) as term),) if term.sensitivity > 0:
            variance = steps**2 / term.squared_ratio
            return lattice_gaussian_epsilon(variance, steps, problem.remaining), "exact, noise on the lattice"
    raise NotCovered("the formula is about one discrete Gaussian answer")


def concentrated(problem: Problem) -> Bound:
    """Σ ρ [BS16] Lemma 2.3, then the tight conversion [CKS20] Cor 13."""
    _needs_delta(problem)
    total = Fraction(0)
    for count, term in problem.expression.terms:
        rho = zcdp_rho(term)
        if rho is None:
            raise NotCovered(f"{shown(term)} has no ρ of its own")
        total += count * rho
    return zcdp_at_delta(ZCDP(total), problem.remaining).epsilon, f"ρ = {decimal_up(total)}"


def renyi(problem: Problem) -> Bound:
    """Curves add [Mironov17] Prop 1, then the best order [CKS20] Prop 12."""
    _needs_delta(problem)
    epsilon, order = renyi_epsilon(problem.expression.terms, problem.remaining)
    return epsilon, f"order {decimal_up(order, 4)}"


def privacy_loss(problem: Problem) -> Bound:
    """The privacy-loss distribution in integers, rounded up at every step (see ``loss``)."""
    _needs_delta(problem)
    if problem.remaining < SMALLEST_DELTA:
        raise NotCovered("delta is too small for a grid")
    terms: list[tuple[int, Base | Poisson]] = []
    for count, term in problem.expression.terms:
        match term:
            case Concentrated():
                raise NotCovered(f"{shown(term)} has no loss distribution of its own")
            case Approx(epsilon):
                if epsilon > 0:
                    terms.append((count, Pure(epsilon)))  # its open failures are paid for already
            case _:
                terms.append((count, term))
    try:
        epsilon = privacy_loss_epsilon(terms, problem.remaining) if terms else Fraction(0)
    except TooFine as reason:
        raise NotCovered(str(reason)) from None
    except LapwingError:
        raise
    except (ArithmeticError, ValueError):  # floats place the grid, and such numbers leave their range
        raise NotCovered("the numbers are too extreme for a grid") from None
    return epsilon, _which_noise(problem)


def estimate(problem: Problem) -> Bound:
    """dp-accounting's numerical PLD: an estimate."""
    _needs_delta(problem)
    try:
        value = estimated_epsilon(problem.expression.terms, problem.delta)
    except MissingExtra as error:
        raise NotCovered(error.problem) from None
    if value is None:
        raise NotCovered("dp-accounting has no distribution for this sum, or one too large to estimate")
    return value, "floating point: may lie below the truth"


def _which_noise(problem: Problem) -> str:
    """Whether noise is taken to be real-valued or on its lattice, or neither matters."""
    noises = [term.base if isinstance(term, Poisson) else term for _, term in problem.expression.terms]
    lattices = {noise.steps is not None for noise in noises if isinstance(noise, Laplace | Gaussian)}
    return {(False,): "real-valued noise", (True,): "noise on the lattice", (): "any such mechanisms"}.get(
        tuple(sorted(lattices)), "noise as written, real-valued or on a lattice"
    )


def _needs_delta(problem: Problem) -> None:
    if problem.remaining == 0:
        raise NotCovered("needs a delta above 0")


METHODS: tuple[Method, ...] = (
    Method("basic", True, basic),
    Method("advanced", True, advanced_composition),
    Method("optimal", True, optimal),
    Method("zCDP", True, concentrated),
    Method("Rényi", True, renyi),
    Method("analytic Gaussian", True, analytic_gaussian),
    Method("lattice Gaussian", True, lattice_gaussian),
    Method("privacy loss", True, privacy_loss),
    Method("PLD (dp-accounting)", False, estimate),
)

#: Those whose numbers are proofs.
RIGOROUS: tuple[Method, ...] = tuple(method for method in METHODS if method.rigorous)
