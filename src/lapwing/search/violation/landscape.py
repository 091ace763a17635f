"""The answers of two neighbouring inputs seen together: which shapes they have, and where their real numbers lie.

The one idea: an answer is a shape (its truth values, whole numbers and lengths) with holes for real numbers. A hole has
no likely values, only regions: half-lines and small cells at *marks*, the numbers at which the law of one side or the
other changes its formula, and at some scales beyond.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import floor, isqrt
from typing import TypeGuard

from lapwing.algebra.balls import Interval
from lapwing.kernel.distribution.gaussians import Factor
from lapwing.kernel.distribution.pieces import Pieces
from lapwing.kernel.distribution.probability import Chance, Distribution
from lapwing.kernel.distribution.probability_cells import Multiplied
from lapwing.kernel.distribution.states import State, States
from lapwing.kernel.distribution.values import Divided, Form, Value, fraction, outward
from lapwing.kernel.evidence.event import FINENESS, Anything, Between, Event
from lapwing.kernel.evidence.values import Value as PlainValue
from lapwing.search.violation.subject import Inputs, Known, Subject
from lapwing.search.violation.walked_answers import Answers

#: Stands for a real number in a shape, and for a noisy whole number.
HOLE, WHOLE_HOLE = Between(None, None), Anything()
#: Marks of one hole that are looked at.
MOST_MARKS = 8
#: Events whose probability is walked for anew, where a better precision is needed.
MOST_REPEATED = 8
#: Events that are cut into cells for one side.
MOST_CUT = 40
#: Regions of a table of answers, at most.
MOST_REGIONS = 200
#: KeptSides that are remembered.
REMEMBERED = 500


@dataclass(slots=True)
class Hole:
    """Where one number of an answer may lie."""

    whole: bool
    marks: set[Fraction] = field(default_factory=set)
    spread: Fraction = Fraction(0)

    def seen(self, marks: frozenset[Fraction], spread: Fraction) -> None:
        """Take another state's marks in."""
        self.marks |= set(sorted(marks)[:MOST_MARKS])
        self.spread = max(self.spread, spread)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The outermost marks."""
        return (min(self.marks), max(self.marks)) if self.marks else (Fraction(0), Fraction(0))

    def cell(self, at: Fraction) -> Event:
        """The answer of a run at a number."""
        return Fraction(floor(at)) if self.whole else floor(at / FINENESS) * FINENESS

    def options(self) -> list[Event]:
        """Regions worth trying, the telling ones first: both tails, cells beyond the marks, cells at them."""
        low, high = self.ends
        far = self.spread or Fraction(1)
        middle = sorted(self.marks)[:4]
        cells = [low - far, high + far, *middle, *(each - FINENESS for each in middle[:2]), (low + high) / 2]
        found = [Between(None, low - far), Between(high, None), *map(self.cell, cells)]
        return list(dict.fromkeys(found))

    def tails(self, reaches: tuple[Fraction, ...] = ()) -> list[Event]:
        """Half-lines at, between and beyond the marks, also so many times as far as these are apart."""
        low, high = self.ends
        far = self.spread or Fraction(1)
        cuts = {
            *self.marks,
            *(low - far * k / 2 for k in (1, 2, 4, 6, 8)),
            *(high + far * k / 2 for k in (1, 2, 4, 6, 8)),
        }
        cuts |= {low + (high - low) * k / 4 for k in range(1, 4)}
        cuts |= {end for k in reaches for end in (low - (high - low) * k, high + (high - low) * k)}
        return [event for cut in sorted(cuts) for event in (Between(None, cut), Between(cut, None))]

    def partition(self) -> list[Event]:
        """Regions that together hold every number."""
        low, high = self.ends
        if self.whole:
            return [
                Between(None, low - 4),
                *(Fraction(int(low) + k) for k in range(-3, int(high - low) + 4)),
                Between(high + 4, None),
            ]
        far = self.spread or Fraction(1)
        cuts = sorted({*self.marks, low - 2 * far, low - far, high + far, high + 2 * far})
        inner = [Between(low, high - FINENESS) for low, high in pairwise(cuts)]
        return [Between(None, cuts[0] - FINENESS), *inner, Between(cuts[-1], None)]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of answers with its holes, in order."""

    event: Event
    holes: tuple[Hole, ...]

    def filled(self, regions: tuple[Event, ...]) -> Event:
        """The event in which each hole lies in its region."""
        rest = iter(regions)
        return _filled(self.event, rest)


