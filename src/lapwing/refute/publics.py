"""Public parameters to search with: small, ordinary values that meet the preconditions.

The one idea: a violation seldom depends on a special public value, so one ordinary assignment is searched first, and
then those that change one parameter of it. Whoever knows better sets values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

from lapwing.errors import InvalidInput, LapwingError
from lapwing.program import ir
from lapwing.refute.claims import claim_value
from lapwing.refute.distribution import Subject
from lapwing.refute.neighbouring import distance_in
from lapwing.refute.patterns import filled
from lapwing.refute.values import Plain

#: Combinations tried before giving up on the preconditions.
_TRIES = 2000
#: Refusals that say more than that some precondition is not met, and how many of them are enough.
_TELLING, _PATIENCE = ("R101", "R102", "R104", "R111", "R112"), 3
#: Parameters that set the scale of everything: other values of them make the same search on another lattice.
_SCALES = ("epsilon", "eps", "rho", "scale", "sigma", "budget")


def assignments(subject: Subject, settings: Mapping[str, object]) -> Iterator[dict[str, Plain]]:
    """Public parameters: first the ordinary ones, then some with one value changed; ``settings`` stay as given."""
    mechanism = subject.mechanism
    public = [parameter for parameter in mechanism.parameters if not parameter.private]
    for name in settings:
        if name not in [parameter.name for parameter in public]:
            known = ", ".join(parameter.name for parameter in public) or "none"
            raise InvalidInput("R109", f"{mechanism.name} has no public parameter {name!r}", f"Set one of: {known}")
    options = [[settings[p.name]] if p.name in settings else _ordinary(p) for p in public]
    first = None
    refusals: list[InvalidInput] = []
    for combination in islice(product(*options), _TRIES):
        refusal = _refusal(subject, public, combination)
        if refusal is None:
            first = combination
            break
        refusals += [refusal] if refusal.code in _TELLING else []
        if len(refusals) > _PATIENCE:
            break
    if first is None and refusals:
        raise refusals[0]
    if first is None:
        raise InvalidInput(
            "R110",
            f"no public parameters were found that meet the preconditions of {mechanism.name}",
            "Set them, as in --set limit=3",
        )
    yield _plain(subject, public, first)
    for place, (parameter, values) in enumerate(zip(public, options, strict=True)):
        for value in [] if parameter.name in _SCALES else values[:2]:
            other = (*first[:place], value, *first[place + 1 :])
            if value != first[place] and _refusal(subject, public, other) is None:
                yield _plain(subject, public, other)


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
            return [[]]  # as long as the private lists: see Neighbourhood
        case ir.Tuple():
            return [filled(parameter.type, 1, 1)]
        case _:
            first = [0, 1] if "threshold" in name else [1, 2, 0]
            return [*first, Fraction(1, 2), 4, -1, 10, Fraction(1, 10)]


def _private_example(parameter: ir.Parameter) -> Plain:
    return filled(parameter.type, 2, 0)


def _refusal(subject: Subject, public: list[ir.Parameter], values: tuple[object, ...]) -> InvalidInput | None:
    """Why the mechanism does not run with these public parameters; None when it does."""
    try:
        plain = _plain(subject, public, values)
        example = {p.name: _private_example(p) for p in subject.mechanism.parameters if p.private}
        for parameter in subject.mechanism.parameters:
            distance_in(parameter, plain)
        claim_value(subject.mechanism, {**example, **plain})
        subject.plausible(subject.inputs({**example, **plain}))
    except InvalidInput as refusal:
        return refusal
    except (LapwingError, ZeroDivisionError):
        return InvalidInput("R110", "the mechanism refuses these public parameters", "Set others")
    return None


def _plain(subject: Subject, public: list[ir.Parameter], values: tuple[object, ...]) -> dict[str, Plain]:
    return {p.name: subject.argument(p, value) for p, value in zip(public, values, strict=True)}
