"""Questions for Z3, written as SMT-LIB text: far quicker to build than terms made one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.linear import Linear
from lapwing.kernel.symbolic.terms import TRUE, Outside, Term
from lapwing.search.solving import limited_solver

#: How long the solver may think about one question.
MILLISECONDS = 4000
_INT, _REAL, _BOOL = "Int", "Real", "Bool"


@dataclass(slots=True)
class Text:
    """Linear terms of one world as SMT-LIB text."""

    linear: Linear
    #: by identity, with the term itself, so that its place stays its own
    _known: dict[int, tuple[Term, str, str]] = field(default_factory=dict)

    def solver(self, facts: Iterable[Term], named: Iterable[tuple[str, Term]], *, small_cores: bool) -> z3.Solver:
        """A solver that knows ``facts``, and that each name is true exactly when its term is."""
        world, facts, named = self.linear.world, list(facts), list(named)
        used = frozenset[str]().union(*(self.linear.names(each) for each in (*facts, *(term for _, term in named))))
        lines = [f"(declare-const |{name}| {_sort(world.constants[name])})" for name in used if name in world.constants]
        functions = used & world.functions.keys()
        lines += [f"(declare-fun |{name}| (Int) {_sort(world.functions[name])})" for name in functions]
        lines += [f"(declare-const |{name}| Bool)" for name, _ in named]
        lines += [f"(assert {self(each)[0]})" for each in facts if each != TRUE]
        lines += [f"(assert (= |{name}| {self(each)[0]}))" for name, each in named]
        found = limited_solver(MILLISECONDS, small_cores=small_cores)
        found.from_string("\n".join(lines))
        return found

    def __call__(self, term: Term) -> tuple[str, str]:
        """The term, and its sort."""
        known = self._known.get(id(term))
        if known is None or known[0] is not term:
            known = (term, *self._made(term))
            self._known[id(term)] = known
        return known[1], known[2]

    def _made(self, term: Term) -> tuple[str, str]:
        world = self.linear.world
        match term:
            case ir.Number(value) if value.denominator == 1:
                return str(value.numerator), _INT
            case ir.Number(value):
                return f"(/ {value.numerator}.0 {value.denominator}.0)", _REAL
            case ir.Truth(value):
                return str(value).lower(), _BOOL
            case ir.Name(name):
                return f"|{name}|", _sort(world.constants[name])
            case ir.Index(ir.Name(name), index):
                return f"(|{name}| {self(index)[0]})", _sort(world.functions[name])
            case ir.Negate(operand):
                text, sort = self(operand)
                return f"(- {text})", sort
            case ir.Arithmetic("+" | "-" | "*" as symbol, left, right):
                texts, sort = self._alike(left, right)
                return f"({symbol} {texts[0]} {texts[1]})", sort
            case ir.Compare(symbol, left, right):
                texts, _ = self._alike(left, right)
                if symbol == "!=":
                    return f"(not (= {texts[0]} {texts[1]}))", _BOOL
                return f"({'=' if symbol == '==' else symbol} {texts[0]} {texts[1]})", _BOOL
            case ir.And(operands) | ir.Or(operands):
                word = "and" if isinstance(term, ir.And) else "or"
                return f"({word} {' '.join(self(each)[0] for each in operands)})", _BOOL
            case ir.Not(operand):
                return f"(not {self(operand)[0]})", _BOOL
            case ir.Conditional(condition, then, otherwise):
                texts, sort = self._alike(then, otherwise)
                return f"(ite {self(condition)[0]} {texts[0]} {texts[1]})", sort
        raise Outside("a formula cannot be put to the solver", term)

    def _alike(self, *terms: Term) -> tuple[list[str], str]:
        """Texts of one sort: reals if any is."""
        found = [self(each) for each in terms]
        sorts = {sort for _, sort in found}
        if len(sorts) == 1:
            return [text for text, _ in found], sorts.pop()
        if _BOOL in sorts:
            raise Outside("a number stands beside a truth value")
        return [f"(to_real {text})" if sort == _INT else text for text, sort in found], _REAL


def _sort(kind: ir.Type) -> str:
    return _REAL if kind == ir.Real() else _INT if kind == ir.Integer() else _BOOL
