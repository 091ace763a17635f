"""Which alignments to try at a draw: decisions on tests the draw flows into, with few, good shifts as leaves.

The one idea: a shift is worth trying when it makes something equal. Leaves are 0; plus or minus the neighbours'
distance; what makes the two sides of a test move together; and what makes an answered or kept value equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from lapwing.program import ir, walk
from lapwing.prove.linear import DRAW, OUTPUT, linear, plus, rewritten, scaled, word, written


@dataclass(frozen=True, slots=True)
class Template:
    """The choices at one site: no guard, or one of ``guards``; a leaf on each side of it."""

    site: int
    guards: tuple[ir.Expression, ...]
    leaves: tuple[ir.Expression, ...]


def templates(mechanism: ir.Mechanism, *, ghost: bool) -> tuple[Template, ...]:
    """The choices at every additive draw, in program order."""
    private = {each.name for each in mechanism.parameters if each.private}
    private |= {each.name for each in mechanism.variables if not each.public}
    distances = []
    for parameter in mechanism.parameters:
        if parameter.distance is not None and parameter.distance not in distances:
            distances.append(parameter.distance)
    directions = [
        word("rising", each.name) for each in mechanism.parameters if each.relation and each.relation.kind == "monotone"
    ]
    found = []
    for sample, rest, enclosing in _draws(mechanism.body, (), ()):
        uses = _uses(sample, rest)
        guards = [test for test in uses.tests if _settled(test)]
        if ghost:
            guards += _ghost_tests(mechanism, sample, rest)
        guards += _next_tests(sample, rest, enclosing)
        guards += directions
        leaves = _leaves(uses, private, distances)
        found.append(Template(sample.site, tuple(dict.fromkeys(guards)), tuple(dict.fromkeys(leaves))))
    return tuple(found)


@dataclass(slots=True)
class _Uses:
    tests: list[ir.Expression]
    equal: list[ir.Expression]

    def take(self, value: ir.Expression) -> None:
        """A value that is kept or answered: a truth value is as good as a test, and so is what a choice rests on."""
        if DRAW not in walk.nodes(value):
            return
        if isinstance(value, ir.Compare | ir.And | ir.Or | ir.Not):
            self.tests.append(value)
            return
        self.equal.append(value)
        choices = [node.condition for node in walk.nodes(value) if isinstance(node, ir.Conditional)]
        self.tests += [each for each in choices if DRAW in walk.nodes(each)]


def _draws(
    block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...], enclosing: tuple[ir.Expression, ...]
) -> Iterator[tuple[ir.Sample, tuple[ir.Statement, ...], tuple[ir.Expression, ...]]]:
    """Every draw, with the statements after it in its block and around it, and the tests it stands under."""
    for position, statement in enumerate(block):
        after = (*block[position + 1 :], *rest)
        match statement:
            case ir.Sample(kind="laplace" | "exponential"):
                yield statement, after, enclosing
            case ir.If(condition, then, otherwise):
                yield from _draws(then, after, (*enclosing, condition))
                yield from _draws(otherwise, after, enclosing)
            case ir.For(_, body) | ir.While(_, body):
                yield from _draws(body, (), ())


def _uses(sample: ir.Sample, rest: tuple[ir.Statement, ...]) -> _Uses:
    """The tests and values that the draw flows into, written over what is known at the draw."""
    uses = _Uses([], [])
    _follow(rest, {sample.target: DRAW}, uses)
    return uses


def _follow(block: tuple[ir.Statement, ...], meanings: dict[str, ir.Expression], uses: _Uses) -> None:
    for position, statement in enumerate(block):
        match statement:
            case ir.Assign(target, value):
                meant = rewritten(value, meanings)
                meanings = {**meanings, target: meant}
                uses.take(meant)
            case ir.Append(_, value) | ir.Return(value):
                for part in value.elements if isinstance(value, ir.TupleOf | ir.ListOf) else (value,):
                    uses.take(rewritten(part, meanings))
            case ir.If(condition, then, otherwise):
                meant = rewritten(condition, meanings)
                if DRAW in walk.nodes(meant):
                    uses.tests.append(meant)
                _follow(then, meanings, uses)
                _follow(otherwise, meanings, uses)
                changed = {name for inner in walk.statements((*then, *otherwise)) for name in walk.targets(inner)}
                if any(DRAW in walk.nodes(meanings[name]) for name in changed if name in meanings):
                    _follow(block[position + 1 :], meanings, uses)  # as it goes on where nothing was changed
                meanings = {**meanings, **dict.fromkeys(changed, ir.Builtin("unsettled", ()))}
            case ir.Sample(target=target):
                meanings = {**meanings, target: ir.Builtin("unsettled", ())}
            case ir.For() | ir.While():
                return


def _settled(expression: ir.Expression) -> bool:
    """Whether the expression reads only what is known at the draw."""
    return not any(isinstance(node, ir.Builtin) and node.function == "unsettled" for node in walk.nodes(expression))


def _leaves(uses: _Uses, private: set[str], distances: list[ir.Expression]) -> list[ir.Expression]:
    zero = ir.Number(Fraction(0))
    leaves: list[ir.Expression] = [zero]
    own: list[ir.Expression] = []
    for test in uses.tests:
        for part in walk.nodes(test):
            if isinstance(part, ir.Compare):
                whole = ir.Arithmetic("-", part.left, part.right)
                leaves += _levelling(whole, private)
                own += _levelling(part.left, private) + _levelling(part.right, private)
    for value in uses.equal:
        leaves += _levelling(value, private)
    leaves += own
    for distance in distances:
        leaves += [distance, ir.Negate(distance)]
        for each in own:
            form, reach = linear(each), linear(distance)
            for sign in (1, -1):
                total = plus(form, scaled(reach, Fraction(sign)))
                if total is not None:
                    leaves.append(written(total))
    return leaves


def _levelling(expression: ir.Expression, private: set[str]) -> list[ir.Expression]:
    """The shift of the draw under which the expression is the same in both runs."""
    form = linear(expression)
    if form is None or not form.get(DRAW) or not _settled(expression):
        return []
    moving: dict[ir.Expression | None, Fraction] = {}
    for atom, value in form.items():
        named = atom.sequence if isinstance(atom, ir.Index) else atom
        if atom is not None and isinstance(named, ir.Name) and named.name in private:
            moving[ir.Builtin("hat", (atom,))] = -value / form[DRAW]
    return [written(moving)]


def _ghost_tests(mechanism: ir.Mechanism, sample: ir.Sample, rest: tuple[ir.Statement, ...]) -> list[ir.Expression]:
    """Tests whether what would now be answered is the ghost: ``i == output()`` where the answer may become ``i``."""
    answers = {
        each.value.name
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Return) and isinstance(each.value, ir.Name)
    }
    found: list[ir.Expression] = []
    for statement in walk.statements(rest):
        if isinstance(statement, ir.Assign) and statement.target in answers:
            value = statement.value
            if isinstance(value, ir.Name) and value.name != sample.target:
                found.append(ir.Compare("==", value, OUTPUT))
    return found


def _next_tests(
    sample: ir.Sample, rest: tuple[ir.Statement, ...], enclosing: tuple[ir.Expression, ...]
) -> list[ir.Expression]:
    """The tests this draw stands under, as they will come out next round: ``above + 1 < limit``."""
    meanings: dict[str, ir.Expression] = {}
    for statement in rest:
        if isinstance(statement, ir.Assign):
            meanings = {**meanings, statement.target: rewritten(statement.value, meanings)}
        elif isinstance(statement, ir.If | ir.For | ir.While):
            break
    found = []
    for test in enclosing:
        changed = rewritten(test, meanings)
        reads = walk.names(changed)
        if changed != test and sample.target not in reads:
            found.append(changed)
    return found
