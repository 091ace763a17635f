"""Self-composition: two runs side by side, and whether their answers can differ.

The one idea: the walk is the kernel's (:mod:`lapwing.kernel.flow.composition`), asked of Z3. What both runs keep alike
at loops is found by Houdini: guess many facts, drop those that fail, repeat. To look for a difference, loops go round a
few times instead.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.flow import Composition, Fact
from lapwing.kernel.flow.composition import BOTH, Composed, Loop, changed
from lapwing.kernel.program import ir, walk
from lapwing.search.flow.terms import Scalar, Z3Terms

#: How long the solver may think about all questions, and how often a pass is repeated.
SECONDS, PASSES = 20.0, 60


def proof(mechanism: ir.Mechanism, checks: frozenset[int], seconds: float = SECONDS) -> Composition:
    """The facts from which equal answers follow; raises Unproved where there are none, or it cannot be told in time."""
    deadline = time.monotonic() + seconds
    facts = set(guessed(mechanism))
    for _ in range(PASSES):
        before = len(facts)
        walked = _Guessing(mechanism, facts, checks, Z3Terms(deadline=deadline))
        walked.check()
        if len(facts) == before:
            if walked.first is not None:
                raise walked.first
            return Composition(tuple(sorted(facts, key=lambda fact: (fact.loop, fact.name, fact.kind))))
    raise Unproved("what the loops keep alike does not settle")


def guessed(mechanism: ir.Mechanism) -> Iterator[Fact]:
    """Facts that may hold at the loops: sameness, and bounds by the numbers that variables start from."""
    walked = Composed(mechanism, (), frozenset(), Z3Terms())
    starts: dict[str, set[Fraction]] = {}
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Number):
            starts.setdefault(statement.target, set()).add(statement.value.value)
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.For | ir.While):
            number = walked.loops[id(statement)]
            for name in changed(statement):
                yield Fact(number, "same", name)
                if isinstance(walked.types[name], ir.Integer | ir.Real):
                    for value in starts.get(name, ()):
                        yield from (Fact(number, kind, name, value) for kind in ("equals", "at least", "at most"))


@dataclass(slots=True)
class _Guessing(Composed):
    """The kernel's walk, which drops facts that fail, and goes on behind a doubt to find more of them."""

    first: Unproved | None = None

    def demand_fact(self, fact: Fact, goal: Scalar, place: ir.Node, when: str) -> None:  # noqa: ARG002  # nobody is told
        """Drop a fact that is not certain."""
        if not self.certain(goal):
            self.facts.discard(fact)  # type: ignore[attr-defined]  # a set

    def doubt(self, place: ir.Node, problem: str) -> None:
        """Remember the first doubt."""
        self.first = self.first or at(place, problem)


@dataclass(slots=True)
class Unrolled(Composed):
    """The kernel's walk with loops that go round at most so often, to look for a difference."""

    rounds: int = 0

    def loop(self, statement: ir.For | ir.While) -> None:
        """A few rounds, one after the other."""
        loop = Loop(self, statement, self.loops[id(statement)])
        loop.begin()
        for turn in range(self.rounds):
            counter = self.terms.number(turn)
            loop.turn([loop.going(run, counter) for run in BOTH], counter)
        loop.end([loop.going(run, self.terms.number(self.rounds)) for run in BOTH])
