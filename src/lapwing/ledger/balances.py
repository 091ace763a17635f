"""How charges within parts add up to one account: parallel composition, nested, and adaptive.

The one idea: a neighbour step changes one unit, and a unit lies in few parts. Fix the unit. A charge in a part where
it has no rows loses nothing; the charges that touch it are those of the whole table and of its own parts. So the
account must hold the largest total that any unit's parts can come to:

    cost(session) = Σ its own charges + Σ over splits of f · (the largest cost among the parts, in each column)

A unit is in at most m parts of a split, so f = min(m, parts charged so far): the sum over its parts is at most f times
the largest. This is an upper bound at every moment, for every unit, so the filter of ``allowance`` for that unit's
charges is within the one for the account, whichever parts are asked in whatever order, by whatever analysts.

*One unit changed* may take the unit out of m parts and put it into m others: f is doubled at the outermost split.
Inside one part the unit then arrives, leaves or changes; an arrival or departure touches m' inner parts, a change at
most 2m', and such a part was counted twice outside. So inner splits are not doubled again ([McSherry09] Thm 4, as in
``algebra.composition.parallel``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.errors import NotComparable
from lapwing.ledger.costs import NOTHING, Cost, cost_from, paired
from lapwing.ledger.parts import Part


@dataclass(frozen=True, slots=True)
class Split:
    """What is known of the parts of one split: the largest cost of a part, and how many were charged."""

    largest: Cost
    children: int
    multiplicity: int
    key_type: str

    def cost(self, doubled: bool) -> Cost:
        """What the session around it pays for all its parts together."""
        return self.largest.times(self.factor(0, doubled))

    def factor(self, more: int, doubled: bool) -> int:
        """How many parts one neighbour step may touch, once ``more`` parts are charged."""
        return min(self.multiplicity, self.children + more) * (2 if doubled else 1)


Balance = Cost | Split


@dataclass(frozen=True, slots=True)
class Book:
    """One account: its ``total``, and the balances of parts and splits by name (those of one path are enough)."""

    total: Cost
    balances: Mapping[str, Balance]

    def charged(self, part: Part | None, cost: Cost, moving: bool) -> Book:
        """The total and the balances that change when ``cost`` is charged in ``part``.

        ``moving`` says that a neighbour step may move a unit: "one unit changed".
        """
        changes: dict[str, Balance] = {}
        growth = cost
        for depth, step in reversed(list(enumerate(_steps(part)))):
            before, split = self._spent(step), self._split(step)
            after = growth if before is None else before.plus(growth)
            grown = replace(split, largest=split.largest.or_larger(after), children=split.children + (before is None))
            changes[_part_name(step)] = after
            changes[_split_name(step)] = grown
            doubled = moving and depth == 0
            growth = grown.cost(doubled).beyond(split.cost(doubled))
        return Book(self.total.plus(growth), changes)

    def room_within(self, part: Part | None, room: Cost, moving: bool) -> Cost:
        """The largest charge in ``part``, by column, that grows the total by at most ``room``; below 0 if none does."""
        for depth, step in enumerate(_steps(part)):
            before, split = self._spent(step), self._split(step)
            doubled = moving and depth == 0
            # what the largest part may come to
            limit = _divided(room.plus(split.cost(doubled)), split.factor(before is None, doubled))
            room = _until(limit, split.largest, before or NOTHING)
        return room

    def _spent(self, step: Part) -> Cost | None:
        found = self.balances.get(_part_name(step))
        return found if isinstance(found, Cost) else None

    def _split(self, step: Part) -> Split:
        """The split that this part belongs to; refuses a part that does not fit those charged before."""
        key_type = next(kind.__name__ for kind in (bool, int, str) if isinstance(step.key, kind))
        found = self.balances.get(_split_name(step))
        if not isinstance(found, Split):
            return Split(NOTHING, 0, step.multiplicity, key_type)
        if (found.multiplicity, found.key_type) != (step.multiplicity, key_type):
            raise NotComparable(
                "L114",
                f"the parts of this split were charged with keys of type {found.key_type} and multiplicity "
                f"{found.multiplicity}, and this one has a {key_type} and {step.multiplicity}",
                "Name the split differently if it is another one",
            )
        return found


def _steps(part: Part | None) -> tuple[Part, ...]:
    return part.path() if part is not None else ()


def names(part: Part | None) -> list[tuple[str, str]]:
    """The names of all balances that a charge in this part reads and changes: split and part, from the outside in."""
    return [(_split_name(step), _part_name(step)) for step in _steps(part)]


def _divided(cost: Cost, factor: int) -> Cost:
    epsilon = None if cost.epsilon is None else cost.epsilon / factor
    return Cost(epsilon, cost.rho / factor, cost.delta / factor, tuple(each / factor for each in cost.columns))


def _until(limit: Cost, largest: Cost, spent: Cost) -> Cost:
    """From ``spent`` up to ``limit``, column by column; below 0 where another part is above the limit already."""
    numbers = (limit.epsilon, largest.epsilon, spent.epsilon)
    return Cost(
        None if None in numbers else _gap(*(number or Fraction(0) for number in numbers)),
        _gap(limit.rho, largest.rho, spent.rho),
        _gap(limit.delta, largest.delta, spent.delta),
        tuple(
            _gap(most, high, used)
            for (most, high), (_, used) in zip(paired(limit, largest), paired(limit, spent), strict=True)
        ),
    )


def _gap(limit: Fraction, largest: Fraction, spent: Fraction) -> Fraction:
    return limit - spent if limit >= largest else Fraction(-1)


def balance_text(balance: Balance) -> str:
    """The balance as the ledger stores it."""
    if isinstance(balance, Cost):
        return balance.text()
    return f"{balance.largest.text()} {balance.children} {balance.multiplicity} {balance.key_type}"


def balance_from(text: str) -> Balance:
    """The balance that :func:`balance_text` wrote."""
    words = text.split(" ")
    cost = cost_from(" ".join(words[:3]))
    return cost if len(words) == 3 else Split(cost, int(words[3]), int(words[4]), words[5])


def _part_name(part: Part) -> str:
    return json.dumps([[*_split_words(step), step.key] for step in part.path()])


def _split_name(part: Part) -> str:
    steps = part.path()
    return json.dumps([*([*_split_words(step), step.key] for step in steps[:-1]), _split_words(part)])


def _split_words(part: Part) -> list[str]:
    return [part.table, part.column, part.edition]
