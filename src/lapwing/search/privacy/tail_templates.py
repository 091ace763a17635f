"""Which noise to call bad, and which intervals to move onto: guesses read off the tests that a draw flows into.

The one idea: a tail is worth its probability where it is the only way to a difference. That is so where a test lets
something out that must not be (a value that may be far away, a key that only one run has), and where an interval may
have become too narrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.kernel.evidence.approximate import Side
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import MIRRORED, NEGATED
from lapwing.search.privacy.linear import DRAW, Form, plus, rewritten, scaled, word, written
from lapwing.search.privacy.linear import linear as plainly_linear
from lapwing.search.privacy.templates import Flowing


@dataclass(frozen=True, slots=True)
class Threshold:
    """``draw() operator end``: one comparison of a draw with what is known before it."""

    operator: str
    end: ir.Expression

    @property
    def rises(self) -> bool:
        """Whether it holds for large noise."""
        return self.operator in (">", ">=")

    def opposite(self) -> Threshold:
        """What holds where it does not."""
        return Threshold(NEGATED[self.operator], self.end)

    def formula(self) -> ir.Expression:
        """The comparison."""
        return ir.Compare(self.operator, DRAW, self.end)  # type: ignore[arg-type]  # one of four


@dataclass(frozen=True, slots=True)
class Guess:
    """A tail: of which run, given what, on which side, from where on, and what ``start`` may be at least, in order."""

    site: int
    run: int
    given: ir.Expression
    side: Side
    start: ir.Expression
    leasts: tuple[ir.Expression, ...]


def linear(expression: ir.Expression) -> dict[ir.Expression | None, Fraction] | None:
    """Coefficients of an expression; a quotient of a program's ln, exp or sqrt is one unknown."""
    quotients: dict[ir.Expression, ir.Expression] = {
        part: ir.Name(f"%quotient {number}")
        for number, part in enumerate(walk.nodes(expression))
        if isinstance(part, ir.Arithmetic) and part.operator == "/" and _is_named(part.left)
    }
    form = plainly_linear(replaced(expression, quotients)) if quotients else plainly_linear(expression)
    back: dict[ir.Expression | None, ir.Expression] = {name: part for part, name in quotients.items()}
    return None if form is None else {back.get(atom, atom): by for atom, by in form.items()}


def _is_named(node: ir.Expression) -> bool:
    """Whether this is made of public parameters that stand for functions."""
    names = walk.names(node)
    return bool(names) and all(name.startswith("outward_") for name in names)


def thresholds(drawn: Flowing) -> list[Threshold]:
    """The comparisons of a draw, as thresholds of the noise alone."""
    found = []
    for test in drawn.tests:
        for part in walk.nodes(test):
            if isinstance(part, ir.Compare) and part.operator not in ("==", "!="):
                form = linear(ir.Arithmetic("-", part.left, part.right))
                if form is None or not form.get(DRAW):
                    continue
                factor = form[DRAW]
                rest = scaled({atom: by for atom, by in form.items() if atom != DRAW}, -1 / factor)
                operator = part.operator if factor > 0 else MIRRORED[part.operator]
                found.append(Threshold(operator, written(rest or {})))
    return list(dict.fromkeys(found))


def between(drawn: Flowing) -> Iterator[tuple[Threshold, Threshold]]:
    """Two comparisons that hold the noise in an interval: its lower end and its upper, as the program tells them."""
    single = thresholds(drawn)
    pairs = [(one, two) for one in single for two in single if one.end != two.end]
    for one, two in sorted(pairs, key=lambda pair: not (pair[0].rises and not pair[1].rises)):
        yield (one if one.rises else one.opposite()), (two.opposite() if two.rises else two)


def releasing(drawn: Flowing, parameters: tuple[ir.Parameter, ...]) -> Iterator[Guess]:
    """Tails in which a test comes out so that a value may be let out that is far away in the other run."""
    private = {each.name for each in parameters if each.private}
    for parameter in parameters:
        if parameter.given is None:
            continue
        for event in _events(drawn):
            start = event.end if event.rises else written(scaled(linear(event.end), Fraction(-1)) or {})
            side: Side = "above" if event.rises else "below"
            leasts = tuple(_leasts(start, parameter.given, private))
            if leasts:
                yield Guess(drawn.sample.site, 1, ir.Not(parameter.given), side, start, leasts)


def _events(drawn: Flowing) -> Iterator[Threshold]:
    for threshold in thresholds(drawn):
        yield threshold
        yield threshold.opposite()


def _leasts(start: ir.Expression, given: ir.Expression, private: set[str]) -> Iterator[ir.Expression]:
    """What ``start`` is at least where the condition fails: its private part is bounded by the condition's."""
    form = linear(start)
    if form is None:
        return
    open_part, known = _divided(form, private)
    for part in walk.nodes(given):
        if not isinstance(part, ir.Compare) or part.operator in ("==", "!="):
            continue
        # where the condition fails, ``lower`` is at most 0
        lower = linear(ir.Arithmetic("-", part.left, part.right))
        lower = scaled(lower, Fraction(1 if part.operator in (">", ">=") else -1))
        if lower is None:
            continue
        moving, settled = _divided(lower, private)
        ratios = {atom: -open_part.get(atom, Fraction(0)) / by for atom, by in moving.items()}
        if set(open_part) <= set(moving) and len(set(ratios.values())) == 1:
            ratio = next(iter(ratios.values()))
            if ratio >= 0:
                yield written(plus(known, scaled(settled, ratio)) or {})


