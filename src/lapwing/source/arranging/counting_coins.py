"""Money that is paid in equal coins, counted in coins.

The one idea: ``cost`` starts at ``epsilon / 2``, grows by ``epsilon / (4 * limit)`` here and by twice that there, and
the loop goes on while ``cost <= epsilon - epsilon / (2 * limit)``. That is a count: so many coins of
``epsilon / (4 * limit)``, at most ``2 * limit - 2`` of them. A proof follows whole numbers, not quotients of
parameters. Both say the same wherever a coin is worth more than 0, so nothing is changed unless that is plain from what
is asserted and from the noise that is drawn before anybody pays.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.polynomials import Monomial, Polynomial, Quotient, unknown
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import MIRRORED
from lapwing.source.built_lists import ZERO, Block, Variables, mentioned, with_comparisons

#: Variables that are set to each other before a price is written in parameters alone.
MAX_DEPTH = 20


def counted(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with every account that is paid in equal coins counted in coins."""
    for account, times in Counter(walk.assigned(body)).items():
        if times > 1 and names.types.get(account) == ir.Real() and mechanism.parameter(account) is None:
            with suppress(Unproved, ZeroDivisionError):
                body = _Account(mechanism, body, account).counted(names)
    return body


def below(body: Block, names: Variables) -> Block:
    """The body with a count from 0 that is at most 4 said to be below 5: five is the limit that proofs look for."""
    begun: dict[str, set[Fraction]] = {}
    for each in walk.statements(body):
        if isinstance(each, ir.Assign) and isinstance(each.value, ir.Number):
            begun.setdefault(each.target, set()).add(each.value.value)

    def strict(node: ir.Compare) -> ir.Expression:
        match node:
            case ir.Compare("<=" | ">", ir.Name(name), ir.Number(value)) if _is_whole(name, value):
                symbol: ir.Order = "<" if node.operator == "<=" else ">="
                return replace(node, operator=symbol, right=ir.Number(value + 1))
            case ir.Compare(">=" | "<", ir.Number(value), ir.Name(name)) if _is_whole(name, value):
                symbol = ">" if node.operator == ">=" else "<="
                return replace(node, operator=symbol, left=ir.Number(value + 1))
        return node

    def _is_whole(name: str, value: Fraction) -> bool:
        return names.types.get(name) == ir.Integer() and begun.get(name) == {Fraction(0)} and value.denominator == 1

    return walk.rewritten(body, lambda each: with_comparisons(each, strict))


@dataclass(frozen=True, slots=True)
class _Account:
    """A variable that may be an account, in a body."""

    mechanism: ir.Mechanism
    body: Block
    name: str

    def counted(self, names: Variables) -> Block:
        """The body with the account as a count; :class:`Unproved` where it is not one, or not plainly."""
        settings = [each for each in walk.statements(self.body) if self.name in walk.targets(each)]
        opening = next((each for each in self.body if each in settings), None)
        steps = {id(each): self._step(each) for each in settings if each is not opening}
        if not isinstance(opening, ir.Assign) or not steps:
            raise Unproved("this is no account")
        coin = _coin(list(steps.values()))
        if not self._worth_something(coin):
            raise Unproved("a coin may be worth nothing, or less")
        count = ir.Name(names.fresh(f"{self.name}_paid", ir.Integer()))
        start = self._price(opening.value)

        def written(block: Block) -> Block:
            found: list[ir.Statement] = []
            for each in block:
                if each is opening:
                    found.append(replace(opening, target=count.name, value=ZERO))
                elif id(each) in steps:
                    paid = ir.Arithmetic("+", count, _polynomial(_whole(steps[id(each)] / coin)))
                    found.append(ir.Assign(count.name, paid, span=each.span))
                else:
                    tested = walk.with_expressions(each, asked) if isinstance(each, ir.If | ir.While) else each
                    found.append(walk.with_blocks(tested, written))
            return tuple(found)

        def compared(each: ir.Compare) -> ir.Expression:
            return self._compared(each, start, coin, count) if self.name in walk.names(each) else each

        def asked(condition: ir.Expression) -> ir.Expression:
            return with_comparisons(condition, compared)

        body = written(self.body)
        if self.name in mentioned(body):
            raise Unproved("the account is read where it is not compared")
        del names.types[self.name]
        return body

    def _step(self, statement: ir.Statement) -> Quotient:
        """What one statement adds to the account."""
        if not isinstance(statement, ir.Assign):
            raise Unproved("this is no payment")
        return self._price(statement.value, reading=True) - unknown(self.name)

    def _compared(self, condition: ir.Compare, start: Quotient, coin: Quotient, count: ir.Expression) -> ir.Expression:
        """A comparison with the account, as one with its count."""
        difference = self._price(condition.left, reading=True) - self._price(condition.right, reading=True)
        rest = difference.at(self.name, Quotient.of(0))
        factor = difference.at(self.name, Quotient.of(1)) - rest
        if not (difference - factor * unknown(self.name) - rest).above.is_zero:
            raise Unproved("the account is not compared as it is")
        sign = _number(factor)
        if not sign:
            raise Unproved("the account is multiplied by nothing")
        # factor · (start + coin · count) + rest, divided by the coin and the factor
        limit = _polynomial(-((start + rest / factor) / coin))
        symbol = condition.operator if (sign > 0) == (_sign(coin) > 0) else MIRRORED[condition.operator]
        return replace(condition, operator=symbol, left=count, right=limit)

    # --- prices -----------------------------------------------------------------------------------------------

    def _price(self, node: ir.Expression, *, reading: bool = False, depth: int = 0) -> Quotient:
        """A number over public parameters that never change, perhaps with the account in it."""

        def inner(part: ir.Expression) -> Quotient:
            return self._price(part, reading=reading, depth=depth)

        match node:
            case ir.Number(value):
                return Quotient.of(value)
            case ir.Negate(operand):
                return -inner(operand)
            case ir.Arithmetic("+", left, right):
                return inner(left) + inner(right)
            case ir.Arithmetic("-", left, right):
                return inner(left) - inner(right)
            case ir.Arithmetic("*", left, right):
                return inner(left) * inner(right)
            case ir.Arithmetic("/", left, right):
                return inner(left) / inner(right)
            case ir.Name(name) if name == self.name and reading:
                return unknown(name)
            case ir.Name(name) if name != self.name and depth < MAX_DEPTH:
                settings = [each for each in walk.statements(self.body) if name in walk.targets(each)]
                parameter = self.mechanism.parameter(name)
                if parameter is not None and not parameter.private and not settings:
                    if isinstance(parameter.type, ir.Real | ir.Integer):
                        return unknown(name)
                elif parameter is None and len(settings) == 1 and isinstance(settings[0], ir.Assign):
                    return self._price(settings[0].value, depth=depth + 1)
        raise Unproved("this is no price over parameters")

    def _worth_something(self, coin: Quotient) -> bool:
        """Whether all that a coin is the product of is above 0 wherever the account is paid or looked at."""
        known: set[str] = set()
        for condition in self.mechanism.preconditions:
            known |= above_zero(condition)
        for each in self.body:
            if isinstance(each, ir.Sample) and each.kind in ("laplace", "exponential", "gaussian"):
                with suppress(Unproved, ZeroDivisionError):
                    known |= _last_sign(self._price(each.arguments[0]), known)
            elif self.name in {name for part in walk.statements((each,)) for name in _read(part)}:
                break
        return _product(coin) is not None and _unknowns(coin) <= known


