"""Is the certificate of a release right? Every bound is derived again from its plan; one doubt rejects.

The one idea: what one person can change follows from five facts that can be read off a plan: whose a row is, how many
rows of one person reach the aggregate, how far a row's number is clipped, what noise was added, and how prices add up.
This file derives them by itself, from the record alone, and believes no number that it has not derived.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lapwing.algebra.balls import Interval
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.check.witness import Rejected
from lapwing.errors import LapwingError
from lapwing.noise import Exponential, Gaussian, Laplace

#: What reading a damaged record may run into.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, OverflowError)
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Derived:
    """The certificate holds: this is what the release costs, derived again."""

    statement: str
    price: Mapping[str, Fraction]
    measurements: int


class _Doubt(Exception):
    """A step of the certificate does not follow."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Whose rows these are (None: each is a person), and how many one person can own (None: nothing bounds it)."""

    unit: str | None
    most: int | None


def check_release(certificate: object) -> Derived | Rejected:
    """Derive what the release costs, and compare with what it says."""
    try:
        return _check(certificate)
    except _Doubt as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except RecursionError:
        return Rejected("the plan is nested too deep")
    except _DAMAGE as error:
        return Rejected(f"the certificate is damaged ({type(error).__name__})")


def _check(certificate: Any) -> Derived:  # noqa: ANN401  # JSON, of any shape until it is checked
    if certificate["kind"] != "release":
        raise _Doubt("this is not the certificate of a release")
    changed = {"added": False, "replaced": True}[certificate["neighbours"]]
    rows = _rows(certificate["plan"])
    keys = certificate["keys"]
    unknown = any(key["values"] is None for key in keys)
    selection = certificate["selection"]
    if unknown != (selection is not None):
        raise _Doubt("unknown keys, and only those, need a private choice of groups")
    parts = [*certificate["measurements"], *([] if selection is None else [selection])]
    if not parts:
        raise _Doubt("nothing was measured")
    price: dict[str, Fraction] = {}
    for part in parts:
        for measure, amount in _claim(part, rows, grouped=bool(keys), changed=changed).items():
            price[measure] = price.get(measure, Fraction(0)) + amount
    if len(price) != 1:
        raise _Doubt("prices of different kinds were added up")
    if selection is not None:
        price["delta"] = _selection_delta(selection, changed=changed)
    said = {name: Fraction(value) for name, value in certificate["price"].items()}
    if said != price:
        raise _Doubt("the price is not what the measurements cost together")
    text = ", ".join(f"{name} = {amount}" for name, amount in price.items())
    return Derived(f"the answers cost {text} for one person {_phrase(changed)}", price, len(parts))


# --- whose rows, and how many ----------------------------------------------------------------------------


def _rows(node: Record) -> _Rows:
    """What is known of a relation; the rules are those of a person's own rows, and of nothing else."""
    match node["node"]:
        case "Scan":
            unit = node["type"]["unit"]
            return _Rows(unit, 1 if unit is None else None)
        case "Where":
            return _rows(node["source"])
        case "Project":
            return _projected(node)
        case "PublicJoin":
            rows = _rows(node["source"])
            if rows.unit is None and node["unique"] is not True:
                raise _Doubt("a join could give a person without a unit several rows")
            # with several matches a person's rows multiply: only a public key that is unique keeps their number
            return rows if node["unique"] is True else _Rows(rows.unit, None)
        case "UnitJoin":
            return _joined(node)
        case "Sampled":
            rows = _rows(node["source"])
            if rows.unit is None:
                raise _Doubt("rows are sampled for a person that no column names")
            return _Rows(rows.unit, _whole(node["most"]))
        case "PerUnit":
            rows = _rows(node["source"])
            if rows.unit is None:
                raise _Doubt("rows are grouped by a person that no column names")
            return _Rows(rows.unit, 1 if not node["keys"] else None)
        case other:
            raise _Doubt(f"no rule is known for {other}")


def _projected(node: Record) -> _Rows:
    """The unit stays what it was: a column that copies the unit's column."""
    rows = _rows(node["source"])
    unit = node["type"]["unit"]
    if rows.unit is None:
        if unit is not None:
            raise _Doubt("a computed column was made the unit")
        return rows
    copies = [name for name, value in node["columns"] if value == {"node": "Column", "name": rows.unit}]
    if unit not in copies:
        raise _Doubt("the unit was lost, or replaced by another column")
    return _Rows(unit, rows.most)


def _joined(node: Record) -> _Rows:
    """Two relations of the same people, joined on the person: a result row belongs to that person alone."""
    first, second = _rows(node["first"]), _rows(node["second"])
    if first.unit is None or second.unit is None:
        raise _Doubt("two private relations are joined, and one does not say whose rows it has")
    if node["type"]["unit"] != first.unit:
        raise _Doubt("the unit of a join is another column than the person joined on")
    most = None if first.most is None or second.most is None else first.most * second.most
    return _Rows(first.unit, most)


# --- what one person can change --------------------------------------------------------------------------


