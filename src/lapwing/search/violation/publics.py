"""Public parameters to search with: small, ordinary values that meet the preconditions.

The one idea: a violation seldom depends on a special public value, so one ordinary assignment is searched first, then
those that change one parameter of it, also to the numbers that the program compares it with, then two. Whoever knows
better sets values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice, product

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, walk
from lapwing.search.violation.asserted import solved
from lapwing.search.violation.claimed_numbers import claim_value
from lapwing.search.violation.neighbouring import distance_in
from lapwing.search.violation.patterns import filled
from lapwing.search.violation.subject import Subject

#: Combinations tried before giving up on the preconditions.
_TRIES = 2000
#: The longest list that a precondition may ask for.
LONGEST = 120
#: Refusals that say more than that some precondition is not met, and how many of them are enough.
_TELLING, _PATIENCE = ("C110", "C115", "R111", "R112"), 3
#: Parameters that set the scale of everything: other values of them make the same search at another scale.
_SCALES = ("epsilon", "eps", "rho", "scale", "sigma", "budget")
#: They are tried last, since noise that is not in proportion to them is rare.
_MAGNITUDES = (Fraction(1, 10), 4, Fraction(1, 2), 2, 20, Fraction(1, 100))
#: Deltas and whole numbers that tell only together with others.
_DELTAS, _MANY = (Fraction(1, 10), Fraction(1, 2)), (16,)
#: Numbers far from 1, for two parameters at once: bounds of which one is far larger than the other.
_EXTREMES = (-10, 10, Fraction(1, 10))
#: Values of one parameter near numbers it is compared with, and other sets of values, that are tried.
_TELLING_VALUES, _VARIATIONS = 9, 60
#: Lists that are not in order, as many a program silently takes them to be.
_UNSORTED = ((1, 0, 2), (1, 0))
#: How often a function is asked, where a parameter says so.
ASKED = (4, 6)
#: Values of each other parameter that are tried.
_OTHERS = 4


def assignments(subject: Subject, settings: Mapping[str, object]) -> Iterator[dict[str, Value]]:
    """Public parameters: first the ordinary ones, then some with one value changed; ``settings`` stay as given."""
    mechanism = subject.mechanism
    public = [parameter for parameter in mechanism.parameters if not parameter.private]
    for name in settings:
        if name not in [parameter.name for parameter in public]:
            known = ", ".join(parameter.name for parameter in public) or "none"
            raise InvalidInput("R109", f"{mechanism.name} has no public parameter {name!r}", f"Set one of: {known}")
    options = [[settings[p.name]] if p.name in settings else _ordinary(p) for p in public]
    asked = _asked(subject)
    options = [
        list(dict.fromkeys((*ASKED, *each))) if p.name in asked and len(each) > 1 else each
        for p, each in zip(public, options, strict=True)
    ]
    first = _first(subject, public, options, settings)
    yield _plain(subject, public, first)
    seen = [first]
    for other in islice(_variations(mechanism, public, options, first), _VARIATIONS):
        if other not in seen and _refusal(subject, public, other) is None:
            yield _plain(subject, public, other)
        seen.append(other)


def _first(
    subject: Subject, public: list[ir.Parameter], options: list[list[object]], settings: Mapping[str, object]
) -> tuple[object, ...]:
    """Values with which the mechanism runs: ordinary ones, else some that a solver finds for the preconditions."""
    refusals: list[InvalidInput] = []
    for combination in islice(product(*options), _TRIES):
        refusal = _refusal(subject, public, combination)
        if refusal is None:
            return combination
        refusals += [refusal] if refusal.code in _TELLING else []
        if len(refusals) > _PATIENCE:
            break
    for suggested, _ in solved(subject.mechanism):
        chosen = [
            [suggested[p.name]] if p.name in suggested and p.name not in settings else values[:2]
            for p, values in zip(public, options, strict=True)
        ]
        for combination in islice(product(*chosen), _PATIENCE):
            if _refusal(subject, public, combination) is None:
                return combination
    if refusals:
        raise refusals[0]
    raise InvalidInput(
        "R110",
        f"no public parameters were found that meet the preconditions of {subject.mechanism.name}",
        "Set them, as in --set limit=3",
    )


def _variations(
    mechanism: ir.Mechanism, public: list[ir.Parameter], options: list[list[object]], first: tuple[object, ...]
) -> Iterator[tuple[object, ...]]:
    """Other values: of one parameter, the ordinary and then the telling ones; and of two at once."""
    free = [place for place, values in enumerate(options) if len(values) > 1]
    scales = [place for place in free if public[place].name in _SCALES]
    others = [place for place in free if place not in scales]
    telling = {place: _telling(mechanism, public[place]) for place in free}
    yield from (_changed(first, {place: value}) for place in others for value in options[place][:_OTHERS])
    yield from (_changed(first, {place: value}) for place in free for value in telling[place])
    yield from (
        _changed(first, {place: value}) for place in others for value in _further(public[place], options[place])
    )
    yield from (_changed(first, {place: value}) for place in scales for value in _MAGNITUDES)
    numbers = [place for place in others if isinstance(public[place].type, ir.Real | ir.Integer)]
    ends = {place: [*(_EXTREMES if _is_real(public[place]) else (2, 8)), *telling[place]] for place in numbers}
    for one, two in combinations(numbers, 2):
        yield from (_changed(first, {one: a, two: b}) for a, b in product(ends[one], ends[two]))
    for scale, other in product(scales, numbers):
        values = options[other][1:_OTHERS]
        yield from (_changed(first, {scale: a, other: b}) for a, b in product(_MAGNITUDES, values))


def candidates(mechanism: ir.Mechanism, parameter: ir.Parameter) -> list[object]:
    """Values of one number worth trying with any values of the others."""
    if parameter.name == "delta":
        return [*_ordinary(parameter), *_DELTAS]
    more = _MAGNITUDES if parameter.name in _SCALES else _MANY if parameter.type == ir.Integer() else ()
    return list(dict.fromkeys((*_ordinary(parameter), *more, *_telling(mechanism, parameter))))


def _further(parameter: ir.Parameter, values: list[object]) -> list[object]:
    """Larger whole numbers: 3 divides what 4 does not; lists of equal numbers: each of them fits where one does."""
    if isinstance(parameter.type, ir.List) and parameter.type.element == ir.Real():
        return [[filled(parameter.type.element, 1, 1)] * n for n in (3, 2)]
    return values[_OTHERS:] if parameter.type == ir.Integer() else []


def _changed(values: tuple[object, ...], changes: Mapping[int, object]) -> tuple[object, ...]:
    return tuple(changes.get(place, value) for place, value in enumerate(values))


def _is_real(parameter: ir.Parameter) -> bool:
    """Whether it may be any number; a delta or a probability may not."""
    return parameter.type == ir.Real() and parameter.name not in ("delta", "p", "probability")


def _telling(mechanism: ir.Mechanism, parameter: ir.Parameter) -> list[Fraction]:
    """Values on both sides of the numbers that a parameter is compared with, in asserts and elsewhere."""
    found: dict[Fraction, None] = {}
    for condition in (*mechanism.preconditions, *walk.evaluated(mechanism.body)):
        for node in walk.nodes(condition):
            if isinstance(node, ir.Compare) and parameter.name in walk.names(node):
                for part in walk.nodes(node):
                    if isinstance(part, ir.Number) and part.value:
                        found |= dict.fromkeys(_near(part.value, parameter.type))
    return [each for each in found if parameter.type in (ir.Real(), ir.Integer())][:_TELLING_VALUES]


def _near(number: Fraction, kind: ir.Type) -> tuple[Fraction, ...]:
    if kind == ir.Integer():
        whole = Fraction(int(number))
        return (whole, whole + 1, whole - 1)
    return (number, number * 2, number / 2)


def _asked(subject: Subject) -> set[str]:
    """Whole numbers that may say how often a function is asked: nothing else makes the list of its answers long."""
    if subject.source is subject.module:
        return set()
    heads: list[ir.Expression] = []
    for each in walk.statements(subject.mechanism.body):
        if isinstance(each, ir.For | ir.While):
            heads += walk.expressions(each)
    named = set[str]().union(*map(walk.names, heads))
    return {each.name for each in subject.mechanism.parameters if each.type == ir.Integer() and each.name in named}


def _ordinary(parameter: ir.Parameter) -> list[object]:
    name = parameter.name
    if name in _SCALES:
        return [1, Fraction(1, 2), 2]
    if name == "delta":
        return [Fraction(1, 10**6), Fraction(1, 100)]
    if name in ("p", "probability"):
        return [Fraction(1, 2), Fraction(9, 10), Fraction(1, 10), Fraction(1, 3)]
    match parameter.type:
        case ir.Integer():
            return [1, 2, 3, 0, 4, 8]
        case ir.Boolean():
            return [True, False]
        case ir.List():
            ends = [(0, n) for n in (1, 2, 4, 5, 8)] + [(1, n) for n in (3, 1, 2)]  # what divides is not 0
            counted = [(0, 1, 2), *_UNSORTED, *(range(first, first + n) for first, n in ends)]
            # first as long as the private lists: see Neighbourhood
            return [[], *([filled(parameter.type.element, 1, each) for each in numbers] for numbers in counted)]
        case ir.Tuple():
            return [filled(parameter.type, 1, 1)]
        case _:
            first = [0, 1] if "threshold" in name else [1, 2, 0]
            return [*first, -1, Fraction(1, 2), 4, 10, Fraction(1, 10)]


def _example(subject: Subject, plain: Mapping[str, Value]) -> dict[str, Value]:
    """Private values of a length that meets the preconditions, 2 if it may be chosen."""
    private = [parameter for parameter in subject.mechanism.parameters if parameter.private]
    for length in lengths(subject.mechanism):
        example = {each.name: filled(each.type, length, 0) for each in private}
        with suppress(LapwingError, ZeroDivisionError):
            subject.inputs({**example, **plain})
            return example
    return {each.name: filled(each.type, 2, 0) for each in private}


@lru_cache(maxsize=16)
def lengths(mechanism: ir.Mechanism) -> tuple[int, ...]:
    """Lengths of lists worth trying: small ones, those at the numbers that preconditions name, and a solver's."""
    parts = [part for condition in mechanism.preconditions for part in walk.nodes(condition)]
    named = [
        int(part.value) + step
        for part in parts
        if isinstance(part, ir.Number) and part.value.denominator == 1 and part.value <= LONGEST
        for step in (0, 1, -1)
    ]
    if any(isinstance(part, ir.Builtin) and part.function == "len" for part in parts):
        named += [each for _, found in solved(mechanism) for each in found.values() if each <= LONGEST]
    return tuple(dict.fromkeys((2, 1, 3, *(each for each in named if each >= 0), 0)))


def _refusal(subject: Subject, public: list[ir.Parameter], values: tuple[object, ...]) -> InvalidInput | None:
    """Why the mechanism does not run with these public parameters; None when it does."""
    try:
        plain = _plain(subject, public, values)
        for parameter in subject.mechanism.parameters:
            distance_in(parameter, plain)
        example = _example(subject, plain)
        claim_value(subject.mechanism, {**example, **plain})
        subject.quick.answers(subject.inputs({**example, **plain}))
    except InvalidInput as refusal:
        return refusal
    except (LapwingError, ZeroDivisionError):
        return InvalidInput("R110", "the mechanism refuses these public parameters", "Set others")
    return None


def _plain(subject: Subject, public: list[ir.Parameter], values: tuple[object, ...]) -> dict[str, Value]:
    return {p.name: subject.argument(p, value) for p, value in zip(public, values, strict=True)}