def _read(statement: ir.Statement) -> frozenset[str]:
    return frozenset(name for each in walk.expressions(statement) for name in walk.names(each))


def above_zero(condition: ir.Expression) -> set[str]:
    """The names that a precondition says are above 0."""
    match condition:
        case ir.And(operands):
            return {name for each in operands for name in above_zero(each)}
        case ir.Compare(">", ir.Name(name), ir.Number(value)) if value >= 0:
            return {name}
        case ir.Compare(">=", ir.Name(name), ir.Number(value)) if value > 0:
            return {name}
        case ir.Compare("<", ir.Number(value), ir.Name(name)) if value >= 0:
            return {name}
        case ir.Compare("<=", ir.Number(value), ir.Name(name)) if value > 0:
            return {name}
    return set()


def _last_sign(scale: Quotient, known: set[str]) -> set[str]:
    """The one name whose sign a scale tells that is above 0, where those of all others in it are known."""
    if _product(scale) is None or _sign(scale) <= 0:
        return set()
    left = _unknowns(scale) - known
    above, below = _product(scale) or ((), ())
    powers = [power for name, power in (*above, *below) if name in left]
    return left if len(powers) == 1 and powers[0] % 2 else set()  # a square is above 0 for numbers below 0, too


def _product(price: Quotient) -> tuple[Monomial, Monomial] | None:
    """The unknowns above and below, where a price is one product."""
    if len(price.above.terms) != 1 or len(price.below.terms) != 1:
        return None
    return next(iter(price.above.terms)), next(iter(price.below.terms))


def _unknowns(price: Quotient) -> set[str]:
    """The names in a product."""
    sides = _product(price) or ((), ())
    return {name for side in sides for name, _ in side}


def _sign(price: Quotient) -> Fraction:
    return next(iter(price.above.terms.values())) * next(iter(price.below.terms.values()))


def _coin(steps: list[Quotient]) -> Quotient:
    """The largest price of which all steps are whole multiples; below 0 where the first takes something away."""
    first = steps[0]
    if first.above.is_zero:
        raise Unproved("a payment of nothing")
    ratios = [_number(each / first) for each in steps]
    if not all(ratios):
        raise Unproved("a payment of nothing")
    below = lcm(*(each.denominator for each in ratios))
    share = Fraction(gcd(*(int(each * below) for each in ratios)), below)
    return first * Quotient.of(share)


def _number(price: Quotient) -> Fraction:
    """The number that a quotient is wherever it is defined."""
    if price.above.is_zero:
        return Fraction(0)
    (monomial, above), (other, below) = next(iter(price.above.terms.items())), next(iter(price.below.terms.items()))
    value = above / below
    if monomial != other or not price.agrees(Quotient.of(value)):
        raise Unproved("this is no number")
    return value


def _whole(price: Quotient) -> Quotient:
    if _number(price).denominator != 1:
        raise Unproved("no whole number of coins")
    return Quotient.of(_number(price))


def _polynomial(price: Quotient) -> ir.Expression:
    """A quotient by a number, as an expression."""
    if not price.below.is_number:
        raise Unproved("a limit that divides by parameters")
    below = next(iter(price.below.terms.values()))
    total: ir.Expression | None = None
    for monomial, factor in sorted((price.above * Polynomial.of(1 / below)).terms.items(), reverse=True):
        term: ir.Expression | None = None
        for name, power in monomial:
            for _ in range(power):
                term = ir.Name(name) if term is None else ir.Arithmetic("*", term, ir.Name(name))
        size = ir.Number(abs(factor))
        part = size if term is None else term if abs(factor) == 1 else ir.Arithmetic("*", size, term)
        if total is None:
            total = part if factor > 0 else ir.Negate(part)
        else:
            total = ir.Arithmetic("+" if factor > 0 else "-", total, part)
    return ZERO if total is None else total
