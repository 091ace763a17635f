"""What values of a reading mean: terms and values where the parameters and the records are given."""

from collections.abc import Sequence
from fractions import Fraction

from lapwing.kernel.folds.values import POSITION, RECORD, Items, Number, Parts, Rows, Truth
from lapwing.kernel.program import ir
from lapwing.kernel.run.inputs import private, public
from tests.kernel.folds.falsify import VALUES


class Unknown(Exception):
    """A term that is about more than parameters and records."""


def evaluated(term, given):
    """A term where parameters, and a record with its place, are given; what is divided by 0 is 0."""
    match term:
        case ir.Number(value) | ir.Truth(value):
            return value
        case ir.Name(name):
            if name not in given:
                raise Unknown
            return given[name]
        case ir.Index(ir.Name(name), index):
            place, found = evaluated(index, given), given[name]
            return found[int(place)] if 0 <= place < len(found) else 0
        case ir.Negate(operand):
            return -evaluated(operand, given)
        case ir.Not(operand):
            return not evaluated(operand, given)
        case ir.And(operands):
            return all(evaluated(each, given) for each in operands)
        case ir.Or(operands):
            return any(evaluated(each, given) for each in operands)
        case ir.Builtin("//", (left, right)):
            above, below = evaluated(left, given), evaluated(right, given)
            return above // below if below else 0
        case ir.Conditional(condition, then, otherwise):
            return evaluated(then if evaluated(condition, given) else otherwise, given)
        case ir.Arithmetic(symbol, left, right) | ir.Compare(symbol, left, right):
            a, b = evaluated(left, given), evaluated(right, given)
            if symbol == "/":
                return Fraction(a) / b if b else 0
            return {"+": a + b, "-": a - b, "*": a * b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b,
                    "==": a == b, "!=": a != b}[symbol]  # fmt: skip
    raise Unknown


def said(value, given, records):
    """What a value is, where all is given."""
    match value:
        case Number(loose=True):
            raise Unknown
        case Number(base, each):
            return evaluated(base, given) + sum(evaluated(each, {**given, **one}) for one in records)
        case Truth(term):
            return bool(evaluated(term, given))
        case Parts(values):
            return tuple(said(each, given, records) for each in values)
        case Items(length, at):
            count = int(evaluated(length, given))
            return tuple(said(at(ir.Number(Fraction(place))), given, records) for place in range(count))
        case Rows(element, keep):
            kept = [{**given, **one} for one in records if evaluated(keep, {**given, **one})]
            return tuple(said(element, each, ()) for each in kept)
    raise Unknown


def record(value, place):
    parts = {f"{RECORD}.{i}": each for i, each in enumerate(value)} if isinstance(value, tuple) else {RECORD: value}
    return {**parts, POSITION: place}


def inputs(chance, mechanism):
    found = {}
    for each in mechanism.parameters:
        whole = each.type in (ir.Integer(), ir.List(ir.Integer()))
        values = [value for value in VALUES if not whole or Fraction(value).denominator == 1]
        if isinstance(each.type, ir.List):
            found[each.name] = [chance.choice(values) for _ in range(chance.randint(0, 4))]
        elif each.type == ir.Boolean():
            found[each.name] = chance.random() < 0.5
        else:
            found[each.name] = chance.choice(values)
    return found


def flat(value):
    return tuple(map(flat, value)) if isinstance(value, Sequence) else value


def settled(mechanism, given):
    """The parameters as a run takes them, with lengths (and a private number as the one record), and the records."""
    exact = {
        each.name: (private if each.private else public)(given[each.name], each.type, each.name)
        for each in mechanism.parameters
    }
    exact |= {f"len({name})": len(value) for name, value in exact.items() if isinstance(value, tuple | list)}
    secret = next(each for each in mechanism.parameters if each.private)
    rows = exact[secret.name] if isinstance(secret.type, ir.List) else [exact[secret.name]]
    records = [record(value, place) for place, value in enumerate(rows)]
    return exact if isinstance(secret.type, ir.List) else {**exact, **records[0]}, records
