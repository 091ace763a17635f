"""Invariants that no list of likely facts has: the conditions of a proof as Horn clauses, solved by Spacer.

The one idea: with loops cut at their heads, every way from head to head is a clause whose unknown is the invariant, and
every obligation is a clause that must not be reached ([AH18]). Spacer answers with formulas, or with nothing; what the
likely facts already say is handed to it, since it is quick where little is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Pair, Scope, Truths
from lapwing.search.privacy.linear import number, word
from lapwing.search.privacy.product import Product
from lapwing.search.privacy.terms import constants, is_literal, is_zero, length, literal, real
from lapwing.search.solving import limited_spacer

#: How long Spacer may think, and with which seed it begins: where one way leads nowhere, another may.
TRIES = ((1000, 0), (2000, 7))
_COMPARE: Mapping[int, Literal["<", "<=", ">", ">=", "=="]] = {
    z3.Z3_OP_LE: "<=", z3.Z3_OP_GE: ">=", z3.Z3_OP_LT: "<", z3.Z3_OP_GT: ">", z3.Z3_OP_EQ: "==",
}  # fmt: skip


#: An unknown at a head, how it is written, and what it is in another state.
Slot = tuple[z3.ExprRef, ir.Expression, Callable[[Scope], z3.ExprRef]]


@dataclass(frozen=True, slots=True)
class Clause:
    """``facts`` and the invariant of ``after`` make ``goal`` true; or, with a ``loop``, its invariant in ``scope``."""

    facts: tuple[z3.BoolRef, ...]
    after: int | None
    goal: z3.BoolRef | None = None
    loop: int | None = None
    scope: Scope | None = None


@dataclass(slots=True)
class Horn:
    """The clauses of one proof. ``seeds`` is what is known to hold at each head."""

    runs: Product
    seeds: Mapping[int, Sequence[z3.BoolRef]]
    #: what is known of the facts about elements of lists: which hold
    marks: Sequence[z3.BoolRef] = ()
    slots: dict[int, list[Slot]] = field(default_factory=dict)
    unknowns: dict[int, z3.FuncDeclRef] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for loop, scope in self.runs.heads.items():
            self.slots[loop] = [*self._rigid(scope), *_moving(scope, {each.name for each in self._parameters})]
            sorts = [term.sort() for term, _, _ in self.slots[loop]]
            self.unknowns[loop] = z3.Function(f"invariant#{loop}", *sorts, z3.BoolSort())

    @property
    def _parameters(self) -> tuple[ir.Parameter, ...]:
        return self.runs.mechanism.parameters

    def _rigid(self, scope: Scope) -> Iterable[Slot]:
        """What no run changes: public parameters, lengths, where and how neighbours differ, the ghost."""
        found: list[tuple[z3.ExprRef, ir.Expression]] = []
        for each in self._parameters:
            entry = scope.variables.get(each.name)
            if isinstance(entry, Pair | Truths):
                found.append((entry.value, ir.Name(each.name)))
                if isinstance(entry, Pair) and not is_zero(entry.hat):
                    found.append((entry.hat, word("hat", each.name)))
            elif each.as_long:
                found.append((length(each.name), word("len", each.name)))
            for name in ("where", "rising"):
                term = scope.words.get(f"{name}({each.name})")
                if term is not None and z3.is_not(term):
                    found.append((term.arg(0), ir.Not(word(name, each.name))))
                elif term is not None:
                    found.append((term, word(name, each.name)))
        if "output()" in scope.words:
            found.append((scope.words["output()"], ir.Builtin("output", ())))
        distinct = {term.get_id(): (term, shown) for term, shown in reversed(found)}
        for term, shown in distinct.values():
            yield term, shown, lambda _scope, term=term: term  # type: ignore[misc]  # each its own

    # --- clauses ----------------------------------------------------------------------------------------------

    def solve(self, clauses: Iterable[Clause]) -> dict[int, list[ir.Expression]] | None:
        """Invariants under which no clause fails, as conjuncts; None if none was found in time."""
        clauses = list(clauses)
        for milliseconds, seed in TRIES:
            try:
                found = self._asked(clauses, milliseconds, seed)
            except (z3.Z3Exception, Blocked):
                return None
            if found != "again":
                return found
        return None

    def _asked(
        self, clauses: list[Clause], milliseconds: int, seed: int
    ) -> dict[int, list[ir.Expression]] | Literal["again"] | None:
        solver = limited_spacer(milliseconds, seed)
        failed = z3.Function("failed", z3.BoolSort())
        solver.register_relation(failed, *self.unknowns.values())
        for clause in clauses:
            body = [*clause.facts, *self.marks]
            if clause.after is not None:
                body += self.seeds[clause.after]
                body.append(self.unknowns[clause.after](*(term for term, _, _ in self.slots[clause.after])))
            if clause.goal is not None:
                head = failed()
                body.append(z3.Not(clause.goal))
            else:
                assert clause.loop is not None and clause.scope is not None  # noqa: S101, PT018  # the other kind
                head = self._there(clause.loop, clause.scope)
            whole = z3.And(*body, head)
            names = [each for each in constants(whole) if each.decl().name() != "failed"]
            rule = z3.Implies(z3.And(body), head)
            solver.add_rule(z3.ForAll(names, rule) if names else rule)
        try:
            answer = solver.query(failed())
        except z3.Z3Exception:
            return "again"  # a spent limit may end in an exception
        if answer == z3.unknown:
            return "again"
        return self._read(solver.get_answer()) if answer == z3.unsat else None

    def _there(self, loop: int, scope: Scope) -> z3.BoolRef:
        values = []
        for term, _, value in self.slots[loop]:
            found = value(scope)
            values.append(real(found) if z3.is_real(term) and z3.is_int(found) else found)
        return self.unknowns[loop](*values)

    # --- the answer -------------------------------------------------------------------------------------------

    def _read(self, answer: z3.ExprRef) -> dict[int, list[ir.Expression]]:
        """What the unknowns are in the answer; one that it does not mention may be anything."""
        found: dict[int, list[ir.Expression]] = {loop: [] for loop in self.unknowns}
        loops = {f"invariant#{loop}": loop for loop in self.unknowns}
        for part in answer.children() if z3.is_and(answer) else [answer]:
            body = part.body() if z3.is_quantifier(part) else part
            if not z3.is_eq(body):
                continue
            for head, meaning in (body.children(), body.children()[::-1]):
                loop = loops.get(head.decl().name())
                if loop is not None:
                    found[loop] = self._conjuncts(loop, head, meaning)
                    break
        return found

    def _conjuncts(self, loop: int, head: z3.ExprRef, meaning: z3.ExprRef) -> list[ir.Expression]:
        slots = self.slots[loop]
        terms: dict[int, z3.ExprRef] = {}
        for argument, (term, _, _) in zip(head.children(), slots, strict=True):
            if z3.is_var(argument):
                terms[z3.get_var_index(argument)] = term
        most = max(terms, default=-1)
        by_index = [terms.get(index, z3.IntVal(0)) for index in range(most + 1)]
        meant = z3.substitute_vars(meaning, *by_index) if by_index else meaning
        names = {term.get_id(): shown for term, shown, _ in slots}
        parts = meant.children() if z3.is_and(meant) else [meant]
        return [_written(part, names) for part in parts if not z3.is_true(part)]


def _moving(scope: Scope, parameters: set[str]) -> Iterable[Slot]:
    """What a loop may change: variables in both runs, counters and costs."""
    for name, entry in scope.variables.items():
        if name in parameters:
            continue
        here = ir.Name(name)
        if isinstance(entry, Pair):
            yield entry.value, here, lambda at, n=here: at.number(n).value  # type: ignore[misc]  # each its own
            if not is_zero(entry.hat):
                yield entry.hat, word("hat", name), lambda at, n=here: at.number(n).hat  # type: ignore[misc]  # each its own
        elif isinstance(entry, Truths):
            yield entry.value, here, lambda at, n=here: at.truth(n).value  # type: ignore[misc]  # each its own
            if not entry.same:
                shown = ir.Builtin("other", (here,))
                yield entry.other, shown, lambda at, n=here: at.truth(n).other  # type: ignore[misc]  # each its own
    for name, term in scope.words.items():
        if not z3.is_const(term) or is_literal(term) or not str(term).startswith(f"{name}@"):
            continue
        function, _, inner = name.partition("(")
        # else the length of a list, or an element of one
        numbered = function in ("cost", "round")
        name_of: ir.Expression = word(function, int(inner[:-1])) if numbered else formula(name, frozenset())
        yield term, name_of, lambda at, n=name: at.words[n]  # type: ignore[misc]  # each its own


def _written(term: z3.ExprRef, names: Mapping[int, ir.Expression]) -> ir.Expression:
    """A term of the solver as a formula."""
    if term.get_id() in names:
        return names[term.get_id()]
    if is_literal(term):
        return number(literal(term))
    kind, parts = term.decl().kind(), [_written(each, names) for each in term.children()]
    match kind:
        case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
            return ir.Truth(kind == z3.Z3_OP_TRUE)
        case z3.Z3_OP_AND:
            return ir.And(tuple(parts)) if len(parts) > 1 else parts[0]
        case z3.Z3_OP_OR:
            return ir.Or(tuple(parts)) if len(parts) > 1 else parts[0]
        case z3.Z3_OP_NOT:
            return ir.Not(parts[0])
        case z3.Z3_OP_IMPLIES:
            return ir.Or((ir.Not(parts[0]), parts[1]))
        case z3.Z3_OP_TO_REAL:
            return parts[0]
        case z3.Z3_OP_ITE:
            return ir.Conditional(parts[0], parts[1], parts[2])
        case z3.Z3_OP_UMINUS:
            return ir.Negate(parts[0])
        case z3.Z3_OP_ADD | z3.Z3_OP_SUB | z3.Z3_OP_MUL:
            return _joined("+" if kind == z3.Z3_OP_ADD else "-" if kind == z3.Z3_OP_SUB else "*", parts)
        case _ if kind in _COMPARE and len(parts) == 2:
            return ir.Compare(_COMPARE[kind], *_sides(parts[0], parts[1]))
    raise Blocked("the invariant cannot be written as a formula")


def _joined(symbol: Literal["+", "-", "*"], parts: list[ir.Expression]) -> ir.Expression:
    found = parts[0]
    for part in parts[1:]:
        match symbol, found, part:
            case "*", ir.Negate(ir.Number(Fraction(numerator=1, denominator=1))), _:
                found = ir.Negate(part)
            case "+", _, ir.Negate(operand):
                found = ir.Arithmetic("-", found, operand)
            case "+", ir.Negate(operand), _:
                found = ir.Arithmetic("-", part, operand)
            case _:
                found = ir.Arithmetic(symbol, found, part)
    return found


def _sides(left: ir.Expression, right: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
    """``a - b <= 0`` is read as ``a <= b``."""
    if right == number(0) and isinstance(left, ir.Arithmetic) and left.operator == "-":
        return left.left, left.right
    return left, right
