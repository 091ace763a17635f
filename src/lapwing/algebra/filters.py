"""Privacy filters: a budget that mechanisms *and their prices* may be chosen against on the way.

The one idea: a filter refuses the charge that would pass the budget, and then the whole interaction, however
adaptive, satisfies the budget. Proof, for each of the four measures: after a charge of c from what is left, b,
the rest of the interaction satisfies b - c for every answer (by induction from the last charge), so adaptive
sequential composition gives c + (b - c) = b. What is charged depends on earlier answers only. [RRUV16] for ε and
(ε, δ); [FZ21] Thm 3.1 and [Lécuyer21] Thm 1 for Rényi, order by order, and so for zCDP.

An (ε, δ) budget goes further in zCDP or Rényi: ``Filter(zcdp_within(budget))``, ``Filter(renyi_within(budget, α))``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number, decimal_down, decimal_up, shown
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP
from lapwing.errors import BudgetExceeded, InvalidInput, NotComparable, Unbounded


@dataclass(frozen=True, slots=True, init=False)
class Filter:
    """A budget and what was spent of it, in exact numbers; frozen, so a refused charge leaves no trace.

    ``Filter(budget)`` starts with nothing spent; ``Filter(budget, spent)`` goes on where another one was.
    """

    budget: Measure
    spent: Measure

    def __init__(self, budget: Measure, spent: Measure | None = None) -> None:
        if not isinstance(budget, Measure):
            raise InvalidInput("A403", f"a budget is a {type(budget).__name__}", "Give a measure, such as PureDP(1)")
        start = _like(budget, [Fraction(0)] * len(_numbers(budget))) if spent is None else spent
        already = _price(budget, start)
        if any(part > most for part, most in zip(already, _numbers(budget), strict=True)):
            raise BudgetExceeded(
                "A401",
                f"{_shown(start, up=True)} is spent of a budget of {_shown(budget, up=False)}",
                "Give a larger budget: nothing more may be asked",
            )
        object.__setattr__(self, "budget", budget)
        object.__setattr__(self, "spent", _like(budget, already))

    def charge(self, cost: Measure) -> Filter:
        """The filter after ``cost``; raises BudgetExceeded, with nothing charged, if that would pass the budget."""
        price = _price(self.budget, cost)
        total = [spent + part for spent, part in zip(_numbers(self.spent), price, strict=True)]
        if any(part > most for part, most in zip(total, _numbers(self.budget), strict=True)):
            raise BudgetExceeded(
                "A401",
                f"the request costs {_shown(cost, up=True)}, and {_shown(self.remaining, up=False)} is left",
                "Ask for less, or stop here: nothing was charged",
            )
        return Filter(self.budget, _like(self.budget, total))

    @property
    def remaining(self) -> Measure:
        """The largest cost that would still be accepted."""
        pairs = zip(_numbers(self.budget), _numbers(self.spent), strict=True)
        return _like(self.budget, [most - spent for most, spent in pairs])


def _price(budget: Measure, cost: Measure) -> list[Fraction]:
    """The numbers of ``cost`` in the order of the budget's; refuses another measure, or a curve with gaps."""
    if type(cost) is not type(budget):
        raise NotComparable(
            "A301",
            f"a cost in {type(cost).__name__} cannot be charged to a budget in {type(budget).__name__}",
            "Convert the cost first (lapwing.algebra.conversion)",
        )
    if isinstance(budget, RenyiDP) and isinstance(cost, RenyiDP):
        curve = dict(cost.curve)
        missing = [order for order, _ in budget.curve if order not in curve]
        if missing:
            raise Unbounded(
                "A402",
                f"the cost has no bound at Rényi order {decimal_down(missing[0])}, which the budget limits",
                "Give the cost at every order of the budget",
            )
        return [curve[order] for order, _ in budget.curve]
    return _numbers(cost)


def _numbers(measure: Measure) -> list[Fraction]:
    """The numbers that add up under sequential composition."""
    match measure:
        case PureDP(epsilon):
            return [epsilon]
        case ApproxDP(epsilon, delta):
            return [epsilon, delta]
        case ZCDP(rho):
            return [rho]
        case RenyiDP(curve):
            return [bound for _, bound in curve]


def _like(budget: Measure, numbers: Sequence[Fraction]) -> Measure:
    """A measure of the budget's kind (and Rényi orders) with these numbers."""
    match budget:
        case PureDP():
            return PureDP(numbers[0])
        case ApproxDP():
            return ApproxDP(numbers[0], numbers[1])
        case ZCDP():
            return ZCDP(numbers[0])
        case RenyiDP(curve):
            points: dict[Number, Number] = {order: bound for (order, _), bound in zip(curve, numbers, strict=True)}
            return RenyiDP(points)


def _shown(measure: Measure, *, up: bool) -> str:
    """The measure in a few words, rounded so that the reader is never promised more than there is."""
    text = decimal_up if up else decimal_down
    match measure:
        case PureDP(epsilon):
            return f"epsilon {text(epsilon)}"
        case ApproxDP(epsilon, delta):
            return f"epsilon {text(epsilon)}, delta {text(delta)}"
        case ZCDP(rho):
            return f"rho {text(rho)}"
        case RenyiDP(curve):
            return "; ".join(f"{text(bound)} at order {shown(order)}" for order, bound in curve[:3])
