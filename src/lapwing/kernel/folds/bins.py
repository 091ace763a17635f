"""Rounds that release something about a record each: bins, cells of a table, groups.

The one idea: if of any two rounds a record has a part in one at most, all rounds together cost what one costs (a record
more or fewer), or two (a record changed). Loops in loops are rounds with several numbers; two of them are different if
at some depth the later one has a larger number, and all numbers before are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lapwing.kernel.folds.symbols import age
from lapwing.kernel.folds.values import replaced
from lapwing.kernel.folds.ways import Released, Rounds
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import ONE, ZERO, Term, compare, inside, plus

#: What the numbers of a round stand for.
Numbers = Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class Bins:
    """Loops, the outermost first, whose innermost rounds all release the same totals."""

    loops: tuple[Rounds, ...]
    released: tuple[Released, ...]
    #: unknowns of a round: another round has others
    own: tuple[str, ...] = ()

    @staticmethod
    def of(rounds: Rounds) -> Bins | None:
        """The bins that a loop is, if scales are the same in all rounds, and there are equally many in each loop."""
        loops, inner = [rounds], rounds
        while len(inner.ways) == 1 and len(inner.ways[0].released) == 1:
            (found,) = inner.ways[0].released
            if not isinstance(found, Rounds):
                break
            loops.append(found)
            inner = found
        if len(inner.ways) != 1 or not inner.ways[0].released:
            return None
        released = [each for each in inner.ways[0].released if isinstance(each, Released) and each.other is None]
        if len(released) < len(inner.ways[0].released):
            return None
        numbers = {each.number for each in loops}
        scales = {name for each in released for name in walk.names(each.scale)}
        counts = {name for each in loops for name in walk.names(each.count)} - numbers
        if any(age(name) > rounds.since for name in scales | counts):
            return None
        own = {name for each in released for name in walk.names(each.each) if age(name) > rounds.since} - numbers
        return Bins(tuple(loops), tuple(released), tuple(sorted(own)))

    @property
    def numbers(self) -> list[str]:
        """The unknowns that are the numbers of a round."""
        return [each.number for each in self.loops]

    @property
    def names(self) -> set[str]:
        """The unknowns that stand for the numbers of two rounds, all of them whole numbers."""
        return {f"{number}.{side}" for number in self.numbers for side in ("x", "y", "gap")}

    def two(self) -> tuple[tuple[Numbers, Numbers], tuple[Term, ...]]:
        """Any two rounds, and what is known of them."""
        unknowns = (*self.numbers, *self.own)
        sides = tuple({name: ir.Name(f"{name}.{side}") for name in unknowns} for side in ("x", "y"))
        return (sides[0], sides[1]), (*self._within(sides[0]), *self._within(sides[1]))

    def apart(self) -> Iterator[tuple[tuple[Numbers, Numbers], tuple[Term, ...]]]:
        """Any two rounds that are not the same, and what is known of them: one case for each depth."""
        for depth, number in enumerate(self.numbers):
            (first, second), _ = self.two()
            # a later round is the first one, one more, and a gap of 0 or more: so the solver sees which products grow
            gap = ir.Name(f"{number}.gap")
            same = {each: first[each] for each in self.numbers[:depth]}
            later = {**second, **same, number: plus(plus(first[number], ONE), gap)}
            known = (compare(">=", gap, ZERO), *self._within(first), *self._within(later))
            yield (first, later), known

    def _within(self, numbers: Numbers) -> Iterator[Term]:
        """That a round is one of its loop, and what else holds in it: of what rounds share, or have their own of."""
        for each in self.loops:
            known = dict.fromkeys((inside(ir.Name(each.number), each.count), *each.ways[0].known))
            for fact in known:
                if all(age(name) <= self.loops[0].since or name in numbers for name in walk.names(fact)):
                    yield replaced(fact, numbers)