def _divided(form: Form, private: set[str]) -> tuple[dict[ir.Expression | None, Fraction], Form]:
    """The private part of a sum, and the rest."""
    mine: dict[ir.Expression | None, Fraction] = {
        atom: by for atom, by in form.items() if atom is not None and walk.names(atom) & private
    }
    return mine, {atom: by for atom, by in form.items() if atom not in mine}


def lonely(drawn: Flowing, mechanism: ir.Mechanism, loop: ir.For | None) -> Iterator[tuple[Guess, Guess]]:
    """Tails of a draw that only one run may come to, one for each run: what it adds to passes a test."""
    private = {each.name for each in mechanism.parameters if each.private}
    private |= {each.name for each in mechanism.variables if not each.public}
    distances = list(dict.fromkeys(p.distance for p in mechanism.parameters if p.distance is not None))
    elements: Mapping[str, ir.Expression] = {}
    if loop is not None:
        here = word("round", loop.number)
        if isinstance(loop.source, ir.Over):
            elements = {name: ir.Index(walked, here, ir.Real()) for name, walked in loop.source.items}
        else:
            elements = {loop.source.target: ir.Arithmetic("+", loop.source.start, here)}
        elements = {**elements, **_elements_set(mechanism, loop, elements)}
    conditions = [each for each in drawn.enclosing if walk.names(each) & private]
    if not conditions:
        return
    own = conditions[0] if len(conditions) == 1 else ir.And(tuple(conditions))
    other = _of_second(rewritten(own, elements))
    for event in _events(drawn):
        form = linear(event.end if event.rises else ir.Negate(event.end))
        if form is None:
            continue
        start = written(form)
        side: Side = "above" if event.rises else "below"
        _, known = _divided(form, private)
        leasts = [written(known)]
        for distance in distances:
            for factor in (1, 2):
                less = plus(known, scaled(linear(distance), Fraction(-factor)))
                leasts += [] if less is None else [written(less)]
        site, every = drawn.sample.site, tuple(leasts)
        alone = ir.And((own, ir.Not(other)))
        second = ir.Builtin("other", (start,))
        yield Guess(site, 1, alone, side, start, every), Guess(site, 2, ir.Truth(True), side, second, every)


def _elements_set(
    mechanism: ir.Mechanism, loop: ir.For, elements: Mapping[str, ir.Expression]
) -> dict[str, ir.Expression]:
    """The variables that each round sets, once, to an element of an input at its own place."""
    inputs = {each.name for each in mechanism.parameters} - set(walk.assigned(mechanism.body))
    every, found = walk.assigned(mechanism.body), dict[str, ir.Expression]()
    for each in loop.body:
        match each:
            case ir.Assign(name, ir.Index(ir.Name(), place) as value) if every.count(name) == 1:
                meant = replace(value, index=rewritten(place, elements))
                if {part.name for part in walk.nodes(meant) if isinstance(part, ir.Name)} <= inputs:
                    found[name] = meant
    return found


def in_words_of_parameters(drawn: Flowing, mechanism: ir.Mechanism) -> Flowing:
    """The draw with tests in which a variable that is set once to a formula over parameters is that formula."""
    given = {each.name for each in mechanism.parameters} - set(walk.assigned(mechanism.body))
    known = {name: value for name, value in definitions(mechanism).items() if walk.names(value) <= given}
    enclosing, tests = (tuple(rewritten(each, known) for each in group) for group in (drawn.enclosing, drawn.tests))
    return replace(drawn, enclosing=enclosing, tests=tests)


def _of_second(condition: ir.Expression) -> ir.Expression:
    """The condition in the second run: each comparison's sides read there."""
    match condition:
        case ir.And(operands):
            return ir.And(tuple(map(_of_second, operands)))
        case ir.Or(operands):
            return ir.Or(tuple(map(_of_second, operands)))
        case ir.Not(operand):
            return ir.Not(_of_second(operand))
        case ir.Compare(symbol, left, right):
            return ir.Compare(symbol, _side(left), _side(right))
    return _side(condition)


def _side(part: ir.Expression) -> ir.Expression:
    return part if isinstance(part, ir.Number) else ir.Builtin("other", (part,))


def definitions(mechanism: ir.Mechanism) -> dict[str, ir.Expression]:
    """Variables that are set once, at the top of the mechanism, by what they are set to."""
    every = walk.assigned(mechanism.body)
    found: dict[str, ir.Expression] = {}
    for statement in mechanism.body:
        if isinstance(statement, ir.Assign) and every.count(statement.target) == 1:
            found[statement.target] = rewritten(statement.value, found)
    return found
