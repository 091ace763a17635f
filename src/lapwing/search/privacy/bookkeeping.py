"""Variables in which a loop adds up what it pays, and what they may reach: read off the loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from lapwing.kernel.formulas.reading import printed
from lapwing.kernel.prices.polynomials import Quotient, unknown
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.search.privacy.quotient_text import written


def kept_accounts(loop: ir.For | ir.While, known: frozenset[str], whole: frozenset[str]) -> Iterator[str]:
    """The variables that a loop raises, lowers, or multiplies; of ``whole`` ones, none that counts its rounds.

    What such a counter is below says how many rounds there are; of an account it says so only to within one more.
    """
    changed = (each for each in walk.statements(loop.body) if isinstance(each, ir.Assign))
    names = dict.fromkeys(each.target for each in changed if each.target in known and change(each) is not None)
    yield from (name for name in names if name not in whole or not _counts_rounds(loop, name))


def _counts_rounds(loop: ir.For | ir.While, name: str) -> bool:
    """Whether every round of a ``while`` raises a variable by 1, and its test asks how far it is."""
    if not isinstance(loop, ir.While):
        return False
    steps = [change(each) for each in loop.body if isinstance(each, ir.Assign) and each.target == name]
    tests = [each for each in walk.nodes(loop.condition) if isinstance(each, ir.Compare)]
    return steps == [("+", ir.ONE)] and any(ir.Name(name) in (each.left, each.right) for each in tests)


def stated_accounts(loop: ir.For | ir.While, name: str, ways: Sequence[Quotient]) -> Iterator[tuple[str, str]]:
    """``spent``, ``-left`` or ``-2 * e`` with limits that it may keep to; ``ways`` are the prices of a round."""
    found = [change(each) for each in walk.statements(loop.body) if isinstance(each, ir.Assign) and each.target == name]
    changes = [each for each in found if each is not None]
    symbols = {symbol for symbol, _ in changes}
    if len(changes) < len(found):
        return
    if symbols <= {"*", "/"}:
        for by in {number for number in map(_factor, changes) if number is not None}:
            for way in ways:
                if not way.above.is_zero:
                    yield from ((account, "0") for account in _shrinking(name, way, by))
    elif len(symbols) == 1:
        rising = symbols == {"+"}
        limits = list(dict.fromkeys(map(show, _limits(loop, name, [by for _, by in changes], rising))))
        sign = "" if rising else "-"
        for rate in _coins([by for _, by in changes], ways):
            if rate == "1":
                yield from ((f"{sign}{name}", each) for each in limits)
                continue
            account = printed(f"{sign}({rate}) * {name}")
            yield from ((account, printed(f"({rate}) * ({each})")) for each in limits)


def _coins(steps: Sequence[ir.Expression], ways: Sequence[Quotient]) -> Iterator[str]:
    """What a variable counts in: the price itself, or, if every step is so many coins, what one of them is worth.

    The smallest comes first: a variable that goes up by 1 where 1/2 is paid is an account of both.
    """
    counts = [each.value for each in steps if isinstance(each, ir.Number) and each.value > 0]
    dearest = [Quotient.of(1)]
    if counts and len(counts) == len(steps):
        dearest += [way * Quotient.of(1 / count) for way in ways for count in counts if not way.above.is_zero]
    yield from dict.fromkeys(map(written, sorted(dearest, key=_size)))


def _size(rate: Quotient) -> tuple[bool, Fraction]:
    """Numbers in order, then formulas."""
    return (False, rate.number) if rate.number else (True, Fraction(0))


def change(statement: ir.Assign) -> tuple[str, ir.Expression] | None:
    """How a variable is raised, lowered or multiplied, and by what."""
    match statement.value:
        case ir.Arithmetic(symbol, ir.Name(own), by) if own == statement.target:
            return symbol, by
        case ir.Arithmetic("+" | "*" as symbol, by, ir.Name(own)) if own == statement.target:
            return symbol, by
    return None


def _factor(change: tuple[str, ir.Expression]) -> Fraction | None:
    """The number that a variable is multiplied by."""
    match change:
        case "*", ir.Number(value) if value > 0:
            return value
        case "/", ir.Number(value) if value > 0:
            return 1 / value
    return None


def _shrinking(name: str, way: Quotient, by: Fraction) -> Iterator[str]:
    """What is still to be paid, with its sign changed, where each round costs less than the one before: C / (1 - r)."""
    share = (way.at(name, Quotient.of(by) * unknown(name)) / way).number
    if share and share < 1:
        yield f"-({written(way * Quotient.of(1 / (1 - share)))})"


def _limits(loop: ir.For | ir.While, name: str, steps: list[ir.Expression], rising: bool) -> Iterator[ir.Expression]:
    """What the variable is compared with; where a step may go beyond that, so much more."""
    ends: list[ir.Expression] = [] if rising else [ir.ZERO]
    tests = [loop.condition] if isinstance(loop, ir.While) else []
    tests += [each.condition for each in walk.statements(loop.body) if isinstance(each, ir.If)]
    for test in (part for each in tests for part in walk.nodes(each)):
        if isinstance(test, ir.Compare):
            for side, other in ((test.left, test.right), (test.right, test.left)):
                if name in walk.names(side) and name not in walk.names(other):
                    ends.append(other if rising else ir.Negate(other))
    for end in dict.fromkeys(ends):
        yield end
    for end in dict.fromkeys(ends):
        for step in dict.fromkeys(steps):
            yield step if end == ir.ZERO else ir.Arithmetic("+", end, step)
