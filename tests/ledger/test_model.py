"""The ledger against a naive model: a list of charges, and the definitions applied to it from the beginning."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import BudgetExceeded, NotComparable
from lapwing.ledger import Part
from lapwing.ledger.allowance import allowance
from lapwing.ledger.orders import divergence
from tests.ledger.making import ask, fresh_ledger

INFINITE = 10**9


def columns(price, orders):
    """(ε, ρ, δ) of a price and its divergences, with a very large number for no ε at all."""
    if isinstance(price, ZCDP):
        return (INFINITE if price.rho else 0, price.rho, 0, *(each.alpha * price.rho for each in orders))
    delta = price.delta if isinstance(price, ApproxDP) else 0
    return (price.epsilon, price.epsilon**2 / 2, delta, *(divergence(price.epsilon, each.alpha) for each in orders))


def added(rows, size):
    return tuple(sum(column, Fraction(0)) for column in zip((0,) * size, *rows, strict=True))


def cost(charges, moving, size, depth=0):
    """The cost of a session: its own charges, and for each split f times the largest part, in each column."""
    total = [price for path, price in charges if len(path) == depth]
    splits = {(step.table, step.column, step.multiplicity) for path, _ in charges for step in path[depth : depth + 1]}
    for split in splits:
        parts = {}
        for path, price in charges:
            if len(path) > depth and (path[depth].table, path[depth].column, path[depth].multiplicity) == split:
                parts.setdefault(path[depth].key, []).append((path, price))
        costs = [cost(inside, moving, size, depth + 1) for inside in parts.values()]
        factor = min(split[2], len(parts)) * (2 if moving and depth == 0 else 1)
        total.append(tuple(factor * max(column) for column in zip(*costs, strict=True)))
    return added(total, size)


def admitted(budget, total):
    epsilon, delta = budget
    if delta == 0:
        return total[0] <= epsilon and total[2] == 0 and total[0] < INFINITE
    within = any(spent <= each.limit for spent, each in zip(total[3:], ORDERS[budget], strict=True))
    return total[2] <= delta / 2 and (total[0] <= epsilon or within)


BUDGETS = [(Fraction(3), Fraction(0)), (Fraction(2), Fraction(1, 10**5)), (Fraction(1), Fraction(1, 10**6))]
ORDERS = {budget: allowance(*budget).orders for budget in BUDGETS}
epsilons = st.sampled_from(["1/3", "0.1", "0.01", "0.7", "0"])
prices = st.one_of(
    st.builds(PureDP, epsilons),
    st.builds(ApproxDP, epsilons, st.sampled_from([0, "1e-7", "2e-6"])),
    st.builds(ZCDP, st.sampled_from(["0.001", "0.01", "0"])),
)
outer = st.builds(Part, st.just("people"), st.just("sex"), st.sampled_from("FMX"))
several = st.builds(Part, st.just("people"), st.just("shop"), st.integers(1, 4), st.just(3))
inner = st.builds(Part, st.just("people"), st.just("member"), st.booleans(), st.just(1), st.one_of(outer, several))
parts = st.one_of(st.none(), outer, several, inner)
analysts = st.sampled_from(["ann", "bob"])


class Accounts(RuleBasedStateMachine):
    @initialize(
        table=st.sampled_from(BUDGETS),
        ann=st.sampled_from(BUDGETS),
        bob=st.sampled_from(BUDGETS),
        neighbours=st.sampled_from(list(Neighbours)),
    )
    def start(self, table, ann, bob, neighbours):
        self.budgets = {"": table, "ann": ann, "bob": bob}
        self.opened = fresh_ledger(*table, [("ann", *ann), ("bob", *bob)], neighbours)
        self.ledger = self.opened.__enter__()
        self.moving = neighbours is Neighbours.REPLACED
        self.charges = []

    def total(self, account, *more):
        orders = ORDERS[self.budgets[account]]
        mine = [each for each in (*self.charges, *more) if account in ("", each[0])]
        return cost([(path, columns(price, orders)) for _, path, price in mine], self.moving, 3 + len(orders))

    def affordable(self, analyst, part, price):
        more = (analyst, part.path() if part else (), price)
        return all(admitted(self.budgets[account], self.total(account, more)) for account in ("", analyst))

    @rule(analyst=analysts, price=prices, part=parts)
    def charge(self, analyst, price, part):
        before = self.ledger.head()
        if self.affordable(analyst, part, price):
            receipt = ask(self.ledger, price, analyst, partition=part)
            assert receipt.remaining == self.ledger.remaining(analyst, part)
            self.charges.append((analyst, part.path() if part else (), price))
        else:
            try:
                ask(self.ledger, price, analyst, partition=part)
            except (BudgetExceeded, NotComparable):
                assert self.ledger.head() == before
            else:
                raise AssertionError("charged what the model refuses")

    @precondition(lambda self: self.charges)
    @rule(analyst=analysts, part=parts)
    def what_is_left_is_what_is_accepted(self, analyst, part):
        left = self.ledger.remaining(analyst, part)
        crumb = Fraction(1, 10**9)
        if left.epsilon:
            assert self.affordable(analyst, part, PureDP(left.epsilon))
        assert not self.affordable(analyst, part, PureDP(left.epsilon + crumb))
        if left.rho:
            assert self.affordable(analyst, part, ZCDP(left.rho))
        assert not self.affordable(analyst, part, ZCDP(left.rho + crumb))

    @invariant()
    def totals_agree(self):
        for account in self.ledger.accounts():
            epsilon, rho, delta, *_ = self.total(account.analyst or "")
            assert (account.spent.rho, account.spent.delta) == (rho, delta)
            assert account.spent.epsilon == (epsilon if epsilon < INFINITE else None)

    def teardown(self):
        if hasattr(self, "opened"):
            assert self.ledger.verify().intact
            assert len(self.ledger.entries()) == len(self.charges) + 1
            self.opened.__exit__(None, None, None)


TestAccounts = Accounts.TestCase
TestAccounts.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
