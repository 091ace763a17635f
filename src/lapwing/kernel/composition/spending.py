"""Loops that keep accounts: what a round costs depends on what was released, and a variable adds it up.

Claim: let every way through a round raise the variable by what is paid on that way or more, and let no way raise it
above a limit. Then all that is ever paid is at most the limit less what the variable began with, on every run, and
however the ways are chosen. Prices in ε and in ρ then add up to that ([RRUV16] Thm 3.1 and [FZ21] Thm 1, filters).

A way is told by the conditions of branches on released values, of which those count that speak of public numbers and
of the variable itself. A variable that is lowered from a budget is one that is raised, with its sign changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from lapwing.kernel.composition.exposure import settings_before, targets
from lapwing.kernel.composition.payments import Paid
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters, Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
#: More ways through a round than people write.
MAX_WAYS = 64
#: What the variable held when the round began. No variable can have this name, so none is computed from it: what is
#: computed from the variable itself may be from before or after a payment, and is no formula.
BEGUN = ir.Name("%begun")


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a round so far: what holds on it, what was paid, what the variable holds by now."""

    held: ir.Expression = BEGUN
    given: tuple[ir.Expression, ...] = ()
    paid: tuple[Paid, ...] = ()
    #: whether the round has ended
    over: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """A variable that adds up what is paid; ``sign`` is -1 of one that counts down."""

    name: str
    sign: int

    @staticmethod
    def read(text: str) -> Account:
        """``spent``, or ``-left``."""
        match formula(text):
            case ir.Name(name):
                return Account(name, 1)
            case ir.Negate(ir.Name(name)):
                return Account(name, -1)
        raise Unproved("an account is a variable, or the opposite of one")

    def spent(self, held: ir.Expression) -> ir.Expression:
        """What was spent where the variable holds this."""
        return held if self.sign > 0 else ir.Negate(held)


def booked(account: Account, block: Sequence[ir.Statement], way: Way) -> Way:
    """The way through statements that pay nothing; refuses one that sets the variable in a way of its own."""
    for statement in block:
        inside = account.name in targets((statement,))
        match statement:
            case ir.Assign(name, value) if name == account.name:
                way = replace(way, held=_changed(statement, name, value, way.held))
            case ir.Break() | ir.Continue() | ir.Return():
                return replace(way, over=True)
            case _ if inside or any(_jumps(each) for each in walk.statements((statement,))):
                raise at(statement, "the account is kept, or a round ends, where that is not followed")
    return way


def branched(way: Way, statement: ir.If, account: Account) -> tuple[Way, Way]:
    """The ways on both sides of a branch."""
    test = replaced(statement.condition, {ir.Name(account.name): way.held})
    yes, no = (tuple(_facts(test, truth)) for truth in (True, False))
    return replace(way, given=(*way.given, *yes)), replace(way, given=(*way.given, *no))


def check_ways(
    terms: Terms, mechanism: ir.Mechanism, account: Account, limit: ir.Expression, ways: Sequence[Way], *, squares: bool
) -> None:
    """Refuse unless every way raises what is spent by what it pays (its ``squares``), and never above the limit."""
    if len(ways) > MAX_WAYS:
        raise Unproved(f"there are more than {MAX_WAYS} ways through a round")
    if mechanism.parameter(account.name) is not None or account.name in walk.names(limit):
        raise Unproved("an account is a variable that the limit does not speak of")
    before = account.spent(BEGUN)
    for way in ways:
        spent = account.spent(way.held)
        known = ir.Parameter(BEGUN.name, ir.Real())
        given = (*mechanism.preconditions, ir.Compare("<=", before, limit), *way.given)
        here = Parameters(terms, replace(mechanism, parameters=(*mechanism.parameters, known), preconditions=given))
        if any(not each.delta.above.is_zero for each in way.paid):
            raise Unproved("only prices without a δ are added up in an account")
        raised, room = here.of(spent) - here.of(before), here.of(limit) - here.of(spent)
        for prices in product(*(each.ways for each in way.paid)):
            _check_paid(here, account, [each for each in prices if each is not None], raised, room, squares=squares)


def _check_paid(
    here: Parameters, account: Account, prices: Sequence[Price], raised: Quotient, room: Quotient, *, squares: bool
) -> None:
    """Refuse unless the account is raised by these prices or more, and not above its limit.

    What is known of a price is known where it is paid: a loop that does not turn says nothing, and may not be refunded.
    """
    positive = tuple(fact for each in prices for fact in each.positive)
    least = tuple(fact for each in prices for fact in each.least)
    if not here.never_zero(positive, [raised.below, *(each.cost.below for each in prices)]):
        raise Unproved("the price of a round may divide by 0")
    if not all(here.entailed(positive, least, each.cost) for each in prices):
        raise Unproved("the price of a step may be below 0")
    cost = sum((each.cost * each.cost if squares else each.cost for each in prices), Quotient.of(0))
    if not here.entailed(positive, least, raised - cost):
        raise Unproved(f"a round may cost more than '{account.name}' says")
    if not here.entailed(positive, least, room):
        raise Unproved(f"'{account.name}' may pass its limit")


def whole_price(parameters: Parameters, account: Account, limit: ir.Expression, first: ir.Expression) -> Price:
    """What all rounds cost together; refuses an account that begins above its limit."""
    room = parameters.of(ir.Arithmetic("-", limit, account.spent(first)))
    if not parameters.never_zero((), [room.below]) or not parameters.entailed((), (), room):
        raise Unproved(f"'{account.name}' may begin above its limit")
    return Price(room, (), (room,))


def opening(mechanism: ir.Mechanism, loop: ir.For | ir.While, name: str) -> ir.Expression:
    """What a variable holds when a loop begins: it is set once before, by a statement of the body itself."""
    settings = settings_before(mechanism, loop, name)
    if len(settings) == 1 and isinstance(settings[0], ir.Assign):
        return settings[0].value
    raise at(loop, f"'{name}' is not set once before the loop")


def _changed(statement: ir.Statement, name: str, value: ir.Expression, held: ir.Expression) -> ir.Expression:
    """What a variable holds after it was raised or lowered."""
    match value:
        case ir.Arithmetic("+", ir.Name(own), by) if own == name:
            symbol = "+"
        case ir.Arithmetic("+", by, ir.Name(own)) if own == name:
            symbol = "+"
        case ir.Arithmetic("-", ir.Name(own), by) if own == name:
            symbol = "-"
        case _:
            raise at(statement, f"'{name}' is neither raised nor lowered here")
    if name in walk.names(by):
        raise at(statement, f"'{name}' is raised by something of its own")
    return ir.Arithmetic("+" if symbol == "+" else "-", held, by)


def _facts(test: ir.Expression, truth: bool) -> Iterator[ir.Expression]:
    """What is known where a test holds, or does not."""
    match test:
        case ir.Not(operand):
            yield from _facts(operand, not truth)
        case ir.And(operands) if truth:
            for each in operands:
                yield from _facts(each, truth)
        case ir.Or(operands) if not truth:
            for each in operands:
                yield from _facts(each, truth)
        case ir.Compare("<" | "<=" | ">" | ">=" as symbol, left, right):
            yield test if truth else ir.Compare(_NEGATED[symbol], left, right)  # type: ignore[arg-type]  # one of four


def check_still(block: Sequence[ir.Statement], account: Account) -> None:
    """Refuse a part that pays and keeps the account, or ends the round, at the same time."""
    if account.name in targets(block) or any(_jumps(each) for each in walk.statements(block)):
        raise at(block[0], "a part that pays keeps the account, or ends a round")


def _jumps(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Break | ir.Continue | ir.Return)
