"""What is released along a body, and its parts as mechanisms of their own.

The one idea: a part may read what was released before it, public parameters and private data, and nothing else that
was computed from private data but what it computes again for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from lapwing.kernel.composition.disjoint import check_disjoint
from lapwing.kernel.composition.exposure import Names, exposed, reads, targets
from lapwing.kernel.composition.outline import Part, outline
from lapwing.kernel.composition.rounds import Turns, turns
from lapwing.kernel.composition.spending import Account
from lapwing.kernel.composition.thinning import thinned
from lapwing.kernel.doubt import at
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.solver import Terms


@dataclass(frozen=True, slots=True)
class Derived:
    """Statements that compute private values, what they set and what they read."""

    block: tuple[ir.Statement, ...]
    sets: Names
    reads: Names


@dataclass(slots=True)
class Passage:
    """Where a walk over the parts of a body has come to."""

    terms: Terms
    module: ir.Module
    mechanism: ir.Mechanism
    measure: str
    parameters: Parameters = field(init=False)
    released: Names = field(default=frozenset(), kw_only=True)
    derived: list[Derived] = field(default_factory=list, kw_only=True)
    #: what is read again however a round ends
    kept: Names = field(default=frozenset(), kw_only=True)
    #: the variable in which the loop around adds up what is paid: prices may speak of it
    account: Account | None = field(default=None, kw_only=True)
    #: what the variables of that loop hold in a round
    begun: Turns = field(default=Turns(Quotient.of(1)), kw_only=True)

    def __post_init__(self) -> None:
        known = self.mechanism if self.account is None else self.account.known(self.mechanism)
        self.parameters = Parameters(self.terms, known)

    def again(self) -> Self:
        """Another walk from here on."""
        return replace(self, derived=list(self.derived))

    @property
    def private_names(self) -> Names:
        """The private parameters."""
        return frozenset(each.name for each in self.mechanism.parameters if each.private)

    @property
    def derived_names(self) -> Names:
        """The private values that were computed so far."""
        return frozenset[str]().union(*(each.sets for each in self.derived))

    @property
    def known_names(self) -> Names:
        """What is released, and the parameters that all may know."""
        return self.released | {each.name for each in self.mechanism.parameters if not each.private}

    def foreign(self, read: Names) -> Names:
        """What is neither released nor a parameter that all may know."""
        return read - self.known_names

    def knows(self, argument: ir.Expression) -> bool:
        """Whether all may know what an expression is."""
        return not self.foreign(reads(argument, self.mechanism))

    def public(self, block: tuple[ir.Statement, ...]) -> None:
        """Passage over post-processing."""
        hidden = self.foreign(exposed(block, self.mechanism))
        if hidden:
            raise at(block[0], f"'{min(hidden)}' is used here, and is not released")
        if targets(block) & self.derived_names:
            raise at(block[0], "a private value is set again")
        self.released |= targets(block)

    def private(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> None:
        """Private values are computed once, so that a later step may compute them again for itself."""
        for each in walk.statements(block):
            if isinstance(each, ir.Sample | ir.Call | ir.Asking | ir.Return):
                raise at(each, "a private part draws, calls, asks or answers")
            if isinstance(each, ir.While):  # no step need compute it again, and not to answer is an answer, too
                raise at(each, "private values may decide whether this loop ends")
        read, sets = exposed(block, self.mechanism), targets(block)
        outside = [each for each in self.mechanism.body if not any(each is inner for inner in block)]
        if sets & (targets(outside) | self.released):
            raise at(block[0], "what a private part sets is set elsewhere, too")
        if self.foreign(read) - self.private_names - self.derived_names:
            raise at(block[0], "a private part reads what is not known yet")
        if (read & self.released) & targets(rest):
            raise at(block[0], "what a private part reads changes later on")
        self.derived.append(Derived(block, sets, read))

    def _prelude(self, read: Names) -> tuple[ir.Statement, ...]:
        """The statements that compute the private values among ``read``, in order."""
        needed: set[int] = set()
        for number in reversed(range(len(self.derived))):
            each = self.derived[number]
            if each.sets & read:
                needed.add(number)
                read |= each.reads
        return tuple(statement for number in sorted(needed) for statement in self.derived[number].block)

    def _read(self, rest: tuple[ir.Statement, ...]) -> Names:
        return exposed(rest, self.mechanism) | self.kept

    def step(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> ir.Module:
        """A step as a mechanism of its own."""
        outputs = targets(block) & self._read(rest)
        read = exposed(block, self.mechanism)
        used = self.begun.seen(read) if self.begun.elements else Turns(Quotient.of(1))
        prelude = self._prelude(read)
        part = Part(block, prelude, self.released, outputs, used.counters, used.known, used.elements)
        outlined = outline(self.module, self.mechanism, part)
        self.released = (self.released - targets(block)) | outputs
        return outlined

    def sampled(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> ir.Module:
        """A step on a sample as a mechanism on records of its own."""
        private = self.private_names
        if self.foreign(exposed(block, self.mechanism)) - private:
            raise at(block[0], "a step on a sample uses private values besides")
        outputs = targets(block) & self._read(rest)
        # what is known of the records' number is not known of the sample's
        known = tuple(each for each in self.mechanism.preconditions if not walk.names(each) & private)
        on_records = replace(self.mechanism, preconditions=known)
        part = Part(thinned(self.mechanism, block).block, (), self.released, outputs)
        outlined = outline(self.module, on_records, part)
        self.released = (self.released - targets(block)) | outputs
        return outlined

    def loop(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> tuple[ir.Module, Turns]:
        """A round of a loop as a mechanism of its own, and how often it turns."""
        loop = one_loop(block)
        turning = turns(self.parameters, loop, self.released)
        return self._round(loop, turning, rest), turning

    def apart(self, block: tuple[ir.Statement, ...], rest: tuple[ir.Statement, ...]) -> ir.Module:
        """A round of a loop of which all rounds together cost what one does; it may turn any number of times."""
        loop = one_loop(block)
        check_disjoint(self.mechanism, loop)
        if exposed(loop.body, self.mechanism) & self.derived_names:
            raise at(loop, "a round uses private values that were computed before")
        return self._round(loop, turns(self.parameters, loop, self.released, counted=False), rest)

    def _round(self, loop: ir.For | ir.While, turning: Turns, rest: tuple[ir.Statement, ...]) -> ir.Module:
        tested = self._tested(loop)
        inside, set_inside = exposed(loop.body, self.mechanism), targets(loop.body)
        outputs = set_inside & (self._read(rest) | inside | tested)
        begun = {name for name, _ in turning.counters} | {name for name, _, _ in turning.elements}
        # what a round hands on is released when the loop begins, and answered by every round
        handed = (inside | tested) & set_inside - begun | (outputs & self._read(rest))
        missing = handed - self.released
        if missing:
            raise at(loop, f"'{min(missing)}' goes from round to round, and is not released at first")
        own = frozenset(walk.targets(loop))
        if self.derived_names & (set_inside | own):
            raise at(loop, "a private value is set again")
        used = turning.seen(inside)
        prelude = self._prelude(inside)
        head = self.released - set_inside | (self.released & (inside | tested))
        part = Part(loop.body, prelude, head, outputs, used.counters, used.known, used.elements, looped=True)
        outlined = outline(self.module, self.mechanism, part)
        # behind the loop, its own variables hold what the last round began with: an element of a private list, perhaps
        self.released = (self.released - set_inside - own) | outputs
        return outlined

    def _tested(self, loop: ir.For | ir.While) -> Names:
        """What decides whether a loop goes on, which all may know."""
        tested = reads(loop.condition, self.mechanism) if isinstance(loop, ir.While) else frozenset[str]()
        if self.foreign(tested):
            raise at(loop, "what decides whether the loop goes on is not released")
        return tested

    def inside(self, loop: ir.For | ir.While, rest: tuple[ir.Statement, ...], account: Account) -> Self:
        """A walk over the body of a loop that released values steer, from the beginning of any round."""
        if self.account is not None:
            raise at(loop, "a loop that keeps accounts stands in another")
        tested = self._tested(loop)
        turning = turns(self.parameters, loop, self.released, counted=False)
        counters = frozenset(name for name, _ in turning.counters)
        elements = frozenset(name for name, _, _ in turning.elements)
        if (counters | elements) & (targets(loop.body) | self.derived_names):
            raise at(loop, "the loop sets its own variable")
        changed = targets(loop.body)
        again = (exposed(loop.body, self.mechanism) | tested | self._read(rest)) & changed
        if again - self.released:
            raise at(loop, f"'{min(again - self.released)}' goes from round to round, and is not released at first")
        account = account.beside(turning.counters)
        released = (self.released - elements) | counters
        return replace(self.again(), released=released, kept=self.kept | again, account=account, begun=turning)


def one_loop(block: tuple[ir.Statement, ...]) -> ir.For | ir.While:
    """The loop that a part is."""
    (loop, *others) = block
    if others or not isinstance(loop, ir.For | ir.While):
        raise at(loop, "this is not one loop")
    return loop
