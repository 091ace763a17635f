"""A mechanism on records read as one on the totals that it computes from them.

Claim: let M(rows, p) = M'(T(rows, p), p), where T computes totals from the records and public parameters alone. If one
record moves every total by at most its distance, neighbouring rows give neighbouring totals, so a bound of M' for
those neighbours is one of M (a stable transformation before a mechanism, [McS09], [RP10]).

Totals are numbers computed from the records and public parameters, found in three places: by themselves, in the body of
a ``for`` over a public range or list (one total for each round, so a list of them), and as a list comprehension. A new
private parameter is put in the place of each (:mod:`substitution`); if anything else of the records is left, there is
no such reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.release_prices import Cost, Folds
from lapwing.kernel.folds.substitution import Total, Totals, mentions
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.program.printer import show
from lapwing.kernel.symbolic.terms import ZERO, compare, magnitude, minus, times
from lapwing.kernel.wellformed import secrecy, structure


@dataclass(frozen=True, slots=True)
class Lifted:
    """The mechanism on totals, without the distances of its neighbours."""

    mechanism: ir.Mechanism
    totals: tuple[Total, ...]

    def with_distances(self, distances: Sequence[tuple[str, bool]]) -> ir.Module:
        """The mechanism whose totals differ as said: by a distance, all one way or (False) each as it may."""
        relations: dict[str, ir.Parameter] = {}
        for total, (text, one_way) in zip(self.totals, distances, strict=True):
            distance = formula(text)
            kind = "within" if not total.listed else "monotone" if one_way else "each"
            number: Fraction | str = show(distance) if walk.names(distance) else _constant(distance)
            relations[total.name] = ir.Parameter(
                total.name,
                ir.List(total.kind) if total.listed else total.kind,
                Relation(kind, number),  # type: ignore[arg-type]  # one of three
                distance,
            )
        parameters = (*self.mechanism.parameters, *relations.values())
        return ir.Module((secrecy.with_variables(replace(self.mechanism, parameters=parameters), {}),))


def lift(folds: Folds) -> Lifted:
    """The mechanism on totals; refuses one that uses its records in any other way."""
    mechanism, records = folds.mechanism, folds.records
    if not isinstance(records.type, ir.List):
        raise Unproved("there are no records to add up")
    totals = Totals(folds.extraction, folds.parameters, {each.name: each.type for each in mechanism.variables})
    words = {part.name for part in walk.nodes(mechanism) if isinstance(part, ir.Name | ir.Parameter)}
    words |= walk.walked(mechanism) | set(totals.types)
    body = totals.block(mechanism.body, None, top=True)
    others = tuple(each for each in mechanism.parameters if each is not records)
    told = [*others, *mechanism.preconditions, *(each for each in (mechanism.claim,) if each is not None)]
    if any(mentions(part, records.name) for part in (*body, *told)) or not totals.found:
        raise Unproved("the records are used for more than totals")
    if words & {name for each in totals.found for name in (each.name, each.here)}:
        raise Unproved("a variable has the name that a total gets")
    if not totals.left.isdisjoint(walk.assigned(body)):
        raise Unproved("a variable of a loop over records is set elsewhere, too")
    variables = tuple(ir.Variable(name, kind, False, False) for name, kind in totals.types.items())
    plain = replace(mechanism, parameters=others, body=body, variables=variables, accuracy=(), flow=None)
    # what only a loop over records set is not set any more: whoever reads it is refused here
    structure.check(plain)
    return Lifted(plain, tuple(totals.found))


def confirm(folds: Folds, lifted: Lifted, distances: Sequence[tuple[str, bool]]) -> None:
    """Refuse unless one record moves every total by at most its distance, and one way where that is said."""
    if len(distances) != len(lifted.totals):
        raise Unproved("there is not one distance for each total")
    symbols = folds.extraction.symbols
    for total, (text, one_way) in zip(lifted.totals, distances, strict=True):
        _check_divisors(folds, text)
        cost = moves(folds, total)
        room = minus(folds.parameters.public(formula(text)), cost.total)  # so no distance is below 0
        if not folds.questions.at_least_zero(room, symbols, cost.known):
            raise Unproved(f"one record may move {total.name} by more than {text[:60]}")
        if one_way and not _one_way(folds, total):
            raise Unproved(f"{total.name} may rise in one place and fall in another")


def _check_divisors(folds: Folds, text: str) -> None:
    """Refuse a distance that may divide by 0: other proofs have no value for it there, and would prove everything."""
    for part in walk.nodes(formula(text)):
        match part:
            case ir.Arithmetic("/", _, by) | ir.Builtin("//" | "%", (_, by)):
                divisor = folds.parameters.public(by)
                if not folds.questions.always(compare("!=", divisor, ZERO), folds.extraction.symbols):
                    raise Unproved(f"a distance may divide by 0: {text[:60]}")


def moves(folds: Folds, total: Total) -> Cost:
    """How far one record moves a total (of a list, any of them)."""
    distance, known = folds.moved(total.each)
    everyone = folds.changes_all  # if every record may change, each moves the total
    return Cost(magnitude(distance) if everyone is None else times(everyone, magnitude(distance)), known)


def _one_way(folds: Folds, total: Total) -> bool:
    """Whether a record more never lowers (or never raises) any of the totals."""
    if total.number.loose:
        return False
    if folds.records.relation is None or folds.records.relation.kind != "added":
        return False
    distance, known = folds.moved(total.each)
    symbols = folds.extraction.symbols
    return any(folds.questions.always(compare(symbol, distance, ZERO), symbols, known) for symbol in (">=", "<="))


def _constant(distance: ir.Expression) -> Fraction:
    match distance:
        case ir.Number(value):
            return value
        case ir.Arithmetic("/", ir.Number(above), ir.Number(below)) if below:
            return above / below
    raise Unproved("a distance is not a number, or a formula over public parameters")
