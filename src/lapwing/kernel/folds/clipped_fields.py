"""Parts of a record by their ranges: a clipped number is any number between its bounds.

Claim: let t be a term that is never below a nor above b, given what is known. What holds for every number v with
a <= v <= b in the place of t holds for t. So a question about many clipped fields need not be asked in every
combination of *below, between, above*: three cases for each of six fields are 729, and as ranges they are one. It may
fail where the exact one holds (t and something else of its field move together): then the exact one is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import LEFT, POSITION, RIGHT, ROUND
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import ZERO, Term, compare, outcomes, unknowns

#: Fewer clipped fields than these make few cases.
MANY = 3
#: Parts of the largest term that is looked at: a clip of one field has some ten, one of products of fields far more.
LARGE, MIXED = 40, 200
#: Unknowns in as many polynomials as coverings are good for, where each has a range: with more, bounds of products do.
COVERED = 4


def never_below_zero(questions: Cells, value: Term, symbols: Symbols, known: Sequence[Term]) -> bool:
    """Whether a number is never below 0: with ranges in the places of many clipped fields, or else as it is."""
    clipped = _of_one_record(value)
    mixed = any(map(_is_mixed, clipped))  # products of fields make few cases, each of which takes coverings long
    if mixed or len({_fields(each) for each in clipped}) >= MANY:
        ranged, inside, lost, seen = value, list[Term](), False, set[str]()
        for part in clipped:
            if part not in walk.nodes(ranged):
                continue  # it was part of one that has an unknown in its place already
            ends = _range(questions, part, symbols, known)
            if ends is not None:
                between = symbols.number("range")
                ranged = replaced(ranged, {part: between})
                inside += [compare("<=", ends[0], between), compare("<=", between, ends[1])]
                # one that jumps from end to end, or of a field that another is of, is less than any number between
                lost = lost or not seen.isdisjoint(_fields(part)) or not any(map(_fields, outcomes(part)))
                seen |= _fields(part)
        together = not seen.isdisjoint(_fields(ranged))  # a field and what is made of it, which no range tells
        if inside and not together and _in_ranges(questions, ranged, symbols, (*known, *inside)):
            return True
        if inside and (mixed or not lost) and not _fields(ranged):
            return False  # nothing was lost, and the same would be asked in many cases; or coverings would not end
    return questions.at_least_zero(value, symbols, known)


def _in_ranges(questions: Cells, ranged: Term, symbols: Symbols, known: Sequence[Term]) -> bool:
    return replace(questions, covered=COVERED).at_least_zero(ranged, symbols, known)


def _of_one_record(value: Term) -> list[Term]:
    """The conditional parts that are about one of the two records: mixed ones first, from the largest on."""
    found: dict[Term, int] = {}
    for part in walk.nodes(value):
        if isinstance(part, ir.Conditional) and part not in found and _is_of_one(part):
            found[part] = sum(1 for _ in walk.nodes(part))
    # what is clipped to one side alone has no range: of mixed terms, the whole is looked at before its parts
    mixed = [each for each, size in found.items() if size <= MIXED and _is_mixed(each)]
    plain = [each for each, size in found.items() if size <= LARGE and each not in mixed]
    return [*sorted(mixed, key=found.__getitem__, reverse=True), *sorted(plain, key=found.__getitem__)]


def _is_of_one(part: Term) -> bool:
    """Whether a term is about one of the two records: where places or rounds decide, its range is no help."""
    made, fields = {name for name in unknowns(part) if name.startswith("%")}, _fields(part)
    if len(made) == 1:
        return made == fields
    return (
        len({_record(name) for name in fields}) == 1
        and not any(name.startswith((ROUND, POSITION)) for name in made)
        and _is_mixed(part)
    )


def _is_mixed(part: Term) -> bool:
    """Whether it has products of a record's fields, or of one and what was released: coverings of those take long."""
    return any(
        isinstance(each, ir.Arithmetic) and each.operator == "*" and _fields(each) and len(set(unknowns(each))) > 1
        for leaf in outcomes(part)
        for each in walk.nodes(leaf)
    )


def _record(name: str) -> str:
    return name.split(".")[0].split("[")[0]


def _fields(term: Term) -> frozenset[str]:
    """What of the two records a term is about."""
    return frozenset(name for name in unknowns(term) if _record(name) in (LEFT, RIGHT))


def _range(questions: Cells, part: Term, symbols: Symbols, known: Sequence[Term]) -> tuple[Term, Term] | None:
    """Two of the public numbers that it may be, or 0, between which it always is."""
    ends = dict.fromkeys(each for each in outcomes(part) if not _fields(each))
    # of numbers that it may be, the least and the largest alone are ends
    numbers = sorted((each for each in ends if isinstance(each, ir.Number)), key=lambda each: each.value)
    others = [*(each for each in ends if not isinstance(each, ir.Number)), ZERO]
    lows, highs = [*numbers[:1], *others], [*numbers[-1:], *others]

    def first(ends: Sequence[Term], says: Callable[[Term], Term]) -> Term | None:
        return next((each for each in ends if questions.always(says(each), symbols, known)), None)

    try:
        low = first(lows, lambda end: compare("<=", end, part))
        if low is None:
            return None
        high = first(highs, lambda end: compare("<=", part, end))
    except Unproved:  # no number, or too many cases
        return None
    return None if high is None else (low, high)
