"""What loops keep true, learnt from the kernel's own walk over two runs.

The one idea: the walk that checks a proof can look for one, if it asks of each likely fact whether it survives a round
and drops it if not ([FL01], "Houdini"). Nothing here is believed: the certificate that comes out is checked as any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Coupling
from lapwing.kernel.formulas.reading import formula, shown
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.lockstep import Lockstep
from lapwing.kernel.relational.runs import FIRST, State
from lapwing.kernel.relational.setting import Setting
from lapwing.kernel.relational.values_in_runs import Evaluator
from lapwing.kernel.solver import Term, Terms
from lapwing.search.privacy.linear import times


@dataclass(frozen=True, slots=True)
class Counted:
    """What something counted along a run, such as ``cost(1)``, may be bounded by, and the draws that change it."""

    sites: frozenset[int]
    forms: tuple[ir.Expression, ...]


Forms = Mapping[ir.Expression, Counted]


@dataclass(slots=True)
class _Open(Setting):
    """A setting in which nothing has to hold."""

    def ask(self, state: State, goal: Term, node: ir.Node, problem: str) -> None:
        """Ask nothing: the kernel will."""


@dataclass(slots=True)
class _Learner(Lockstep):
    """A walk in which the facts of ``active`` are dropped that do not survive, and the ``forms`` that do not hold."""

    active: dict[int, list[ir.Expression]] = field(default_factory=dict)
    forms: dict[ir.Expression, list[ir.Expression]] = field(default_factory=dict)
    changed: bool = False

    def statement(self, statement: ir.Statement, state: State) -> list[State]:
        """Where one statement leads; at every answer, forms that are passed are dropped."""
        if isinstance(statement, ir.Return) and any(state.active):
            look = self.setting.look(state)
            for counted, limits in self.forms.items():
                tests = [_marked(ir.Compare("<=", counted, limit)) for limit in limits]
                kept = self._following(state, look, tests)
                self.forms[counted] = [limit for limit, test in zip(limits, tests, strict=True) if test in kept]
        return Lockstep.statement(self, statement, state)

    def _keep(self, loop: ir.For | ir.While, state: State, when: str) -> None:
        del when
        facts = self.active[loop.number]
        kept = self._following(state, self.setting.look(state), facts)
        if len(kept) < len(facts):
            self.active[loop.number], self.changed = kept, True

    def _following(self, state: State, look: Evaluator, facts: list[ir.Expression]) -> list[ir.Expression]:
        terms = self.setting.terms
        values = [look.value(fact, FIRST) for fact in facts]
        if self.setting.follows(state, terms.both(values)):
            return facts
        return [fact for fact, value in zip(facts, values, strict=True) if self.setting.follows(state, value)]


def learn(
    terms: Terms, mechanism: ir.Mechanism, proof: Coupling, forms: Forms
) -> tuple[dict[int, list[ir.Expression]], dict[ir.Expression, list[ir.Expression]]]:
    """Facts that every loop keeps, and the forms that hold at every answer; of a proof whose invariants are open."""
    setting = _Open(terms, mechanism, proof)
    loops = [each for each in walk.statements(mechanism.body) if isinstance(each, ir.For | ir.While)]
    active = {loop.number: [_marked(each) for each in likely(mechanism, loop, forms)] for loop in loops}
    for loop in loops:
        active[loop.number] = [each for each in active[loop.number] if _means_something(setting, each)]
    while True:
        setting.loops = {number: _all(facts) for number, facts in active.items()}
        learner = _Learner(
            setting, active=active, forms={counted: list(limits.forms) for counted, limits in forms.items()}
        )
        learner.check()
        active = learner.active
        if not learner.changed:
            return active, learner.forms


def _means_something(setting: Setting, fact: ir.Expression) -> bool:
    """Whether a fact can be evaluated at all."""
    try:
        setting.look(Lockstep(setting).start()).value(fact, FIRST)
    except (Unproved, RuntimeError):
        return False
    return True


def _all(facts: list[ir.Expression]) -> ir.Expression:
    if not facts:
        return ir.Truth(True)
    return facts[0] if len(facts) == 1 else ir.And(tuple(facts))


def likely(mechanism: ir.Mechanism, loop: ir.For | ir.While, forms: Forms) -> Iterator[ir.Expression]:
    """Facts that may hold at the head of a loop: about distances, counters and prices."""
    inside = list(walk.statements((loop,)))
    anew = set(_set_anew(loop))
    changed = [
        name for name in dict.fromkeys(name for each in inside for name in walk.targets(each)) if name not in anew
    ]
    distances = list(dict.fromkeys(p.distance for p in mechanism.parameters if p.distance is not None))
    kinds = {each.name: each.type for each in mechanism.variables}
    whole: list[ir.Expression] = [ir.Name(name) for name in changed if kinds.get(name) == ir.Integer()]
    for name in changed:
        hat = ir.Builtin("hat", (ir.Name(name),))
        match kinds.get(name):
            case ir.Boolean():
                yield ir.Compare("==", ir.Builtin("other", (ir.Name(name),)), ir.Name(name))
            case ir.Real() | ir.Integer():
                yield ir.Compare("==", hat, ir.ZERO)
                for distance in distances:
                    yield ir.Compare("<=", hat, distance)
                    yield ir.Compare(">=", hat, ir.Negate(distance))
    for counter in whole:
        yield ir.Compare(">=", counter, ir.ZERO)
        for parameter in mechanism.parameters:
            if parameter.type == ir.Integer() and not parameter.private:
                yield ir.Compare("<=", counter, ir.Name(parameter.name))
    here = ir.Builtin("round", (ir.Number(Fraction(loop.number)),))
    places = [
        ir.Compare("<", ir.Builtin("where", (ir.Name(p.name),)), here)
        for p in mechanism.parameters
        if p.relation is not None and p.relation.kind in ("one", "replaced") and isinstance(p.type, ir.List)
    ]
    sites = {each.site for each in inside if isinstance(each, ir.Sample)}
    going_on = list(dict.fromkeys(_tests(mechanism, inside, set(changed))))
    for counted, limits in forms.items():
        if not sites & limits.sites:
            continue  # what is counted elsewhere stays as it is
        for limit in limits.forms:
            yield ir.Compare("<=", counted, limit)
            if limit in distances or limit == ir.ONE:
                yield from (ir.Compare("<=", counted, ir.Conditional(place, limit, ir.ZERO)) for place in places)
                yield from (ir.Compare("<=", counted, ir.Conditional(test, ir.ZERO, limit)) for test in going_on)
                yield from (ir.Compare("<=", counted, times(limit, each)) for each in (here, *whole))


def _tests(mechanism: ir.Mechanism, inside: list[ir.Statement], changed: set[str]) -> Iterator[ir.Expression]:
    """What a round asks of counters and truth values that rounds set: while it holds, perhaps nothing is paid yet."""
    kinds = {each.name: each.type for each in mechanism.variables}
    state = {name for name in changed if kinds.get(name) in (ir.Integer(), ir.Boolean())}
    public = {each.name for each in mechanism.parameters if not each.private}
    for each in inside:
        if isinstance(each, ir.If | ir.While):
            parts = each.condition.operands if isinstance(each.condition, ir.And) else (each.condition,)
            yield from (part for part in parts if walk.names(part) & state and walk.names(part) <= state | public)


def _set_anew(loop: ir.For | ir.While) -> Iterator[str]:
    """Variables that every round sets before it reads them: what they held before is of no use."""
    read: set[str] = set()
    if isinstance(loop, ir.For):
        yield from loop.source.targets
    else:
        read |= walk.names(loop.condition)
    for statement in loop.body:
        read |= walk.read((statement,))
        if isinstance(statement, ir.Assign | ir.Sample):
            yield from (name for name in walk.targets(statement) if name not in read)
        if any(isinstance(each, ir.Break | ir.Continue | ir.Return) for each in walk.statements((statement,))):
            return


def thinned(facts: list[ir.Expression]) -> list[ir.Expression]:
    """The facts without those that a stronger one says anyway: of each thing counted, the first limit of its kind."""
    exact = {each.left for each in facts if isinstance(each, ir.Compare) and each.operator == "=="}
    none = {each.left for each in facts if isinstance(each, ir.Compare) and each.right == ir.ZERO}
    seen: set[tuple[ir.Expression, str]] = set()
    kept = []
    for each in facts:
        if isinstance(each, ir.Compare) and each.operator == "<=":
            conditional, rising = isinstance(each.right, ir.Conditional), "round(" in shown(each.right)
            kind = (each.left, "where" if conditional else "round" if rising else "most")
            if each.left in exact or kind in seen or (each.left in none and each.right != ir.ZERO):
                continue
            seen.add(kind)
        elif isinstance(each, ir.Compare) and each.operator == ">=" and each.left in exact:
            continue
        kept.append(each)
    return kept


def _marked(node: ir.Expression) -> ir.Expression:
    """The formula as the kernel reads it from its text."""
    return formula(shown(node))
