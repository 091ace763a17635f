"""The feasible set as a formula: which secrets agree with what was seen, when they are too many to count.

The one idea: follow every path through the program with the secrets as symbols and the public inputs as numbers. A path
contributes the tests it took, and that its answer is the observed one; Ω is their disjunction.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.errors import InvalidInput
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.flow.runs import settled
from lapwing.kernel.flow.terms import Listed, Reader, Values
from lapwing.kernel.flow.terms import Value as Term
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir
from lapwing.kernel.program.types import types_of
from lapwing.kernel.run.evaluate import zero
from lapwing.search.flow.readable_terms import written
from lapwing.search.flow.runs import Program
from lapwing.search.flow.terms import Scalar, Z3Terms
from lapwing.search.solving import limited_solver

#: Paths followed, rounds of one loop, and how long the solver may think about one path.
PATHS, ROUNDS, MILLISECONDS = 400, 200, 1000
#: How long following all paths may take.
SECONDS = 30.0

_ON, _BREAK, _CONTINUE, _RETURN = range(4)


@dataclass(frozen=True, slots=True)
class _Path:
    variables: Mapping[str, Term]
    tests: tuple[Scalar, ...] = ()
    answer: Term | None = None

    def setting(self, name: str, value: Term) -> _Path:
        return _Path({**self.variables, name: value}, self.tests, self.answer)

    def tested(self, test: Scalar) -> _Path:
        return _Path(self.variables, (*self.tests, test), self.answer)


def formula(mechanism: ir.Mechanism, public: Mapping[str, Value], observed: Value) -> str:
    """Ω(α, ω) as a Python expression over the hidden parameters."""
    try:
        found = _Following(mechanism, time.monotonic() + SECONDS).formula(public, observed)
    except z3.Z3Exception:
        problem = "no formula describes the secrets: the solver cannot follow some value"
        raise InvalidInput("W128", problem, "Give finite domains with --domain, to count instead") from None
    except Unproved as blocked:
        problem = (
            f"no formula describes the secrets: {blocked.problem} (line {blocked.span.line or mechanism.span.line})"
        )
        raise InvalidInput("W128", problem, "Give finite domains with --domain, to count instead") from None
    _check_accepted(mechanism, public)
    return found


def _check_accepted(mechanism: ir.Mechanism, public: Mapping[str, Value]) -> None:
    """Refuse what a run refuses, unless that depends on how long a hidden list is, which may be seen."""
    labels = policy(mechanism)
    hidden = [each for each in mechanism.parameters if not labels.visible(each.name)]
    if not any(isinstance(each.type, ir.List) and labels.length_visible(each.name) for each in hidden):
        nothing = {each.name: settled(zero(each.type)) for each in hidden}
        Program(ir.Module((mechanism,)), mechanism.name).check_accepted({**public, **nothing})


@dataclass(slots=True)
class _Following:
    mechanism: ir.Mechanism
    deadline: float
    values: Values = field(default_factory=lambda: Values(Z3Terms(numbered=False)))
    followed: int = 0

    def formula(self, public: Mapping[str, Value], observed: Value) -> str:
        start: dict[str, Term] = {}
        tests: list[Scalar] = []
        for parameter in self.mechanism.parameters:
            if policy(self.mechanism).visible(parameter.name):
                start[parameter.name] = self._known(public[parameter.name], parameter.type)
            else:
                start[parameter.name] = value = self.values.any(parameter.type, parameter.name)
                if isinstance(value, Listed):
                    tests.append(value.length >= 0)
        found: list[Scalar] = []
        seen = self._known(observed, self.mechanism.returns)
        for signal, path in self._block(self.mechanism.body, _Path(start)):
            if signal == _RETURN and path.answer is not None:
                agrees = [*path.tests, self.values.equal(path.answer, seen)]
                if self._possible([*tests, *agrees]):
                    found.append(z3.And(self._needed(_conjuncts(z3.And(agrees)))))
        whole = z3.simplify(z3.Or(self._needed(found, some=True)))
        return min(written(_simplified(whole)), written(whole), key=len)

    def _needed(self, parts: list[Scalar], *, some: bool = False) -> list[Scalar]:
        """The parts of a conjunction (with ``some``: of a disjunction) without those that the others make needless."""
        kept = list(parts)
        for part in reversed(parts):
            others = [each for each in kept if each is not part]
            apart = z3.And(part, z3.Not(z3.Or(others))) if some else z3.And(*others, z3.Not(part))
            if others and not self._possible([apart]):
                kept = others
        return kept

    def _block(self, block: Sequence[ir.Statement], path: _Path) -> Iterator[tuple[int, _Path]]:
        if not block:
            yield _ON, path
            return
        for signal, after in self._statement(block[0], path):
            if signal == _ON:
                yield from self._block(block[1:], after)
            else:
                yield signal, after

    def _statement(self, statement: ir.Statement, path: _Path) -> Iterator[tuple[int, _Path]]:
        match statement:
            case ir.Assign(target, value):
                yield (
                    _ON,
                    path.setting(target, self.values.fitted(self._term(value, path), types_of(self.mechanism)[target])),
                )
            case ir.Append(target, value):
                old, kind = path.variables[target], types_of(self.mechanism)[target]
                if not isinstance(old, Listed) or not isinstance(kind, ir.List):
                    raise Unproved("a list of lists or of tuples is not followed", statement.span)
                grown = self.values.appended(old, self.values.fitted(self._term(value, path), kind.element))
                yield _ON, path.setting(target, replace(grown, length=z3.simplify(grown.length)))
            case ir.If(condition, then, otherwise):
                for holds, taken in self._either(self._term(condition, path), path):
                    yield from self._block(then if holds else otherwise, taken)
            case ir.For(source, body):
                yield from self._rounds(statement, self._source(source, path), body, path, 0)
            case ir.While(_, body):
                yield from self._rounds(statement, None, body, path, 0)
            case ir.Break():
                yield _BREAK, path
            case ir.Continue():
                yield _CONTINUE, path
            case ir.Return(value):
                answer = self.values.fitted(self._term(value, path), self.mechanism.returns)
                yield _RETURN, _Path(path.variables, path.tests, answer)
            case ir.Sample() | ir.Call():
                raise Unproved("answers with noise are possible for any secret, more or less likely", statement.span)

    def _rounds(
        self, loop: ir.For | ir.While, source: _Source | None, body: Sequence[ir.Statement], path: _Path, turn: int
    ) -> Iterator[tuple[int, _Path]]:
        if turn > ROUNDS:
            raise Unproved(f"a loop may go round more than {ROUNDS} times", loop.span)
        test = z3.IntVal(turn) < source.rounds if source is not None else self._term(loop.condition, path)  # type: ignore[union-attr]  # a loop without source is a While
        for holds, taken in self._either(test, path):
            if not holds:
                yield _ON, taken
                continue
            for name, value in () if source is None else source.at(turn):
                taken = taken.setting(name, self.values.fitted(value, types_of(self.mechanism)[name]))
            for signal, after in self._block(body, taken):
                if signal in (_ON, _CONTINUE):
                    yield from self._rounds(loop, source, body, after, turn + 1)
                else:
                    yield (_ON if signal == _BREAK else signal), after

    def _source(self, source: ir.Over | ir.Range, path: _Path) -> _Source:
        if isinstance(source, ir.Range):
            start, stop = self._term(source.start, path), self._term(source.stop, path)
            return _Source(stop - start, ((source.target, start),))
        lists = [(name, self._term(value, path), value) for name, value in source.items]
        rounds = lists[0][1].length
        for _, each, _ in lists[1:]:
            rounds = z3.If(each.length < rounds, each.length, rounds)
        counters = () if source.index is None else ((source.index, z3.IntVal(0)),)
        kinds = types_of(self.mechanism)
        return _Source(rounds, counters, tuple((name, values, kinds[name]) for name, values, _ in lists))

    def _either(self, test: Scalar, path: _Path) -> Iterator[tuple[bool, _Path]]:
        """The ways a test can come out on this path."""
        test = z3.simplify(test)
        for holds in (True, False):
            taken = test if holds else z3.simplify(z3.Not(test))
            if z3.is_true(taken):
                yield holds, path
            elif not z3.is_false(taken) and self._possible([*path.tests, taken]):
                yield holds, path.tested(taken)

    def _possible(self, tests: list[Scalar]) -> bool:
        self.followed += 1
        if self.followed > PATHS * 10:
            raise Unproved("there are too many paths")
        if time.monotonic() > self.deadline:
            raise Unproved("the time limit passed")
        solver = limited_solver(MILLISECONDS)
        solver.add(*tests)
        return bool(solver.check() != z3.unsat)

    def _known(self, value: Value, kind: ir.Type) -> Term:
        """A concrete value as a term."""
        match kind:
            case ir.Boolean():
                return z3.BoolVal(bool(value))
            case ir.Tuple(elements) if isinstance(value, tuple):
                return tuple(self._known(each, part) for each, part in zip(value, elements, strict=True))
            case ir.List(element) if isinstance(value, tuple):
                found: Listed = self.values.zero(kind)
                for each in value:
                    found = self.values.appended(found, self._known(each, element))
                return replace(found, length=z3.IntVal(len(value)))
        assert isinstance(value, Fraction)  # noqa: S101  # the inputs were fitted to their types
        return z3.IntVal(value.numerator) if isinstance(kind, ir.Integer) else z3.RealVal(value)

    def _term(self, expression: ir.Expression, path: _Path) -> Term:
        found = Reader(self.values, path.variables, lambda *_: None).value(expression, z3.BoolVal(True))
        return found if isinstance(found, tuple | Listed) else z3.simplify(found)


@dataclass(frozen=True, slots=True)
class _Source:
    rounds: Scalar
    counters: tuple[tuple[str, Scalar], ...]
    lists: tuple[tuple[str, Listed, ir.Type], ...] = ()

    def at(self, turn: int) -> list[tuple[str, Term]]:
        found: list[tuple[str, Term]] = [(name, z3.simplify(start + turn)) for name, start in self.counters]
        return found + [(name, z3.Select(values.elements, turn)) for name, values, _ in self.lists]


def _conjuncts(term: Scalar) -> list[Scalar]:
    term = z3.simplify(term)
    return [part for child in term.children() for part in _conjuncts(child)] if z3.is_and(term) else [term]


def _simplified(term: Scalar) -> Scalar:
    tactic = z3.TryFor(z3.Then("simplify", "ctx-solver-simplify", "simplify"), MILLISECONDS)
    try:
        return tactic(term).as_expr()
    except z3.Z3Exception:
        return z3.simplify(term)
