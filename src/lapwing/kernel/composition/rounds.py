"""How often a loop turns, and what its own variables hold in a round."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.kernel.composition.exposure import Names, reads
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Quotient, unknown
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import type_of, types_of


@dataclass(frozen=True, slots=True)
class Turns:
    """At most ``count`` rounds, where it is above 0, and none elsewhere."""

    count: Quotient
    #: variables with public values: their types, and what is known of them
    counters: tuple[tuple[str, ir.Type], ...] = ()
    known: tuple[ir.Expression, ...] = ()
    #: variables that begin a round with an element of a private list: the list, and the counter that is its place
    elements: tuple[tuple[str, str, str], ...] = ()

    def seen(self, read: Names) -> Turns:
        """Without the variables that a round does not look at."""
        elements = tuple(each for each in self.elements if each[0] in read)
        kept = read | {place for _, _, place in elements}
        counters = tuple(each for each in self.counters if each[0] in kept)
        gone = {name for name, _ in self.counters} - {name for name, _ in counters}
        return Turns(self.count, counters, tuple(each for each in self.known if not walk.names(each) & gone), elements)


def turns(parameters: Parameters, loop: ir.For | ir.While, released: Names, *, counted: bool = True) -> Turns:
    """The rounds of a loop; refuses one that private data could make longer.

    Where they are not ``counted``, their number is said to be 1, and may be any that all may know.
    """
    mechanism = parameters.mechanism
    if isinstance(loop, ir.While):
        return _counted(parameters, loop) if counted else Turns(Quotient.of(1))
    if isinstance(loop.source, ir.Range):
        return _range(parameters, loop, loop.source, released, counted=counted)
    kinds = types_of(mechanism)
    counters: list[tuple[str, ir.Type]] = []
    elements: list[tuple[str, str, str]] = []
    lengths: list[Quotient] = []
    place = loop.source.index or f"{loop.source.items[0][0]}_place"
    if loop.source.index is None and place in kinds:
        raise at(loop, "a variable has the name that the place in the list gets")
    for name, items in loop.source.items:
        if not isinstance(items, ir.Name):
            raise at(loop, "the loop walks over something other than lists by name")
        parameter = mechanism.parameter(items.name)
        if parameter is None and items.name not in released:
            raise at(loop, "the loop walks over a list that is not released")
        if f"len({items.name})" in parameters.names:
            lengths.append(unknown(f"len({items.name})"))
        elif parameter is not None:
            raise at(loop, "private data decide how often the loop turns")
        if mechanism.is_private(items.name):
            elements.append((name, items.name, place))
        else:
            counters.append((name, kinds[name]))
    if not lengths:
        raise at(loop, "nothing public bounds the rounds of this loop")
    known: list[ir.Expression] = []
    if elements or loop.source.index is not None:
        counters.append((place, ir.Integer()))
        known.append(ir.Compare(">=", ir.Name(place), ir.ZERO))
        known += [
            ir.Compare("<", ir.Name(place), ir.Builtin("len", (items,)))
            for _, items in loop.source.items
            if isinstance(items, ir.Name) and f"len({items.name})" in parameters.names
        ]
    return Turns(lengths[0], tuple(counters), tuple(known), tuple(elements))


def _range(parameters: Parameters, loop: ir.For, source: ir.Range, released: Names, *, counted: bool) -> Turns:
    mechanism = parameters.mechanism
    for end in (source.start, source.stop):
        hidden = reads(end, mechanism) - released
        if any(mechanism.parameter(name) is None or mechanism.parameter(name).private for name in hidden):  # type: ignore[union-attr]  # asked first
            raise at(loop, "private data decide how often the loop turns")
    count = parameters.of(source.stop) - parameters.of(source.start) if counted else Quotient.of(1)
    known: list[ir.Expression] = []
    public = {each.name for each in mechanism.parameters}
    for symbol, end in ((">=", source.start), ("<", source.stop)):
        if walk.names(end) <= public:
            known.append(ir.Compare(symbol, ir.Name(source.target), end))  # type: ignore[arg-type]  # one of two
    return Turns(count, ((source.target, ir.Integer()),), tuple(known))


def _counted(parameters: Parameters, loop: ir.While) -> Turns:
    """A ``while`` with a counter: set once before, raised by 1 in every round, and below a public number.

    The counter is raised by a statement of the body itself, which nothing can skip but leaving the loop.
    """
    mechanism = parameters.mechanism
    tests = loop.condition.operands if isinstance(loop.condition, ir.And) else (loop.condition,)
    for test in tests:
        match test:
            case ir.Compare("<" | "<=" as symbol, counter, limit):
                pass
            case ir.Compare(">" | ">=" as symbol, limit, counter):
                pass
            case _:
                continue
        first = _raised_by_one(mechanism, loop, counter)
        kinds = types_of(mechanism)
        if first is None or any(type_of(each, kinds) != ir.Integer() for each in (counter, limit, first)):
            continue
        try:
            count = parameters.of(limit) - parameters.of(first)
        except Unproved:
            continue
        return Turns(count + Quotient.of(1) if symbol in ("<=", ">=") else count)
    raise at(loop, "no counter with a public end bounds the rounds of this loop")


def _raised_by_one(mechanism: ir.Mechanism, loop: ir.While, counter: ir.Expression) -> ir.Expression | None:
    """What a counter begins with that is set once before and raised in every round: a number, or a list's length."""
    match counter:
        case ir.Name(name):
            sums = (ir.Arithmetic("+", counter, ir.ONE), ir.Arithmetic("+", ir.ONE, counter))
            raised = tuple(ir.Assign(name, each) for each in sums)
        case ir.Builtin("len", (ir.Name(name),)):
            raised = ()
        case _:
            return None
    settings = [each for each in walk.statements(mechanism.body) if name in walk.targets(each)]
    if len(settings) != 2 or not isinstance(settings[0], ir.Assign) or walk.continues(loop.body):
        return None
    grows = settings[1] in raised if raised else isinstance(settings[1], ir.Append)
    at_the_top = any(each is settings[0] for each in mechanism.body)
    if not grows or not at_the_top or not any(each is settings[1] for each in loop.body):
        return None
    if raised:
        return settings[0].value
    match settings[0].value:
        case ir.ListOf(elements):
            return ir.Number(Fraction(len(elements)))
    return None
