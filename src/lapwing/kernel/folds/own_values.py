"""What is made of one record: an expression or a loop that is not followed, but reads nothing else that is private.

The one idea: expressions, and loops in which nothing is drawn, make a function of what they read. Where that is one
record and what neighbours share, what comes out is the record's own: one more field of it, of which nothing is known.
So the bin that a loop finds for a record, the nearest of some centres, or the sum of a row are fields of a record.

* Nothing of a record's own may be made of what earlier records left, or of a total: it would be of other records, too.
* A ``while`` is followed only where a counter ends it: that a run does not end would be an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import BEFORE, Items, Lost, Number, Parts, Truth, Value, anywhere, names, shared
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import type_of
from lapwing.kernel.symbolic.terms import ZERO

Names = frozenset[str]


def is_own(value: Value | None) -> bool:
    """Whether a value is a function of one record and of what neighbours share."""
    match value:
        case Number() | Truth():
            total = isinstance(value, Number) and (value.is_total or value.loose)
            return not total and not any(name.startswith(BEFORE) for name in names(value))
        case Parts(values):
            return all(map(is_own, values))
        case Items(length, element):
            try:
                return shared(value) or (is_own(Number(length)) and (length == ZERO or is_own(element(anywhere()))))
            except Unproved:
                return False
    return False


def of_record_alone(symbols: Symbols, node: ir.Expression, values: Mapping[str, Value]) -> Value | None:
    """What an expression makes of one record, if it reads nothing else that is private: some value of its type."""
    read = {name: values.get(name) for name in walk.names(node)}
    if not all(map(is_own, read.values())):
        return None
    kind = type_of(node, {name: _kind(value) for name, value in read.items() if value is not None})
    return None if isinstance(kind, ir.List | ir.Unknown) else symbols.own_value(kind)


def left_by(
    symbols: Symbols, loop: ir.For | ir.While, values: Mapping[str, Value], kind_of: Callable[[str], ir.Type | None]
) -> dict[str, Value]:
    """What a loop for one record leaves in the variables that it changes, if it is made of that record."""
    for each in walk.statements((loop,)):
        if not isinstance(each, ir.Assign | ir.Append | ir.If | ir.For | ir.While | ir.Break | ir.Continue):
            raise at(each, "private data decide whether this is done, which sums do not cover")
        if isinstance(each, ir.While) and not _ends(each, values):
            raise at(each, "nothing public ends this loop: count its rounds up to something public")
    read, _ = _read_first((loop,), frozenset())
    for name in sorted(read):
        if not is_own(values.get(name)):
            raise at(loop, f"a loop for each record reads '{name}', which is not of that record alone")
    found: dict[str, Value] = {}
    for name in walk.assigned((loop,)):
        # no round may come to it, and then it holds what it held
        own = name not in values or is_own(values[name])
        kind = kind_of(name)
        lost = Lost(f"'{name}' may hold what another record left")
        found[name] = symbols.own_value(kind) if own and kind is not None else lost
    return found


def _read_first(block: Sequence[ir.Statement], known: Names) -> tuple[Names, Names]:
    """The variables that a block may read before it sets them, and those that it has certainly set at its end."""
    read: Names = frozenset()
    for each in block:
        read |= frozenset().union(*map(walk.names, walk.expressions(each))) - known
        match each:
            case ir.Assign(target):
                known |= {target}
            case ir.Append(target):
                read |= {target} - known
            case ir.If(_, then, otherwise):
                (one, yes), (two, no) = _read_first(then, known), _read_first(otherwise, known)
                read, known = read | one | two, yes & no
            case ir.For(source, body):
                read |= _read_first(body, known | frozenset(source.targets))[0]
            case ir.While(_, body):
                read |= _read_first(body, known)[0]
    return read, known


def _ends(loop: ir.While, values: Mapping[str, Value]) -> bool:
    """Whether each round raises a counter by a step, once, and a part of the test keeps it below something shared."""
    tests = loop.condition.operands if isinstance(loop.condition, ir.And) else (loop.condition,)
    changed = walk.assigned(loop.body)
    if any(isinstance(each, ir.Continue) for each in walk.statements(loop.body)):
        return False
    for test in tests:
        match test:
            case ir.Compare("<" | "<=", ir.Name(counter), top) | ir.Compare(">" | ">=", top, ir.Name(counter)):
                public = all(shared(values.get(name)) for name in walk.names(top))
                raised = (_step(each, counter) for each in loop.body)
                if public and not walk.names(top) & set(changed) and changed.count(counter) == 1 and any(raised):
                    return True
    return False


def _step(statement: ir.Statement, counter: str) -> bool:
    """Whether this raises the counter by a number above 0 as it is written."""
    match statement:
        case ir.Assign(name, ir.Arithmetic("+", ir.Name(same), ir.Number(step))):
            return name == same == counter and step > 0
    return False


def _kind(value: Value) -> ir.Type:
    """The type of a value that is a record's own."""
    match value:
        case Number(whole=whole):
            return ir.Integer() if whole else ir.Real()
        case Truth():
            return ir.Boolean()
        case Parts(values):
            return ir.Tuple(tuple(map(_kind, values)))
        case Items(_, element):
            return ir.List(_kind(element(anywhere())))
    return ir.Unknown()