def _filled(event: Event, rest: Iterator[Event]) -> Event:
    if isinstance(event, tuple):
        return tuple(_filled(each, rest) for each in event)
    return next(rest) if event in (HOLE, WHOLE_HOLE) and not isinstance(event, Fraction | bool) else event


class Side:
    """The answers on one side."""

    def __init__(self, subject: Subject, inputs: Inputs) -> None:
        self._subject, self._inputs = subject, inputs
        #: None where nothing but cells will do
        self._answers: Answers | None = subject.answers(inputs)
        self._chances: dict[Event, Chance] = {}
        self._states: dict[Event, States] = {}
        self._holed: list[Event] | None = None
        #: all answers at a better precision, and how many events were walked for anew
        self._table: Distribution | None = None
        self._repeated = 0
        #: shape → what is known of its holes
        self.shapes: dict[Event, list[list[Known]]] = {}
        if self._answers is None:
            for event, holes in subject.sketched(inputs, _sketch):
                self.shapes.setdefault(event, []).append(list(holes))
            return
        for answer, state in self._answers.each():
            known: list[Known] = []
            event = _shape(answer, state, known)
            self.shapes.setdefault(event, []).append(known)
            self._states.setdefault(event, {}).setdefault(0, []).append(state)

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are closed forms."""
        return self._answers is not None and self._answers.space.is_exact

    def chance(self, event: Event) -> Chance:
        """The probability of an event; only answers of shapes that can be in it are looked at."""
        if event not in self._chances:
            among: States = {}
            for shape in self._shapes_of(event):
                among.setdefault(0, []).extend(self._states[shape][0])
            found = None if self._answers is None else self._answers.chance(event, among)
            self._chances[event] = self._again(event) if found is None else found
        return self._chances[event]

    def _shapes_of(self, event: Event) -> list[Event]:
        """The shapes of answers that may be in an event; one answer has its own, and else one with holes."""
        if self._holed is None:
            self._holed = list(filter(_has_hole, self._states))
        if not _is_plain(event):
            return [shape for shape in self._states if _may_be(shape, event)]
        own = [event] if event in self._states else []
        return own + [shape for shape in self._holed if _may_be(shape, event)]

    def _again(self, event: Event) -> Chance:
        """Where the first precision does not do: one table of all answers, or a few events one by one."""
        if _is_plain(event) and not _has_hole(tuple(self.shapes)):
            if self._table is None:
                self._table = self._subject.distribution(self._inputs)
            return self._table.get(event, Interval(Fraction(0), self._table.lost))
        self._repeated += 1
        if self._repeated > (MOST_REPEATED if self._answers is not None else MOST_CUT):
            return Interval(Fraction(0), Fraction(1))
        return self._subject.chance(self._inputs, event)


class KeptSides:
    """The sides of a mechanism, each walked once: also whoever looks again, after a proof, finds them here."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject.quick
        self._walked: dict[object, Side] = {}

    def of(self, inputs: Inputs) -> Side:
        """The answers on some inputs."""
        key = tuple(inputs.items())
        if key not in self._walked:
            if len(self._walked) > REMEMBERED:
                self._walked.clear()
            self._walked[key] = Side(self._subject, inputs)
        return self._walked[key]


def _is_plain(event: Event) -> TypeGuard[PlainValue]:
    """Whether an event is one answer."""
    return all(map(_is_plain, event)) if isinstance(event, tuple) else isinstance(event, Fraction | bool)


def _has_hole(shape: Event) -> bool:
    return any(map(_has_hole, shape)) if isinstance(shape, tuple) else isinstance(shape, Between | Anything)


def _may_be(shape: Event, event: Event) -> bool:
    """Whether an answer of a shape may be in an event. A number without noise may be where a noisy one may, too."""
    match shape, event:
        case ((Between() | Anything()), _):
            return True
        case tuple(), tuple():
            return len(shape) == len(event) and all(map(_may_be, shape, event))
        case (bool(), bool()) | (Fraction(), Fraction()):
            return shape == event
    return not isinstance(event, Fraction | bool)