def _claim(part: Record, rows: _Rows, *, grouped: bool, changed: bool) -> dict[str, Fraction]:
    """What the mechanism of one measurement costs for the change that is derived here."""
    measurement = part["measurement"]
    l1, l2_squared = _change(measurement, rows, grouped=grouped, changed=changed)
    if part["change"] != {"l1": l1, "l2_squared": l2_squared}:
        raise _Doubt("what one person can change is not what follows from the plan")
    mechanism = part["mechanism"]
    quantile = measurement["function"] == "quantile"
    if quantile != (mechanism["name"] == "exponential"):
        raise _Doubt("a quantile is a choice, and nothing else is")
    claim: PureDP | ZCDP
    if mechanism["name"] == "laplace":
        claim = Laplace(mechanism["scale"]).claim(L1(l1))
    elif mechanism["name"] == "gaussian":
        claim = Gaussian(squared=mechanism["variance"]).claim(L2(squared=l2_squared))
    elif "rho" in part["claim"]:
        claim = Exponential(mechanism["scale"]).zcdp_claim(Linf(l1))
    else:
        claim = Exponential(mechanism["scale"]).claim(Linf(l1))
    derived = {"epsilon": claim.epsilon} if isinstance(claim, PureDP) else {"rho": claim.rho}
    if {name: Fraction(value) for name, value in part["claim"].items()} != derived:
        raise _Doubt("a mechanism does not give what is claimed of it")
    return derived


def _change(measurement: Record, rows: _Rows, *, grouped: bool, changed: bool) -> tuple[int, int]:
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


def _weight(measurement: Record, rows: _Rows, *, grouped: bool) -> int:
    """k·S, where the plan or the bounding makes it true."""
    k, steps = _whole(measurement["rows_per_unit"]), _whole(measurement["weight_steps"])
    bounding, function = measurement["bounding"], measurement["function"]
    if bounding == "none":
        once = function == "units" and not grouped  # a person is one person, however many rows there are
        if not once and (rows.most is None or rows.most > k):
            raise _Doubt("nothing keeps the rows of one person to the limit")
        if steps != 1:
            raise _Doubt("rows without weights count in whole ones")
        return k
    if rows.unit is None:
        raise _Doubt("rows are bounded for a person that no column names")
    if bounding == "sample" and steps != 1:
        raise _Doubt("sampled rows count in whole ones")
    if bounding not in ("weights", "sample"):
        raise _Doubt("the bounding is unknown")
    if bounding == "sample" and function not in ("distinct", "units"):
        raise _Doubt("only different values and people are counted in a sample")
    if function == "distinct" and bounding != "sample":
        raise _Doubt("different values cannot be counted with weights")
    return k * steps


def _numbers(measurement: Record) -> tuple[int, int]:
    """The least and the largest number a row can have, in steps."""
    function = measurement["function"]
    if function in ("rows", "units", "distinct"):
        return 1, 1
    if function == "quantile":  # what a row adds to a score: it lies below the bucket, or not
        fraction = Fraction(measurement["fraction"])
        if not 0 <= fraction <= 1:
            raise _Doubt("a quantile is outside [0, 1]")
        return -fraction.numerator, fraction.denominator - fraction.numerator
    low, high = Fraction(measurement["low"]), Fraction(measurement["high"])
    step, centre = Fraction(measurement["step"]), measurement["centre"]
    if low > high or step <= 0 or isinstance(centre, bool) or not isinstance(centre, int):
        raise _Doubt("the range of a row's number is not a range")
    least, largest = low // step - centre, high // step - centre
    if function == "total":
        return least, largest
    if function == "squares":
        inside = least <= 0 <= largest
        return (0 if inside else min(least**2, largest**2)), max(least**2, largest**2)
    raise _Doubt("the measurement is unknown")


def _selection_delta(selection: Record, *, changed: bool) -> Fraction:
    """δ of showing a group that only one person is in: each of at most k is shown with a chance of δ/k at most."""
    measurement, threshold = selection["measurement"], _whole(selection["threshold"])
    # where a person has one row, rows are people
    people = measurement["function"] == "units" or (
        measurement["function"] == "rows" and measurement["bounding"] == "none" and measurement["rows_per_unit"] == 1
    )
    if not people or measurement["argument"] is not None:
        raise _Doubt("groups are chosen by something else than the people in them")
    if measurement["bounding"] == "weights":
        raise _Doubt("with weights a person can be in any number of groups")
    delta = Fraction(selection["delta"])
    groups = measurement["rows_per_unit"] * (2 if changed else 1)
    if selection["mechanism"]["name"] != "laplace" or not 0 < delta < 1:
        raise _Doubt("groups are chosen by another mechanism")
    chance: Interval = Laplace(selection["mechanism"]["scale"]).upper_tail(threshold - measurement["weight_steps"])
    if chance.upper * groups > delta:
        raise _Doubt("a group of one person is shown more often than delta")
    return delta


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Doubt("a limit is not a whole number from 1")
    return value


def _phrase(changed: bool) -> str:
    return "changed" if changed else "more or fewer"
