"""Likely facts at the head of a loop: counters, running totals, margins times counters, and the condition itself.

The one idea: what loops of noisy mechanisms keep true is of few kinds: a variable equals a running total plus the noise
so far; two variables differ by so many margins; the condition holds of what was built so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, permutations

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import NEGATED
from lapwing.kernel.symbolic.formulas_of_runs import word
from lapwing.kernel.symbolic.meanings import Built, Scope
from lapwing.kernel.symbolic.terms import minus, number, plus, times
from lapwing.kernel.symbolic.world import Elements

#: More variables than this would make too many pairs.
_MANY = 5


def counting(mechanism: ir.Mechanism, loop: int, scope: Scope, sites: set[int]) -> Iterator[ir.Expression]:
    """Facts about counters that may hold at the head of ``loop``; of the draws of ``sites`` something is assumed."""
    found = _Names(mechanism, loop, scope, sites)
    facts = [*_counting(found), *_blocks(found)]
    yield from facts
    for premise in _premises(mechanism, found):
        equal = (fact for fact in facts if isinstance(fact, ir.Compare) and fact.operator == "==")
        yield from (ir.Or((premise, fact)) for fact in equal)


def valuing(
    mechanism: ir.Mechanism,
    loop: int,
    scope: Scope,
    conditions: Iterable[ir.Expression],
    sites: set[int],
    *,
    products: bool,
) -> Iterator[ir.Expression]:
    """Facts about values that may hold at the head of ``loop``; ``conditions`` are tried as they are.

    Something is assumed of the draws of ``sites``; with ``products``, their margins are multiplied with counters.
    """
    found = _Names(mechanism, loop, scope, sites)
    yield from _values(found, products=products)
    begun = ir.Compare("==", found.round, number(0))
    for condition in conditions:
        yield condition
        if isinstance(mechanism.returns, ir.List | ir.Tuple):
            continue  # a list says itself which positions it has reached
        yield ir.Or((begun, condition))
        for n, _ in enumerate(scope.ghosts, 1):
            yield ir.Or((ir.Compare("<=", found.round, word("ghost", n)), condition))


class _Names:
    """What the facts speak of."""

    def __init__(self, mechanism: ir.Mechanism, loop: int, scope: Scope, sites: set[int]) -> None:
        parameters = {each.name for each in mechanism.parameters}
        own = {name: entry for name, entry in scope.variables.items() if name not in parameters}
        types = {each.name: each.type for each in mechanism.variables}
        self.round = word("round", loop)
        self.whole = [ir.Name(name) for name in own if types.get(name) == ir.Integer()]
        self.real = [ir.Name(name) for name in own if types.get(name) == ir.Real()][:_MANY]
        self.built = [ir.Builtin("len", (ir.Name(name),)) for name, entry in own.items() if isinstance(entry, Built)]
        self.drawn = {site: word("draws", site) for site in sites if f"draws({site})" in scope.words}
        self.margins = {site: word("gamma", site) for site in sites if f"gamma({site})" in scope.words}
        self.noise = [word("noise", site) for site in self.margins if f"noise({site})" in scope.words]
        self.lists = [
            each.name
            for each in mechanism.parameters
            if isinstance(scope.variables.get(each.name), Elements)
            and isinstance(each.type, ir.List)
            and each.type.element != ir.Boolean()
        ]
        self.scalars = [ir.Name(p.name) for p in mechanism.parameters if p.type == ir.Real()]
        self.parts = [ir.Name(p.name) for p in mechanism.parameters if p.type == ir.Integer() and not p.private]
        self.sizes: list[ir.Expression] = [
            ir.Builtin("len", (ir.Name(each.name),)) for each in mechanism.parameters if isinstance(each.type, ir.List)
        ]
        self.ghosts = [word("ghost", n) for n, _ in enumerate(scope.ghosts, 1)]

    @property
    def counters(self) -> list[ir.Expression]:
        """Everything that counts."""
        return [self.round, *self.whole, *self.built, *self.drawn.values()]


def _counting(found: _Names) -> Iterator[ir.Expression]:
    for counter in (*found.whole, *found.built, *found.drawn.values()):
        yield ir.Compare(">=", counter, number(0))
        for size in (*found.sizes, *found.parts):
            yield ir.Compare("<=", counter, size)
            yield ir.Compare("<", counter, size)
            yield ir.Compare("<=", plus(counter, number(1)), size)
    for one, two in permutations(found.counters, 2):
        yield ir.Compare("<=", one, two)
        yield ir.Compare("<", one, two)
    for one, two in combinations(found.counters, 2):
        yield ir.Compare("==", one, two)
    for counter in found.whole:
        yield ir.Or((ir.Compare("==", found.round, number(0)), ir.Compare("<", counter, found.round)))


def _blocks(found: _Names) -> Iterator[ir.Expression]:
    """One draw for every so many rounds."""
    for part in found.parts:
        for drawn in found.drawn.values():
            for counter in found.whole:
                yield ir.Compare("==", plus(times(part, drawn), counter), found.round)


def _premises(mechanism: ir.Mechanism, found: _Names) -> Iterator[ir.Expression]:
    """Tests of counters, negated: ``p implies q`` is written ``not p or q``."""
    counters = {each.name for each in found.whole}
    public = {each.name for each in mechanism.parameters if not each.private}
    for statement in walk.statements(mechanism.body):
        match statement:
            case ir.If(ir.Compare(symbol, left, right) as test) if (
                walk.names(test) & counters and walk.names(test) <= counters | public
            ):
                yield ir.Compare(NEGATED[symbol], left, right)


def _totals(found: _Names) -> Iterator[ir.Expression]:
    for name in found.lists:
        for counter in (found.round, *found.whole):
            yield ir.Builtin("sum", (ir.Slice(ir.Name(name), None, counter),))


def _values(found: _Names, *, products: bool) -> Iterator[ir.Expression]:
    for name in found.real:  # before the first round
        yield ir.Or((ir.Compare(">", found.round, number(0)), ir.Compare("==", name, number(0))))
    totals = list(_totals(found))
    exact = [number(0), *found.scalars, *totals]
    left = [*found.real, *(plus(a, b) for a, b in combinations(found.real, 2))]
    right = [*exact, *found.real]
    for value in left:
        for reference in right:
            if value != reference:
                yield ir.Compare("==", value, reference)
                yield from (ir.Compare("==", value, plus(reference, noise)) for noise in found.noise)
    for site, margin in found.margins.items():
        several = [number(1), *found.counters] if products and site in found.drawn else [number(1)]
        for value in found.real:
            others = [each for each in found.real if each != value]
            references = [*exact, *others, *(plus(a, b) for a, b in combinations(others, 2))]
            for reference in references:
                size = ir.Builtin("abs", (minus(value, reference),))
                yield from (ir.Compare("<=", size, times(count, margin)) for count in several)
            yield from _elements(found, value, margin)
    for one, two in combinations(found.margins.values(), 2):
        for value in found.real:
            sizes = (ir.Builtin("abs", (minus(value, reference),)) for reference in found.scalars)
            yield from (ir.Compare("<=", size, plus(one, two)) for size in sizes)


def _elements(found: _Names, value: ir.Expression, margin: ir.Expression) -> Iterator[ir.Expression]:
    """A variable beside the elements passed so far, or beside the one that a position points to."""
    begun = ir.Compare("==", found.round, number(0))
    for name in found.lists:
        largest, smallest = (ir.Builtin(extreme, (ir.Name(name),)) for extreme in ("max", "min"))
        yield ir.Or((begun, ir.Compare("<=", value, plus(largest, margin))))
        yield ir.Or((begun, ir.Compare(">=", value, minus(smallest, margin))))
        for ghost in found.ghosts:
            element = ir.Index(ir.Name(name), ghost, ir.Real())
            ahead = ir.Compare("<=", found.round, ghost)
            yield ir.Or((ahead, ir.Compare(">=", value, minus(element, margin))))
            yield ir.Or((ahead, ir.Compare(">=", value, element)))
            yield ir.Or((ahead, ir.Compare("<=", value, plus(element, margin))))
            yield ir.Or((ahead, ir.Compare("<=", value, element)))
        for place in found.whole:
            element = ir.Index(ir.Name(name), place, ir.Real())
            size = ir.Builtin("abs", (minus(value, element),))
            yield ir.Or((begun, ir.Compare("<=", size, margin)))
            yield ir.Or((begun, ir.Compare("==", value, element)))


#: How many margins of each site a condition may need.
Need = Mapping[int, ir.Expression]


def needs(mechanism: ir.Mechanism, sites: set[int], repeated: set[int]) -> list[Need]:
    """Margins that a condition may need: one or two of each site's, or of ``repeated`` ones as many as are added up."""
    lists = [ir.Builtin("len", (ir.Name(p.name),)) for p in mechanism.parameters if isinstance(p.type, ir.List)]
    parts = [ir.Name(p.name) for p in mechanism.parameters if p.type == ir.Integer() and not p.private]
    many = [*lists, *parts, *(ir.Arithmetic("/", size, part) for size in lists for part in parts)]
    found: list[dict[int, ir.Expression]] = [{}]
    for site in sorted(sites):
        counts = [number(1), number(2), *(many if site in repeated else ())]
        found = [*found, *({**each, site: count} for each in found for count in counts)]
    return list(found[1:])


def needed_margin(need: Need) -> ir.Expression:
    """The margins together: ``gamma(1) + 2 * gamma(2)``."""
    total = number(0)
    for site, count in need.items():
        total = plus(total, times(count, word("gamma", site)))
    return total
