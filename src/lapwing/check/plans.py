"""What follows from a plan about one person, derived by the checker alone: whose rows there are, and how many.

The one idea: what one person can change follows from facts that can be read off a plan: whose a row is, how many rows
of one person reach the aggregate, and how far a row's number is clipped. This file derives them by itself, from the
record alone, and believes no number that it has not derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lapwing.algebra.exact import exact
from lapwing.check.rejected import Rejected
from lapwing.errors import LapwingError

#: What reading a damaged record may run into.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, OverflowError)
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Derived:
    """The certificate holds: this is what the answers cost, derived again."""

    statement: str
    price: Mapping[str, Fraction]
    measurements: int


class Doubt(Exception):
    """A step of the certificate does not follow."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Whose rows these are (None: each is a person), and how many one person can own (None: nothing bounds it)."""

    unit: str | None
    most: int | None


def derived(check: Callable[[Any], Derived], certificate: object) -> Derived | Rejected:
    """What ``check`` derives; one doubt, and any damage, rejects."""
    try:
        return check(certificate)
    except Doubt as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except RecursionError:
        return Rejected("the plan is nested too deep")
    except _DAMAGE as error:
        return Rejected(f"the certificate is damaged ({type(error).__name__})")


def number(value: Any) -> Fraction:  # noqa: ANN401  # whatever the record holds
    """An exact number of ordinary size: 1e99999999 in a forged record would keep the checker busy for days."""
    return exact(value, "a number of the certificate")


# --- whose rows, and how many ----------------------------------------------------------------------------


def rows_of(node: Record) -> Rows:
    """What is known of a relation; the rules are those of a person's own rows, and of nothing else."""
    match node["node"]:
        case "Scan":
            unit = node["type"]["unit"]
            return Rows(unit, 1 if unit is None else None)
        case "Where":
            return rows_of(node["source"])
        case "Project":
            return _projected(node)
        case "PublicJoin":
            rows = rows_of(node["source"])
            if rows.unit is None and node["unique"] is not True:
                raise Doubt("a join could give a person without a unit several rows")
            # with several matches a person's rows multiply: only a public key that is unique keeps their number
            return rows if node["unique"] is True else Rows(rows.unit, None)
        case "UnitJoin":
            return _joined(node)
        case "Sampled":
            rows = rows_of(node["source"])
            if rows.unit is None:
                raise Doubt("rows are sampled for a person that no column names")
            return Rows(rows.unit, whole(node["most"]))
        case "PerUnit":
            rows = rows_of(node["source"])
            if rows.unit is None:
                raise Doubt("rows are grouped by a person that no column names")
            return Rows(rows.unit, 1 if not node["keys"] else None)
        case other:
            raise Doubt(f"no rule is known for {other}")


def _projected(node: Record) -> Rows:
    """The unit stays what it was: a column that copies the unit's column."""
    rows = rows_of(node["source"])
    unit = node["type"]["unit"]
    if rows.unit is None:
        if unit is not None:
            raise Doubt("a computed column was made the unit")
        return rows
    copies = [name for name, value in node["columns"] if value == {"node": "Column", "name": rows.unit}]
    if unit not in copies:
        raise Doubt("the unit was lost, or replaced by another column")
    return Rows(unit, rows.most)


def _joined(node: Record) -> Rows:
    """Two relations of the same people, joined on the person: a result row belongs to that person alone."""
    first, second = rows_of(node["first"]), rows_of(node["second"])
    if first.unit is None or second.unit is None:
        raise Doubt("two private relations are joined, and one does not say whose rows it has")
    if node["type"]["unit"] != first.unit:
        raise Doubt("the unit of a join is another column than the person joined on")
    most = None if first.most is None or second.most is None else first.most * second.most
    return Rows(first.unit, most)


# --- what one person can change --------------------------------------------------------------------------


def change_of(measurement: Record, rows: Rows, *, grouped: bool, changed: bool) -> tuple[int, int]:
    """How far one person can move the numbers of all groups together: in sum, and in the sum of squares.

    A person's weights add up to at most K. A row's number lies in [least, largest], and is 0 where it is left out; so
    with p = max(largest, 0), q = max(-least, 0) and m = max(p, q), one person adds at most K·m in all. A changed person
    adds that twice in two groups, or goes from -K·q to K·p in one.
    """
    weight = _weight(measurement, rows, grouped=grouped)
    least, largest = _numbers(measurement)
    p, q = max(largest, 0), max(-least, 0)
    most = weight * max(p, q)
    if not changed:
        return most, most**2
    across = weight * (p + q)
    if not grouped:
        return across, across**2
    return 2 * most, max(across**2, 2 * most**2)


def _weight(measurement: Record, rows: Rows, *, grouped: bool) -> int:
    """k·S, where the plan or the bounding makes it true."""
    k, steps = whole(measurement["rows_per_unit"]), whole(measurement["weight_steps"])
    bounding, function = measurement["bounding"], measurement["function"]
    if bounding == "none":
        once = function == "units" and not grouped  # a person is one person, however many rows there are
        if not once and (rows.most is None or rows.most > k):
            raise Doubt("nothing keeps the rows of one person to the limit")
        if steps != 1:
            raise Doubt("rows without weights count in whole ones")
        return k
    if rows.unit is None:
        raise Doubt("rows are bounded for a person that no column names")
    if bounding == "sample" and steps != 1:
        raise Doubt("sampled rows count in whole ones")
    if bounding not in ("weights", "sample"):
        raise Doubt("the bounding is unknown")
    if bounding == "sample" and function not in ("distinct", "units"):
        raise Doubt("only different values and people are counted in a sample")
    if function == "distinct" and bounding != "sample":
        raise Doubt("different values cannot be counted with weights")
    return k * steps


def _numbers(measurement: Record) -> tuple[int, int]:
    """The least and the largest number a row can have, in steps."""
    function = measurement["function"]
    if function in ("rows", "units", "distinct"):
        return 1, 1
    if function == "quantile":  # what a row adds to a score: it lies below the bucket, or not
        fraction = number(measurement["fraction"])
        if not 0 <= fraction <= 1:
            raise Doubt("a quantile is outside [0, 1]")
        return -fraction.numerator, fraction.denominator - fraction.numerator
    low, high = number(measurement["low"]), number(measurement["high"])
    step, centre = number(measurement["step"]), measurement["centre"]
    if low > high or step <= 0 or isinstance(centre, bool) or not isinstance(centre, int):
        raise Doubt("the range of a row's number is not a range")
    least, largest = low // step - centre, high // step - centre
    if function == "total":
        return least, largest
    if function == "squares":
        inside = least <= 0 <= largest
        return (0 if inside else min(least**2, largest**2)), max(least**2, largest**2)
    raise Doubt("the measurement is unknown")


def whole(value: object) -> int:
    """A limit; refuses anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Doubt("a limit is not a whole number from 1")
    return value


def phrase(changed: bool) -> str:
    """What happens to one person between neighbours."""
    return "changed" if changed else "more or fewer"
