"""Loops that keep accounts: what a round costs depends on what was released, and a variable adds it up.

Claim: let every way through a round raise a formula in the variable by what is paid on that way or more, and let no way
raise it above a limit. Then all that is ever paid is at most the limit less what the formula began with, on every run,
and however the ways are chosen. Prices in ε and in ρ then add up to that ([RRUV16] Thm 3.1, [FZ21] Thm 1, filters).

A way is told by the conditions of branches on released values, of which those count that speak of public numbers and
of the variable itself. A variable that is lowered from a budget is one that is raised, with its sign changed; of one
that is halved in every round, ``-e`` rises by half of ``e``. What is paid may depend on the variable: on what it holds
when that is paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lapwing.kernel.composition.exposure import settings_before, targets
from lapwing.kernel.composition.payments import Paid, reached
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters, Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import NEGATED
from lapwing.kernel.solver import Terms

#: More ways through a round than people write.
MAX_WAYS = 64


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a round so far: what holds on it, what was paid, what the variable holds by now."""

    held: ir.Expression
    given: tuple[ir.Expression, ...] = ()
    paid: tuple[Paid, ...] = ()
    #: whether the round has ended
    over: bool = False

    def paying(self, paid: Sequence[Paid]) -> Way:
        """The way after so much more was paid."""
        return replace(self, paid=(*self.paid, *paid))


@dataclass(frozen=True, slots=True)
class Account:
    """A variable, and a formula in it and public numbers that adds up what is paid, such as ``spent`` or ``-2 * e``."""

    name: str
    formula: ir.Expression
    #: what else all may know in a round, whatever it is: the variables of the loop
    others: tuple[ir.Parameter, ...] = ()

    @staticmethod
    def read(text: str, mechanism: ir.Mechanism) -> Account:
        """The account that a formula with one variable is."""
        stated = formula(text)
        arithmetic = ir.Name | ir.Number | ir.Negate | ir.Arithmetic
        names = walk.names(stated) - {each.name for each in mechanism.parameters}
        if len(names) != 1 or not all(isinstance(each, arithmetic) for each in walk.nodes(stated)):
            raise Unproved("an account is a formula in one variable and public numbers")
        return Account(min(names), stated)

    def beside(self, counters: Sequence[tuple[str, ir.Type]]) -> Account:
        """The account of a loop with these variables."""
        numbers = ((name, kind) for name, kind in counters if isinstance(kind, ir.Real | ir.Integer))
        return replace(self, others=tuple(ir.Parameter(name, kind) for name, kind in numbers))

    def spent(self, held: ir.Expression) -> ir.Expression:
        """What was spent where the variable holds this."""
        return replaced(self.formula, {ir.Name(self.name): held})

    def known(self, mechanism: ir.Mechanism) -> ir.Mechanism:
        """The mechanism in which the variables are numbers that all may know."""
        own = ir.Parameter(self.name, ir.Real())
        return replace(mechanism, parameters=(*mechanism.parameters, own, *self.others))


def paid_at(parameters: Parameters, account: Account, held: ir.Expression, paid: Paid) -> Paid:
    """What was paid when the variable held this, over what it held when the round began."""
    value, price = parameters.of(held), paid.price
    cost, delta = (_then(each, account, value) for each in (price.cost, paid.delta))
    facts = (tuple(_then(each, account, value) for each in known) for known in (price.positive, price.least))
    return replace(paid, price=Price(cost, *facts), delta=delta)


def _then(formula_of_it: Quotient, account: Account, value: Quotient) -> Quotient:
    for name in formula_of_it.names - {account.name}:
        if account.name in walk.names(formula(name)):
            raise Unproved(f"a price depends on '{account.name}' in a way that is not followed")
    return formula_of_it.at(account.name, value)


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
    if account.name in walk.names(limit):
        raise Unproved("an account is a variable that the limit does not speak of")
    before = account.spent(ir.Name(account.name))
    for way in ways:
        spent = account.spent(way.held)
        given = (*mechanism.preconditions, ir.Compare("<=", before, limit), *way.given)
        here = Parameters(terms, replace(account.known(mechanism), preconditions=given))
        if any(not each.delta.above.is_zero for each in way.paid):
            raise Unproved("only prices without a δ are added up in an account")
        for made in reached(way.paid):
            _check_round(here, account, here.of(limit), (here.of(before), here.of(spent)), made, squares=squares)


