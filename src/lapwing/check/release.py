"""Is the certificate of a release right? Every bound is derived again from its plan; one doubt rejects.

The one idea: what one person can change follows from five facts that can be read off a plan: whose a row is, how many
rows of one person reach the aggregate, how far a row's number is clipped, what noise was added, and how prices add up.
This file derives them by itself, from the record alone, and believes no number that it has not derived.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lapwing.algebra.balls import Interval
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.check.plans import Derived, Doubt, Record, Rows, change_of, derived, number, phrase, rows_of, whole
from lapwing.check.rejected import Rejected
from lapwing.noise import Exponential, Gaussian, Laplace

__all__ = ["Derived", "check_release"]


def check_release(certificate: object) -> Derived | Rejected:
    """Derive what the release costs, and compare with what it says."""
    return derived(_check, certificate)


def _check(certificate: Any) -> Derived:  # noqa: ANN401  # JSON, of any shape until it is checked
    if certificate["kind"] != "release":
        raise Doubt("this is not the certificate of a release")
    changed = {"added": False, "replaced": True}[certificate["neighbours"]]
    rows = rows_of(certificate["plan"])
    keys = certificate["keys"]
    unknown = any(key["values"] is None for key in keys)
    selection = certificate["selection"]
    if unknown != (selection is not None):
        raise Doubt("unknown keys, and only those, need a private choice of groups")
    parts = [*certificate["measurements"], *([] if selection is None else [selection])]
    if not parts:
        raise Doubt("nothing was measured")
    price: dict[str, Fraction] = {}
    for part in parts:
        for measure, amount in _claim(part, rows, grouped=bool(keys), changed=changed).items():
            price[measure] = price.get(measure, Fraction(0)) + amount
    if len(price) != 1:
        raise Doubt("prices of different kinds were added up")
    if selection is not None:
        price["delta"] = _selection_delta(selection, changed=changed)
    said = {name: number(value) for name, value in certificate["price"].items()}
    if said != price:
        raise Doubt("the price is not what the measurements cost together")
    text = ", ".join(f"{name} = {amount}" for name, amount in price.items())
    return Derived(f"the answers cost {text} for one person {phrase(changed)}", price, len(parts))


# --- what each measurement costs -------------------------------------------------------------------------


def _claim(part: Record, rows: Rows, *, grouped: bool, changed: bool) -> dict[str, Fraction]:
    """What the mechanism of one measurement costs for the change that is derived here."""
    measurement = part["measurement"]
    l1, l2_squared = change_of(measurement, rows, grouped=grouped, changed=changed)
    if part["change"] != {"l1": l1, "l2_squared": l2_squared}:
        raise Doubt("what one person can change is not what follows from the plan")
    mechanism = part["mechanism"]
    quantile = measurement["function"] == "quantile"
    if quantile != (mechanism["name"] == "exponential"):
        raise Doubt("a quantile is a choice, and nothing else is")
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
    if {name: number(value) for name, value in part["claim"].items()} != derived:
        raise Doubt("a mechanism does not give what is claimed of it")
    return derived


def _selection_delta(selection: Record, *, changed: bool) -> Fraction:
    """δ of showing a group that only one person is in: each of at most k is shown with a chance of δ/k at most."""
    measurement, threshold = selection["measurement"], whole(selection["threshold"])
    # where a person has one row, rows are people
    people = measurement["function"] == "units" or (
        measurement["function"] == "rows" and measurement["bounding"] == "none" and measurement["rows_per_unit"] == 1
    )
    if not people or measurement["argument"] is not None:
        raise Doubt("groups are chosen by something else than the people in them")
    if measurement["bounding"] == "weights":
        raise Doubt("with weights a person can be in any number of groups")
    delta = number(selection["delta"])
    groups = measurement["rows_per_unit"] * (2 if changed else 1)
    if selection["mechanism"]["name"] != "laplace" or not 0 < delta < 1:
        raise Doubt("groups are chosen by another mechanism")
    chance: Interval = Laplace(selection["mechanism"]["scale"]).upper_tail(threshold - measurement["weight_steps"])
    if chance.upper * groups > delta:
        raise Doubt("a group of one person is shown more often than delta")
    return delta
