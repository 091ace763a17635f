"""Loops whose rounds look at different places of a list, of which neighbours differ in one.

Claim: where this says so, no place of the list is looked at by two rounds. Given the same released values, only the
round that looks at the place where neighbours differ can tell them apart, so that all rounds together cost what one
does ([McSherry09] Thm 4): its ε, its δ or its ρ.

Places are looked at one by one (``for x in q``, ``q[i]``), or in stretches that begin where the last one ended:
``q[start:start + width]`` with ``start += width``, ``q[j * width:(j + 1) * width]``. The first begins at 0. A width
below 0 leaves only the first stretch with anything in it, so its sign need not be known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lapwing.kernel.composition.exposure import reads, settings_before, targets
from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms

#: Neighbours under these differ in one place of a list, whose length they share.
ONE_PLACE = ("one", "replaced")


def check_disjoint(mechanism: ir.Mechanism, loop: ir.For | ir.While) -> None:
    """Refuse unless every round looks at places of the one private list that no other round looks at."""
    private = [each for each in mechanism.parameters if each.private]
    relation = private[0].relation if len(private) == 1 else None
    if relation is None or relation.kind not in ONE_PLACE or not isinstance(private[0].type, ir.List):
        raise at(loop, "only of one list in which one place differs are rounds apart")
    _Places(mechanism, loop, private[0].name).check()


def begins_at_zero(mechanism: ir.Mechanism, loop: ir.While) -> str | None:
    """The variable that a ``while`` begins with at 0 and raises once in every round, if there is one."""
    if walk.continues(loop.body):
        return None
    for statement in loop.body:
        if not (isinstance(statement, ir.Assign) and _raised(statement) is not None):
            continue
        name = statement.target
        inside = [each for each in walk.statements(loop.body) if name in walk.targets(each)]
        match settings_before(mechanism, loop, name):
            case [*_, ir.Assign(_, value)] if len(inside) == 1 and value == ir.ZERO:
                return name
    return None


def _raised(statement: ir.Assign) -> ir.Expression | None:
    """What a variable is raised by."""
    match statement.value:
        case ir.Arithmetic("+", ir.Name(name), by) if name == statement.target and name not in walk.names(by):
            return by
        case ir.Arithmetic("+", by, ir.Name(name)) if name == statement.target and name not in walk.names(by):
            return by
    return None


@dataclass(frozen=True, slots=True)
class _Places:
    mechanism: ir.Mechanism
    loop: ir.For | ir.While
    records: str

    def check(self) -> None:
        loop = self.loop
        if isinstance(loop, ir.While):
            self._check_while(loop)
            return
        counter = None
        if isinstance(loop.source, ir.Range):
            start = loop.source.start
            counter = loop.source.target if isinstance(start, ir.Number) else None  # a number as written is not below 0
        else:
            counter = loop.source.index
            walked = [each for _, each in loop.source.items if self.records in walk.names(each)]
            if any(each != ir.Name(self.records) for each in walked) or len(walked) > 1:
                raise at(loop, "the loop walks over something other than the list")
        if counter is not None and counter in targets(loop.body):
            raise at(loop, "the loop's own variable is set inside it")
        self._check_looks(loop.body, counter, None)

    def _check_while(self, loop: ir.While) -> None:
        name = begins_at_zero(self.mechanism, loop)
        if name is None or self.records in reads(loop.condition, self.mechanism):
            raise at(loop, "no variable begins at 0 and is raised in every round")
        place = next(n for n, each in enumerate(loop.body) if isinstance(each, ir.Assign) and each.target == name)
        raising = loop.body[place]
        by = _raised(raising) if isinstance(raising, ir.Assign) else None
        if by is None or walk.names(by) & (targets(loop.body) | {self.records}):
            raise at(loop, "what the place is raised by changes")
        if any(True for _ in self._looks(loop.body[place:])):
            raise at(loop, "a round looks at the list after it went on")
        self._check_looks(loop.body, name, by)

    def _check_looks(self, block: tuple[ir.Statement, ...], counter: str | None, by: ir.Expression | None) -> None:
        """Every look at the list is at the place of this round, or at a stretch that ends where the next begins."""
        kinds: set[str] = set()
        inner = {name for each in block for name in walk.walked(each)}
        if counter in inner:
            raise at(self.loop, "the loop's own variable means two things")
        changing = (targets(block) | inner) - {counter}  # in a comprehension, several values in one round
        for look in self._looks(block):
            match look:
                case ir.Index(_, ir.Name(name)) if name == counter and by in (None, ir.ONE):
                    kinds.add("place")
                case ir.Slice(_, low, high) if counter is not None and low is not None and high is not None:
                    self._check_stretch(look, low, high, counter, by or ir.ONE, changing)
                    kinds.add(f"{low} {high}")
                case _:
                    raise at(look, "two rounds may look at the same place of the list")
        if isinstance(self.loop, ir.For) and isinstance(self.loop.source, ir.Over):
            kinds |= {"place"} if any(each == ir.Name(self.records) for _, each in self.loop.source.items) else set()
        if len(kinds) > 1:
            raise at(self.loop, "a round looks at the list in two ways")

    def _check_stretch(
        self,
        look: ir.Node,
        low: ir.Expression,
        high: ir.Expression,
        counter: str,
        by: ir.Expression,
        changing: frozenset[str],
    ) -> None:
        if (walk.names(low) | walk.names(high)) & changing:
            raise at(look, "what a stretch begins or ends with changes in a round")
        later = ir.Arithmetic("+", ir.Name(counter), by)
        first = self._formula(replaced(low, {ir.Name(counter): ir.ZERO}))
        next_low = self._formula(replaced(low, {ir.Name(counter): later}))
        after = self._formula(replaced(low, {ir.Name(counter): ir.Arithmetic("+", later, by)}))
        now, end = self._formula(low), self._formula(high)
        even = (after - next_low).agrees(next_low - now)  # as far apart in every round: the places only rise, or fall
        if not (first.above.is_zero and end.agrees(next_low) and even):
            raise at(look, "a stretch does not end where the next one begins")

    def _formula(self, node: ir.Expression) -> Quotient:
        """A whole-number formula of the program, in which every variable is an unknown."""
        if any(not isinstance(each, ir.Number | ir.Name | ir.Arithmetic) for each in walk.nodes(node)):
            raise at(node, "this is no sum of products")
        names = tuple(ir.Parameter(name, ir.Integer()) for name in sorted(walk.names(node)))
        return Parameters(Terms(), replace(self.mechanism, parameters=names, preconditions=())).of(node, 10**6)

    def _looks(self, block: tuple[ir.Statement, ...]) -> Iterator[ir.Expression]:
        """The smallest parts of expressions that say which places of the list are meant."""
        for expression in walk.evaluated(block):
            yield from self._inside(expression)

    def _inside(self, node: ir.Node) -> Iterator[ir.Expression]:
        match node:
            case ir.Builtin("len", (ir.Name(name),)) if name == self.records:
                return
            case ir.Index(ir.Name(name), index) if name == self.records and self.records not in walk.names(index):
                yield node
            case ir.Slice(ir.Name(name), start, stop) if name == self.records:
                if any(each is None or self.records in walk.names(each) for each in (start, stop)):
                    raise Unproved("a stretch of the list is open, or depends on it")
                yield node
            case ir.Name(name) if name == self.records:
                yield node
            case _:
                for child in walk.children(node):
                    yield from self._inside(child)
