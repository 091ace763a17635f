"""How often an interval holds the truth, and how wide it is: many releases of one made-up group, drawn at once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.answers import Measured, answer
from lapwing.query.prepare import prepare
from lapwing.session.pricing import price, reach
from lapwing.session.replaying import fresh_noise
from lapwing.session.units import in_units
from tests.query.lowering.evaluator import measure

COLUMNS = (Column("x", "real", 0, 100), Column("y", "real", 0, 100), Column("yes", "boolean"))
POLICY = Policy("t", (Table("t", "t.parquet", "private", None, None, COLUMNS),), Budget(1), Neighbours.ADDED, ())
CONFIDENCE = Fraction(95, 100)


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


__all__ = ["ZCDP", "PureDP", "covered", "priced", "released", "rows_of"]
