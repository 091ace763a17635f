"""Which alignments to try at a draw: decisions on tests the draw flows into, with few, good shifts as leaves.

The one idea: a shift is worth trying when it makes something equal. Leaves are 0; plus or minus the neighbours'
distance; what makes the two sides of a test move together; and what makes an answered or kept value equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.proof_parts import SHIFTED
from lapwing.kernel.symbolic.terms import outcomes
from lapwing.search.privacy.answer_variables import answered
from lapwing.search.privacy.held import held_lists, levels
from lapwing.search.privacy.inputs import ONE_WAY
from lapwing.search.privacy.linear import DRAW, OUTPUT, linear, number, plus, rewritten, scaled, times, word, written
from lapwing.search.privacy.totals import reaches


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
    distances = reaches(mechanism)
    directions = [
        word("rising", each.name) for each in mechanism.parameters if each.relation and each.relation.kind in ONE_WAY
    ]
    found = []
    held = held_lists(mechanism)
    counting = _Counting.of(mechanism)
    for sample, rest, enclosing in _draws(mechanism.body, (), ()):
        uses = _uses(sample, rest)
        guards = [test for test in uses.tests if _settled(test)]
        if ghost:
            guards += _ghost_tests(mechanism, sample, rest)
            guards += [OUTPUT] if isinstance(mechanism.returns, ir.Boolean) else []
        guards += _next_tests(sample, rest, _spelled_out(mechanism, counting, enclosing))
        guards += _stopping_tests(counting, rest)
        guards += directions
        leaves = _leaves(uses, private, distances, directions)
        for name, bare in _lists(sample, rest, held):
            length = word("len", name)
            if ghost and isinstance(mechanism.returns, ir.Integer):
                guards.append(ir.Compare("==", length, OUTPUT))
            leaves += [times(number(factor), distance) for factor in (2, -2) for distance in distances]
            if bare:  # what it will be added to stands at the same place of another list
                inputs = [each for each in mechanism.parameters if each.private]
                leaves += [leaf for each in inputs for leaf in levels(each, length, distances)]
        found.append(Template(sample.site, tuple(dict.fromkeys(guards)), tuple(dict.fromkeys(leaves))))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Flowing:
    """A draw: the tests it stands under, and the tests and values that it flows into."""

    sample: ir.Sample
    enclosing: tuple[ir.Expression, ...]
    tests: tuple[ir.Expression, ...]
    equal: tuple[ir.Expression, ...]


def every_draw(mechanism: ir.Mechanism) -> Iterator[Flowing]:
    """Every draw that may be shifted, in program order."""
    for sample, rest, enclosing in _draws(mechanism.body, (), ()):
        uses = _uses(sample, rest)
        tests = tuple(dict.fromkeys(each for each in uses.tests if _settled(each)))
        standing = tuple(test for test, old in enclosing if not old)
        yield Flowing(sample, standing, tests, tuple(dict.fromkeys(each for each in uses.equal if _settled(each))))


def _lists(
    sample: ir.Sample, rest: tuple[ir.Statement, ...], held: Mapping[str, ir.Type]
) -> Iterator[tuple[str, bool]]:
    """The lists that hold what becomes of a draw, and whether they hold nothing but the draw."""
    meanings: dict[str, ir.Expression] = {sample.target: DRAW}
    for statement in rest:
        match statement:
            case ir.Assign(target, value):
                meanings = {**meanings, target: rewritten(value, meanings)}
            case ir.Append(target, value) if target in held and DRAW in walk.nodes(rewritten(value, meanings)):
                yield target, rewritten(value, meanings) == DRAW


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


#: A test that a draw stands under, and whether what it reads was set again since.
_Test = tuple[ir.Expression, bool]


def _draws(
    block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...], enclosing: tuple[_Test, ...]
) -> Iterator[tuple[ir.Sample, tuple[ir.Statement, ...], tuple[_Test, ...]]]:
    """Every draw, with the statements after it in its block and around it, and the tests it stands under."""
    for position, statement in enumerate(block):
        after = (*block[position + 1 :], *rest)
        match statement:
            case ir.Sample(kind=kind) if kind in SHIFTED:
                yield statement, after, enclosing
            case ir.If(condition, then, otherwise):
                yield from _draws(then, after, (*enclosing, (condition, False)))
                yield from _draws(otherwise, after, (*enclosing, (ir.Not(condition), False)))
            case ir.For(_, body):
                yield from _draws(body, (), ())
            case ir.While(condition, body):  # asked again at the end of a round
                yield from _draws(body, (ir.If(condition, (), ()),), ())
        changed = set(walk.assigned((statement,)))
        enclosing = tuple((test, old or bool(walk.names(test) & changed)) for test, old in enclosing)


def _uses(sample: ir.Sample, rest: tuple[ir.Statement, ...]) -> _Uses:
    """The tests and values that the draw flows into, written over what is known at the draw."""
    uses = _Uses([], [])
    _follow(rest, {sample.target: DRAW}, uses, ())
    return uses


def _follow(
    block: tuple[ir.Statement, ...],
    meanings: dict[str, ir.Expression],
    uses: _Uses,
    path: tuple[ir.Expression, ...],
) -> None:
    """Note what the draw flows into; ``path`` are the tests since the draw that lead here."""
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
                    if path:  # a draw that is looked at in some cases only need not move in the others
                        uses.tests.append(ir.And((*path, meant)))
                _follow(then, meanings, uses, (*path, meant))
                _follow(otherwise, meanings, uses, (*path, ir.Not(meant)))
                changed = set(walk.assigned((*then, *otherwise)))
                if any(DRAW in walk.nodes(meanings[name]) for name in changed if name in meanings):
                    # as it goes on where nothing was changed
                    _follow(block[position + 1 :], meanings, uses, path)
                meanings = {**meanings, **dict.fromkeys(changed, ir.Builtin("unsettled", ()))}
            case ir.Sample(target=target) | ir.Asking(target=target):
                meanings = {**meanings, target: ir.Builtin("unsettled", ())}
            case ir.For() | ir.While():
                return


def _settled(expression: ir.Expression) -> bool:
    """Whether the expression reads only what is known at the draw."""
    return not any(isinstance(node, ir.Builtin) and node.function == "unsettled" for node in walk.nodes(expression))


def _leaves(
    uses: _Uses, private: set[str], distances: list[ir.Expression], directions: list[ir.Expression]
) -> list[ir.Expression]:
    leaves: list[ir.Expression] = [ir.ZERO]
    own: list[ir.Expression] = []
    for test in uses.tests:
        for part in walk.nodes(test):
            if isinstance(part, ir.Compare):
                whole = ir.Arithmetic("-", part.left, part.right)
                leaves += _levelling(whole, private)
                own += _levelling(part.left, private) + _levelling(part.right, private)
    for value in uses.equal:
        leaves += _levelling(value, private)
    if not uses.tests:  # what is kept may be compared in a loop that begins later
        own = [each for value in uses.equal for each in _levelling(value, private)]
    leaves += own
    for distance in distances:
        leaves += [distance, ir.Negate(distance)]
        for each in own:
            form, reach = linear(each), linear(distance)
            for sign in (1, -1):
                total = plus(form, scaled(reach, Fraction(sign)))
                if total is not None:
                    leaves.append(written(total))
    return leaves + _one_way(own, distances, directions)


def _one_way(
    own: list[ir.Expression], distances: list[ir.Expression], directions: list[ir.Expression]
) -> list[ir.Expression]:
    """What levels a value that moves one way, and leaves it as far up as it can get: ``1 - hat(x)``, or ``-hat(x)``."""
    found: list[ir.Expression] = []
    for rising in directions:
        for distance in distances:
            for each in own:
                up, down = (plus(linear(each), scaled(linear(distance), Fraction(sign))) for sign in (1, -1))
                if up is not None and down is not None:
                    found.append(ir.Conditional(rising, written(up), each))
                    found.append(ir.Conditional(rising, each, written(down)))
    return found


def _levelling(expression: ir.Expression, private: set[str]) -> list[ir.Expression]:
    """The shift of the draw under which the expression is the same in both runs."""
    form = linear(expression)
    if form is None or not form.get(DRAW) or not _settled(expression):
        return []
    moving: dict[ir.Expression | None, Fraction] = {}
    for atom, value in form.items():
        if atom is not None and atom != DRAW and walk.names(_held(atom)) & private:
            moving[ir.Builtin("hat", (atom,))] = -value / form[DRAW]
    return [written(moving)]


def _held(atom: ir.Expression) -> ir.Expression:
    """What an atom reads besides the place at which it reads a list."""
    return atom.sequence if isinstance(atom, ir.Index) else atom


def _ghost_tests(mechanism: ir.Mechanism, sample: ir.Sample, rest: tuple[ir.Statement, ...]) -> list[ir.Expression]:
    """Tests whether what would now be answered is the ghost: ``i == output()`` where the answer may become ``i``.

    A number that the answer is set to may be what it is before the first round, and so belong to this draw.
    """
    answers = answered(mechanism)

    def given(variable: str, value: ir.Expression) -> ir.Expression:
        return replaced(answers[variable], {ir.Name(variable): value})

    found: list[ir.Expression] = []
    settings = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.Assign)]
    numbers = [
        given(each.target, each.value) for each in settings if each.target in answers and _is_written(each.value)
    ]
    numbers += [
        each.value
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Return) and _is_written(each.value)
    ]
    found += [ir.Compare("==", OUTPUT, each) for each in numbers]
    every = walk.assigned(mechanism.body)
    copies: dict[str, ir.Expression] = {
        each.target: each.value
        for each in settings
        if isinstance(each.value, ir.Name) and every.count(each.target) == 1
    }
    for statement in walk.statements(rest):
        if isinstance(statement, ir.Assign) and statement.target in answers:
            found += [
                ir.Compare("==", given(statement.target, value), OUTPUT)
                for value in (rewritten(each, copies) for each in outcomes(statement.value))
                if isinstance(value, ir.Name) and value.name not in (sample.target, statement.target)
            ]
    return found


def _is_written(value: ir.Expression) -> bool:
    """Whether an expression is a number as people write it: ``0``, or ``-1``."""
    return isinstance(value.operand if isinstance(value, ir.Negate) else value, ir.Number)


@dataclass(frozen=True, slots=True)
class _Counting:
    """The whole numbers that a mechanism counts with, and all that may stand beside them in a test."""

    counters: set[str]
    known: set[str]

    @staticmethod
    def of(mechanism: ir.Mechanism) -> _Counting:
        numbers = {each.name for each in mechanism.variables if isinstance(each.type, ir.Integer)}
        counters = numbers.intersection(walk.assigned(mechanism.body))
        return _Counting(counters, counters | {each.name for each in mechanism.parameters if not each.private})

    def tests(self, expression: ir.Expression) -> Iterator[ir.Expression]:
        """The tests in an expression that compare what is counted, and public parameters, only."""
        for part in walk.nodes(expression):
            if isinstance(part, ir.Compare) and walk.names(part) & self.counters and walk.names(part) <= self.known:
                yield part


def _spelled_out(mechanism: ir.Mechanism, counting: _Counting, enclosing: tuple[_Test, ...]) -> tuple[_Test, ...]:
    """The tests that a draw stands under; where one is a variable, with all that the mechanism asks of its counters."""
    bare = [test.operand if isinstance(test, ir.Not) else test for test, _ in enclosing]
    if not any(isinstance(each, ir.Name) for each in bare):
        return enclosing
    found = dict.fromkeys(test for each in walk.evaluated(mechanism.body) for test in counting.tests(each))
    return (*enclosing, *((test, True) for test in found))


def _stopping_tests(counting: _Counting, rest: tuple[ir.Statement, ...]) -> Iterator[ir.Expression]:
    """The tests of counters that come after a draw in its round: what is drawn last of all may never be looked at."""
    meanings: dict[str, ir.Expression] = {}
    for statement in rest:
        changed = set(walk.assigned((statement,)))
        unsettled: dict[str, ir.Expression] = dict.fromkeys(changed, ir.Builtin("unsettled", ()))
        match statement:
            case ir.Assign(target, value):
                asked = rewritten(value, meanings)
                unsettled = {target: asked}
            case ir.If(condition):
                asked = rewritten(condition, meanings)
            case ir.For() | ir.While():
                return
            case _:
                asked = ir.Truth(True)
        yield from filter(_settled, counting.tests(asked))
        meanings = {**meanings, **unsettled}


def _next_tests(sample: ir.Sample, rest: tuple[ir.Statement, ...], enclosing: tuple[_Test, ...]) -> list[ir.Expression]:
    """The tests this draw stands under, as they will come out next round: ``above + 1 < limit``."""
    meanings: dict[str, ir.Expression] = {}
    for statement in rest:
        if isinstance(statement, ir.Assign):
            meanings = {**meanings, statement.target: rewritten(statement.value, meanings)}
        elif isinstance(statement, ir.If | ir.For | ir.While):
            break
    found = []
    for test, old in enclosing:
        changed = rewritten(test, meanings)
        if (old or changed != test) and sample.target not in walk.names(changed):
            found.append(changed)
    return found
