"""How far off each column of a question will be, at a price: one aggregate, or several that one answer is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput
from lapwing.query.expressions import Expression
from lapwing.query.plan import Query
from lapwing.session.compounding import Compound, aggregates, known_expectations
from lapwing.session.expecting import Expected, expectations
from lapwing.session.made_up_groups import at_worst
from lapwing.session.quoting import Asked, check_known, is_ranked, noisy_outputs

Pricing = Callable[[PureDP | ZCDP], Compound]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A question that can be priced, and what is taken for granted of its groups, aggregate by aggregate."""

    query: Query
    priced: Pricing
    asked: tuple[Asked, ...]

    @property
    def stated(self) -> dict[str, Fraction]:
        """What was said to be expected."""
        return {name: value for each in self.asked for name, value in each.expected.stated.items()}

    @property
    def columns(self) -> dict[str, tuple[int, str, Expression]]:
        """The columns with noise: of which aggregate each is, its name there, and what it is computed by."""
        found: dict[str, tuple[int, str, Expression]] = {}
        for at, part in enumerate(aggregates(self.query)):
            for name, output in noisy_outputs(part):
                found[name if name not in found else f"{name} ({at + 1})"] = (at, name, output)
        return found

    @property
    def ranked(self) -> tuple[str, ...]:
        """Those that are made of quantiles alone."""
        parts = aggregates(self.query)
        return tuple(name for name, (at, _, output) in self.columns.items() if is_ranked(output, parts[at]))

    def at_worst(self, plan: Compound) -> tuple[str, ...]:
        """Those whose ± depends on values of which nothing is expected."""
        found = self.columns.items()
        return tuple(n for n, (at, _, output) in found if at_worst(plan.parts[at], output, self._expected(at)))

    def margins(self, plan: Compound, names: Collection[str] | None = None) -> dict[str, tuple[float, float]]:
        """For each column its margin (infinite where none is known), and its value at that margin."""
        found = {}
        for name, (at, own, _) in self.columns.items():
            if names is None or name in names:
                found[name] = self.asked[at].margins(plan.parts[at], (own,))[own]
        return found

    def check_known(self, names: Collection[str]) -> None:
        """Refuses parts of answers of which nobody says how large they are."""
        for at, part in enumerate(aggregates(self.query)):
            wanted = [own for name, (place, own, _) in self.columns.items() if place == at and name in names]
            check_known(self._expected(at), part, wanted)

    def _expected(self, at: int) -> Expected:
        return self.asked[at].expected


def estimate(query: Query, priced: Pricing, rows: int, confidence: Fraction, expect: Mapping[str, Number]) -> Foreseen:
    """The question with what is expected of it; refuses expectations that nothing can be made of."""
    parts = aggregates(query)
    if len(parts) == 1:
        known = [expectations(query, expect, rows)]
    else:
        given = [known_expectations(each, expect, rows) for each in parts]
        useless = next((name for name in expect if not any(name in each for each in given)), None)
        if useless is not None:
            raise InvalidInput("S143", f"nothing can be expected of {useless!r} in this query", "Leave it out")
        known = [expectations(part, each, rows) for part, each in zip(parts, given, strict=True)]

    def of(at: int, expected: Expected) -> Asked:
        return Asked(lambda price: priced(price).parts[at], rows, confidence, expected)

    return Foreseen(query, priced, tuple(of(at, expected) for at, expected in enumerate(known)))