def _check_round(
    here: Parameters,
    account: Account,
    limit: Quotient,
    ends: tuple[Quotient, Quotient],
    made: Sequence[Paid],
    *,
    squares: bool,
) -> None:
    """Refuse unless a round that comes through these parts raises the account by what they cost, and not too far."""
    before, spent = ends
    raised, cost = spent - before, Quotient.of(0)
    for each in made:
        cost = cost + (each.price.cost * each.price.cost if squares else each.price.cost)
    positive = tuple(fact for each in made for fact in each.price.positive)
    least = tuple(fact for each in made for fact in each.price.least)
    parts = [each.price.cost for each in made]
    if not here.never_zero(positive, [raised.below, before.below, spent.below, *(each.below for each in parts)]):
        raise Unproved("the price of a round may divide by 0")
    if not all(here.entailed(positive, least, each) for each in parts):
        raise Unproved("the price of a step may be below 0")
    if not here.entailed(positive, least, raised - cost):
        raise Unproved(f"a round may cost more than '{account.name}' says")
    if not here.entailed(positive, least, limit - spent):
        raise Unproved(f"'{account.name}' may pass its limit")


def whole_price(
    parameters: Parameters, account: Account, limit: ir.Expression, first: ir.Expression, ways: Sequence[Way]
) -> Price:
    """What all rounds cost together; refuses an account that begins above its limit.

    Where there is one way through a round, the first round goes it, and what has to be above 0 there is.
    """
    room = parameters.of(ir.Arithmetic("-", limit, account.spent(first)))
    certain = [paid for way in ways for paid in way.paid if paid.always] if len(ways) == 1 else []
    changing = {each.name for each in account.others}  # of these, nothing that is known in a round is known of all
    begun = [each for paid in certain for each in paid.price.positive if not each.names & changing]
    positive = tuple(_then(each, account, parameters.of(first)) for each in begun)
    if not parameters.never_zero(positive, [room.below]) or not parameters.entailed(positive, (), room):
        raise Unproved(f"'{account.name}' may begin above its limit")
    return Price(room, positive, (room,))


def opening(mechanism: ir.Mechanism, loop: ir.For | ir.While, name: str) -> ir.Expression:
    """What a variable holds when a loop begins: it is set once before, by a statement of the body itself."""
    settings = settings_before(mechanism, loop, name)
    if len(settings) == 1 and isinstance(settings[0], ir.Assign):
        return settings[0].value
    raise at(loop, f"'{name}' is not set once before the loop")


def _changed(statement: ir.Statement, name: str, value: ir.Expression, held: ir.Expression) -> ir.Expression:
    """What a variable holds after it was raised or lowered."""
    match value:
        case ir.Arithmetic(symbol, ir.Name(own), by) if own == name:
            pass
        case ir.Arithmetic("+" | "*" as symbol, by, ir.Name(own)) if own == name:
            pass
        case _:
            raise at(statement, f"'{name}' is neither raised nor lowered here")
    if name in walk.names(by):
        raise at(statement, f"'{name}' is raised by something of its own")
    return ir.Arithmetic(symbol, held, by)


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
            yield test if truth else ir.Compare(NEGATED[symbol], left, right)


def check_still(block: Sequence[ir.Statement], account: Account) -> None:
    """Refuse a part that pays and keeps the account, or ends the round, at the same time."""
    if account.name in targets(block) or any(_jumps(each) for each in walk.statements(block)):
        raise at(block[0], "a part that pays keeps the account, or ends a round")


def _jumps(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Break | ir.Continue | ir.Return)