def _shape(answer: Value, state: State, holes: list[Known]) -> Event:
    if isinstance(answer, tuple):
        return tuple(_shape(each, state, holes) for each in answer)
    if isinstance(answer, Form):
        holes.append((answer.mentions[0][0] in state.whole, *_marks(answer, state)))
        return WHOLE_HOLE if answer.mentions[0][0] in state.whole else HOLE
    if isinstance(answer, Divided):
        holes.append((False, *_marks_of_share(answer, state)))
        return HOLE
    plain = outward(answer)
    return floor(plain / FINENESS) * FINENESS if isinstance(plain, Fraction) else plain


def _sketch(answer: object, holes: list[Known]) -> Event:
    """The shape of an answer in a cell."""
    if isinstance(answer, Multiplied):
        reach = sum((abs(each) for draws, each in answer.terms.items() if draws), Fraction(0))
        holes.append((False, frozenset({answer.terms.get((), Fraction(0))}), reach))
        return HOLE
    if isinstance(answer, Sequence):
        return tuple(_sketch(each, holes) for each in answer)
    return answer if isinstance(answer, bool) else floor(Fraction(answer) / FINENESS) * FINENESS  # type: ignore[call-overload]  # a number


def shapes(left: Side, right: Side) -> list[Shape]:
    """Every shape of answers on either side, with what is known of its holes from both."""
    found: dict[Event, tuple[Hole, ...]] = {}
    for side in (left, right):
        for event, many in side.shapes.items():
            for holes in many:
                known = found.setdefault(event, tuple(Hole(whole) for whole, _, _ in holes))
                for hole, (_, marks, spread) in zip(known, holes, strict=True):
                    hole.seen(marks, spread)
    return [Shape(event, holes) for event, holes in found.items()]


def _marks(form: Form, state: State) -> tuple[frozenset[Fraction], Fraction]:
    """Where the law of a form changes, and how far it reaches."""
    options: list[list[Fraction]] = []
    spread = Fraction(0)
    for draw, c in form.mentions:
        slope = fraction(c)
        if draw in state.whole:
            marks, reach = [Fraction(0)], state.whole[draw].law.scale
        else:
            marks, reach = _own_marks(state.factors.get(((draw, 1),)))
        options.append([slope * mark for mark in marks])
        spread += abs(slope) * reach
    base = fraction(form.constant)
    return frozenset(base + sum(each) for each in islice(product(*options), MOST_MARKS)), spread


def _marks_of_share(share: Divided, state: State) -> tuple[frozenset[Fraction], Fraction]:
    """The same of a quotient: the quotients of where both laws change, and those with the other sign."""
    below, width = _marks(share.below, state)
    above, reach = (
        _marks(share.above, state)
        if isinstance(share.above, Form)
        else (frozenset({fraction(share.above)}), Fraction(0))
    )
    least = max(min((abs(mark) for mark in below if mark), default=width), width)
    marks = {one / two for one in above for two in below if two} | {Fraction(0), reach / width, -reach / width}
    return frozenset(islice(sorted(marks | {-mark for mark in marks}), MOST_MARKS)), reach / least


def _own_marks(factor: Factor | None) -> tuple[list[Fraction], Fraction]:
    if factor is None:
        return [Fraction(0)], Fraction(1)
    if isinstance(factor, Pieces):
        rates = [Fraction(abs(p), q) for _, _, terms in factor.segments for _, p, q in terms if p]
        marks = [fraction(at) for at in factor.breaks]
        return marks or [Fraction(0)], 1 / min(rates) if rates else Fraction(1)
    bell = factor.bells[0]
    middle = fraction(-bell.offset / bell.slope)
    width = fraction(bell.variance / (bell.slope * bell.slope))
    deviation = Fraction(isqrt(int(width * 4**12)) + 1, 2**12)
    marks = [] if factor.pieces is None else [fraction(at) for at in factor.pieces.breaks]
    return [middle, *marks], deviation


def events(left: Side, right: Side) -> tuple[list[Event], bool]:
    """Events that exclude each other and hold every answer (if there are not too many); whether all are points."""
    found: dict[Event, None] = {}
    every = shapes(left, right)
    for shape in every:
        for regions in islice(product(*(hole.partition() for hole in shape.holes)), MOST_REGIONS):
            found[shape.filled(regions)] = None
    return list(found), not any(shape.holes for shape in every)
