"""A certified mechanism on a vector of queries: the proof says what it costs, the plan says how far the vector moves.

The one idea: a certificate is about neighbouring *vectors* (``each(1)``: every number moves by at most 1). Whether
the answers to some queries are such neighbours is a fact about their plans, decided here, before anything is charged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput, Unbounded
from lapwing.kernel.evidence.application import ApplicationCertificate
from lapwing.kernel.evidence.release import price_to_json
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, written_types
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.release.application import GROUPS, LISTS, NUMBERS, check_charge
from lapwing.kernel.run.inputs import public as read_public
from lapwing.kernel.run.interpret import STEPS
from lapwing.ledger import Receipt
from lapwing.library import Certified
from lapwing.query.expressions import Column, Kind
from lapwing.query.plan import Function, Measurement, Query, Statistic
from lapwing.query.sensitivity import change
from lapwing.session.certificate import recorded
from lapwing.session.groups import Fetched, public_groups
from lapwing.session.noising import exact_values
from lapwing.session.rendering import applied_text
from lapwing.session.road import Inquiry, Road, Tables, digest_of
from lapwing.session.sizes import sized
from lapwing.session.waiting import Ready
from lapwing.source.printed_modules import show_module

#: Bits of a number in a price: certificates and ledgers print them in decimals.
_PRINTED = 4096
_MEASURED = {Function.ROWS, Function.UNITS, Function.TOTAL}


@dataclass(frozen=True, slots=True, repr=False)
class Applied:
    """What a mechanism answered, what that cost, and the proof: the mechanism's certificate and the queries' plans."""

    value: object
    spent: Mapping[str, str]
    remaining: Mapping[str, str]
    receipt: Mapping[str, object]
    certificate: Mapping[str, Any]
    #: whether this answer was already paid for; the same mechanism asked anew is another draw, and costs again
    repeated: bool = False

    def to_json(self) -> dict[str, object]:
        """The answer as one JSON object, with everything that ``lapwing check`` needs to check it."""
        return {
            "value": _json_value(self.value),
            "spent": float(Fraction(next(iter(self.spent.values())))),
            "remaining": float(Fraction(next(iter(self.remaining.values())))),
            "price": dict(self.spent),
            "left": dict(self.remaining),
            "receipt": dict(self.receipt),
            "certificate": dict(self.certificate),
        }

    def __str__(self) -> str:
        return applied_text(self)

    __repr__ = __str__


def applying(
    road: Road, mechanism: Certified, queries: Sequence[Query], *, public: Mapping[str, object]
) -> Ready[Applied]:
    """Check that the queries are what the mechanism was proved for; then it takes the road of every question."""
    private = _private(mechanism)
    taken = next((name for name in private if name in public), None)
    if taken is not None:
        raise InvalidInput("S151", f"{taken!r} is what the queries give", "Leave it out")
    public = _exactly(mechanism, public)  # once: what is priced is what runs
    neighbours = road.policy.neighbours
    if not queries:
        raise InvalidInput("S151", "a mechanism is given no queries", "Give a list of counts or sums")
    vectors = _vectors(private, queries, neighbours)
    _check_kinds(mechanism, queries)
    guarantee = mechanism.guarantee
    listed = {name: each.length for name, each in vectors.items() if private[name].kind not in NUMBERS}
    price = guarantee.at(**public, **{name: count for name, count in listed.items() if private[name].keeps_length})
    if any(
        part.denominator.bit_length() > _PRINTED or part.numerator.bit_length() > _PRINTED for part in astuple(price)
    ):
        raise InvalidInput(
            "S151",
            "what the mechanism costs with these parameters is a number that nobody could write down",
            "Give parameters of ordinary size",
        )
    for name, relation in private.items():
        _check_distance(relation, vectors[name], public)
    # whatever public parameters can do wrong shows on made-up answers, before anything is charged
    of_rows = any(relation.kind == "added" for relation in private.values())
    for each in (0, 1) if of_rows else (0,):
        made_up = [Fraction(each)] * sum(vector.length for vector in vectors.values())
        mechanism(**public, **_given(private, queries, made_up))
    proof = ApplicationCertificate(
        mechanism.certificate,
        show_module(mechanism.runnable.module),
        public,
        neighbours,
        tuple(query.text for query in queries),
        tuple(query.aggregate for query in queries),
        price,
    )
    record = recorded(proof.to_json)

    def noise(tables: Sequence[Tables]) -> object:
        values = [value for query, (fetched,) in zip(queries, tables, strict=True) for value in _exact(query, fetched)]
        given = _given(private, queries, values)
        if not of_rows:
            return mechanism(**public, **given)
        # a limit that is the same for every table would tell whether there are more rows than it allows
        return mechanism.runnable.run({**public, **given}, steps=STEPS * (int(sum(values)) + 1))

    def release(value: object, receipt: Receipt) -> tuple[Applied, str]:
        stamp = {"sequence": receipt.sequence, "analyst": receipt.analyst, "time": receipt.time, "hash": receipt.hash}
        left, spent = receipt.remaining, price_to_json(price)
        remaining = {name: str(getattr(left, name)) for name in spent}
        applied = Applied(value, spent, remaining, stamp, record)
        return applied, json.dumps(applied.to_json())

    question = Inquiry(
        digest_of(record),
        application_text(guarantee.function, [query.text for query in queries]),
        (lambda policy: check_charge(proof, guarantee, policy),),
        noise,
        release,
        repeats=False,
    )

    def finish(found: object) -> Applied:
        assert isinstance(found, Applied)  # noqa: S101  # it is never repeated
        return found

    return Ready(road, question, finish)


def application_text(function: str, queries: Sequence[str]) -> str:
    """What the ledger calls it."""
    return f"{function}({'; '.join(queries)})"[:10_000]


def read_applied(text: str, *, repeated: bool = False) -> Applied:
    """What a mechanism answered, as it was written; refuses anything else."""
    try:
        data = json.loads(text)
        price, left = dict(data["price"]), dict(data["left"])
        return Applied(data["value"], price, left, dict(data["receipt"]), dict(data["certificate"]), repeated)
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidInput("S141", "this is not the answer of a mechanism", "Give the JSON of its to_json()") from None


@dataclass(frozen=True, slots=True)
class _Vector:
    """How the vector of answers moves: its length, and the most that one number can move."""

    length: int
    largest: Fraction


def _private(mechanism: Certified) -> Mapping[str, Relation]:
    if type(mechanism) is not Certified:  # not even a subclass: whatever is called here sees exact answers
        raise InvalidInput(
            "S150",
            f"a {type(mechanism).__name__} is not a certified mechanism",
            "Take one of lapwing.library, or certify one with lapwing.library.certified",
        )
    if not mechanism.private:
        raise InvalidInput("S150", "the mechanism has no private parameter", "Choose one that takes answers")
    return mechanism.private


def _vectors(private: Mapping[str, Relation], queries: Sequence[Query], neighbours: Neighbours) -> dict[str, _Vector]:
    """What the queries give for each private parameter, if it moves as its relation says."""
    if all(relation.kind in NUMBERS for relation in private.values()):
        if len(queries) != len(private):
            names = ", ".join(private)
            raise InvalidInput("S151", f"{len(queries)} queries are given for {names}", "Give one for each, in order")
        each = zip(private, queries, strict=True)
        return {name: _Vector(1, _scalar(query, neighbours)) for name, query in each}
    if len(private) == 1:
        ((name, relation),) = private.items()
        return {name: _one_vector(relation, queries, neighbours)}
    raise InvalidInput("S150", "a mechanism for queries has one private list", "Choose one that takes a single vector")


def _one_vector(relation: Relation, queries: Sequence[Query], neighbours: Neighbours) -> _Vector:
    """The vector that the queries give, if it moves as the relation says."""
    if relation.kind in LISTS:
        sizes = [_scalar(query, neighbours) for query in queries]
        if relation.kind == "monotone":
            _check_monotone(queries, neighbours)
        return _Vector(len(sizes), max(sizes, default=Fraction(0)))
    if relation.kind in GROUPS and len(queries) == 1:
        vector = _disjoint(queries[0], neighbours)
        if relation.kind == "added":
            _check_rows(queries[0])
        return vector
    raise InvalidInput(
        "S150",
        f"queries do not give a vector of neighbours {relation}",
        "Choose a mechanism for each(...), monotone(...), one(...), within(...), replaced() or added()",
    )


def _check_kinds(mechanism: Certified, queries: Sequence[Query]) -> None:
    """Refuse answers, or rows, of another kind than the mechanism takes: it would read them as 0."""
    for each in mechanism.runnable.ir.parameters:
        if each.relation is None or not isinstance(each.type, ir.List):
            continue
        kind = queries[0].aggregate.keys[0].type.kind if each.relation.kind == "added" else Kind.REAL
        takes_truths = isinstance(each.type.element, ir.Boolean)
        fits = kind is Kind.BOOLEAN if takes_truths else kind in (Kind.INTEGER, Kind.REAL)
        if not fits or isinstance(each.type.element, ir.List | ir.Tuple):
            given = "rows" if each.relation.kind == "added" else "answers"
            problem = f"{each.name!r} takes {written_types.show(each.type)}, and the {given} are of another kind"
            raise InvalidInput("S151", problem, "Ask for what the mechanism takes, or choose another mechanism")


def _check_rows(query: Query) -> None:
    """Refuse groups that are not the rows of one column with their counts."""
    if len(query.aggregate.keys) != 1 or _measurement(query).function is Function.TOTAL:
        remedy = "Count the rows by one column with public keys: SELECT age, COUNT(*) FROM people GROUP BY age"
        raise InvalidInput("S151", "a mechanism for added() takes the rows of one column", remedy)


def _given(private: Mapping[str, Relation], queries: Sequence[Query], values: Sequence[Fraction]) -> dict[str, object]:
    """What the mechanism is given where these are the answers: numbers, a list of them, or the rows they count."""
    if all(relation.kind in NUMBERS for relation in private.values()):
        return dict(zip(private, values, strict=True))
    ((name, relation),) = private.items()
    if relation.kind != "added":
        return {name: list(values)}
    keys = public_groups(queries[0].aggregate.keys).columns[0].to_pylist()
    return {name: [key for key, count in zip(keys, values, strict=True) for _ in range(int(count))]}


def _measurement(query: Query) -> Measurement:
    aggregate = query.aggregate
    wanted = [each for each in query.answers if each.statistic is not Statistic.KEY]
    simple = (
        len(aggregate.measurements) == 1
        and aggregate.selection is None
        and query.sheet is None
        and aggregate.measurements[0].function in _MEASURED
        and all(each.statistic in (Statistic.COUNT, Statistic.SUM) for each in wanted)
        and (query.having, query.limit, query.offset, query.order) == (None, None, 0, ())
        and all(isinstance(output, Column) for _, output in query.outputs)
    )
    if not simple:
        remedy = "Ask for one number per query, as it is counted: no arithmetic, order or limit"
        raise InvalidInput("S151", "a query for a mechanism is one COUNT or one SUM", remedy)
    return aggregate.measurements[0]


def _in_units(measurement: Measurement, steps: int) -> Fraction:
    return Fraction(steps) * measurement.step / measurement.weight_steps


def _scalar(query: Query, neighbours: Neighbours) -> Fraction:
    """How far one person can move the answer of a query without groups."""
    measurement = _measurement(query)
    if query.aggregate.keys:
        raise InvalidInput("S151", "a query in a list of queries has groups", "Ask for one number per query")
    return _in_units(measurement, change(measurement, grouped=False, neighbours=neighbours).l1)


def _disjoint(query: Query, neighbours: Neighbours) -> _Vector:
    """Groups of one query, when one person is in one of them."""
    measurement = _measurement(query)
    if not query.aggregate.keys:
        raise InvalidInput("S151", "this mechanism needs a query with groups", "Add GROUP BY")
    if measurement.rows_per_unit != 1 or neighbours is not Neighbours.ADDED or measurement.weight_steps != 1:
        raise Unbounded(
            "S152",
            "one person can be in several of the groups, and the mechanism was proved for one",
            "Use a mechanism for each(...), or a table with one row per person",
        )
    moved = change(measurement, grouped=True, neighbours=neighbours)
    return _Vector(public_groups(query.aggregate.keys).count, _in_units(measurement, moved.l1))


def _check_monotone(queries: Sequence[Query], neighbours: Neighbours) -> None:
    counts = all(_measurement(query).function in (Function.ROWS, Function.UNITS) for query in queries)
    if not counts or neighbours is not Neighbours.ADDED:
        raise Unbounded(
            "S152",
            "the answers need not all rise or all fall together",
            "Use counts, and protect against one person more or fewer",
        )


def _check_distance(relation: Relation, vector: _Vector, public: Mapping[str, object]) -> None:
    if relation.kind in ("replaced", "added"):
        return
    distance = relation.distance
    if isinstance(distance, str):
        if distance.isidentifier() and distance not in public:
            raise InvalidInput(
                "S151",
                f"the mechanism's parameter {distance!r} is missing",
                f"Give {distance}={vector.largest}: one person moves no answer by more",
            )
        distance = Fraction(str(public[distance])) if distance in public else None
    if distance is None or vector.largest > distance:
        raise Unbounded(
            "S152",
            f"one person can move an answer by {vector.largest}, and the mechanism was proved for {relation}",
            "Clip the sum, keep one row per person, or use a mechanism that was proved for this distance",
        )


def _exact(query: Query, fetched: Fetched) -> list[Fraction]:
    """The answers before the mechanism sees them; one measurement is one statement."""
    measurement = _measurement(query)
    steps = exact_values(measurement, fetched, public_groups(query.aggregate.keys))
    return [_in_units(measurement, int(step)) for step in steps]


def _exactly(mechanism: Certified, public: Mapping[str, object]) -> dict[str, Value]:
    """The public parameters as the mechanism reads them."""
    kinds = {each.name: each.type for each in mechanism.runnable.ir.parameters}
    unknown = next((name for name in public if name not in kinds), None)
    if unknown is not None:
        raise InvalidInput("S151", f"the mechanism has no parameter {unknown!r}", f"Give some of {', '.join(kinds)}")
    found: dict[str, Value] = {name: read_public(value, kinds[name], name) for name, value in public.items()}
    for name, value in found.items():
        _check_sizes(value, name)
    return found


def _check_sizes(value: Value, name: str) -> None:
    """Refuses numbers that no certificate could hold: they are printed into it."""
    if isinstance(value, tuple):
        for each in value:
            _check_sizes(each, name)
    elif not isinstance(value, bool):
        sized(value, name)


def _json_value(value: object) -> object:
    """An answer for JSON, which has no infinities."""
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
