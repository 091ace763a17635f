"""How often an interval holds the truth, and how wide it is: many releases of one made-up group, drawn at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.answers import Measured, answer
from lapwing.query.prepare import prepare
from lapwing.session.cutting import cut_parts
from lapwing.session.pricing import price, reach
from lapwing.session.replaying import fresh_noise
from lapwing.session.shown_units import in_units
from tests.query.lowering.evaluator import measure

COLUMNS = (Column("x", "real", 0, 100), Column("y", "real", 0, 100), Column("yes", "boolean"))
POLICY = Policy("t", (Table("t", "t.parquet", "private", None, None, COLUMNS),), Budget(1), Neighbours.ADDED, ())
CONFIDENCE = Fraction(95, 100)
#: Ten rows of a person count, and costs up to 200, of two regions of three.
VISITS = (Column("person", "integer"), Column("region", "integer", keys=(0, 1)), Column("cost", "real", 0, 200))
LIMITED = Policy(
    "visits",
    (Table("visits", "visits.parquet", "private", "person", 10, VISITS),),
    Budget(1),
    Neighbours.ADDED,
    (),
)


def priced(text, wanted):
    return price(prepare(f"SELECT {text} AS answer FROM t", POLICY), Neighbours.ADDED, wanted, None)


def released(text, rows, *, wanted=None, runs=2_000, at_once=100):
    """(values, lows, highs, truth) of an answer about these rows, released ``runs`` times."""
    plan = priced(text, wanted or PureDP(1))
    exact = {p.measurement.name: _exact(plan.asked.aggregate, p.measurement, rows) for p in plan.parts}
    truth = answer(plan.query, {}, _measured(plan, exact, 1, noisy=False), 1).columns[0].numbers[0]
    values, lows, highs = [], [], []
    for _ in range(runs // at_once):
        found = answer(plan.query, {}, _measured(plan, exact, at_once), at_once, fresh_noise(plan, CONFIDENCE))
        cells = found.columns[0]
        values.append(cells.numbers)
        lows.append(np.where(cells.missing, -np.inf, cells.lows))
        highs.append(np.where(cells.missing, np.inf, cells.highs))
    return np.concatenate(values), np.concatenate(lows), np.concatenate(highs), float(truth)


def cut_covered(wanted, runs, *, people=300, at_once=100):
    """How often what is told of rows and values that were cut holds the truth, for each number that is told.

    One person in ten has 50 rows; a tenth of the costs is above their range.
    """
    random = np.random.default_rng(3)
    many = np.where(np.arange(people) % 10 == 0, 50, random.integers(1, 8, people))
    rows = [
        {"person": who, "region": int(random.integers(0, 3)), "cost": float(random.gamma(2, 50))}
        for who in np.repeat(np.arange(people), many).tolist()
    ]
    query = prepare("SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits GROUP BY region", LIMITED)
    inside = {}
    for part in cut_parts(query, Neighbours.ADDED, wanted):
        exact = {
            p.measurement.name: measure(part.asked.aggregate, p.measurement, {"visits": rows})[()] for p in part.parts
        }
        truth = answer(part.query, {}, _measured(part, exact, 1, noisy=False), 1)
        for _ in range(runs // at_once):
            found = answer(part.query, {}, _measured(part, exact, at_once), at_once, fresh_noise(part, CONFIDENCE))
            for name, cells, true in zip(found.names, found.columns, truth.columns, strict=True):
                lows = np.where(cells.missing, -np.inf, cells.lows)
                highs = np.where(cells.missing, np.inf, cells.highs)
                inside.setdefault(name, []).append(covered(lows, highs, float(true.numbers[0])))
    return {name: float(np.mean(held)) for name, held in inside.items()}


def _exact(aggregate, measurement, rows):
    return measure(aggregate, measurement, {"t": rows})[()]


def _measured(plan, exact, many, *, noisy=True):
    found = {}
    for part in plan.parts:
        steps = np.full(many, exact[part.measurement.name], np.int64)
        steps = part.mechanism.release(steps) if noisy else steps
        found[part.measurement.name] = in_units(steps, part.measurement)
    return {
        told.measurement.name: Measured(
            told.measurement, told.of(lambda part: found[part.measurement.name]), _reach(told)
        )
        for told in plan.told
    }


def _reach(told):
    return lambda together: reach(told, 1 - (1 - CONFIDENCE) / together)


def covered(lows, highs, truth):
    """The part of intervals that hold the truth; nothing known holds it."""
    slack = 1e-9 * (1 + abs(truth))
    return float(np.mean((lows - slack <= truth) & (truth <= highs + slack)))


def rows_of(n, x, y=None, yes=None):
    """n rows; x, y and yes are given for each place from 0 to 1."""
    places = [(i + 0.5) / n for i in range(n)]
    return [{"x": float(x(p)), "y": float((y or x)(p)), "yes": bool(yes(p)) if yes else p < 0.5} for p in places]


__all__ = ["ZCDP", "PureDP", "covered", "cut_covered", "priced", "released", "rows_of"]
