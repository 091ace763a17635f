"""Bugs that other systems had and whose named tests are about one room, tried once more through SQL, end to end."""

import itertools
import os
from fractions import Fraction

import pyarrow as pa
import pytest

from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.query.plan import Function
from lapwing.session.certificate import certificate
from lapwing.session.groups import Fetched, public_groups
from lapwing.session.noising import private_measurements
from lapwing.session.pricing import price
from tests.bugs.before_noise import assert_neighbours_stay_close, before_noise, session_on

SMALL = pa.table({"person": [0, 1, 2], "x": [10.0, 0.0, 0.0], "region": ["north", "south", "south"]})
SETTINGS = {"bounds": {"x": (0, 10)}, "keys": {"region": ["north", "south"]}}


# --- 5: a mean had the sensitivity range/n, with n private --------------------------------------------------


def test_bug_05_a_mean_is_a_noisy_sum_over_a_noisy_count(tmp_path):
    with session_on(tmp_path, SMALL, **SETTINGS) as session:
        measured = session._prepared("SELECT AVG(x) FROM people").aggregate.measurements
        assert {each.function for each in measured} == {Function.TOTAL, Function.ROWS}
        wide = session.quote("SELECT AVG(x) AS m FROM people", epsilon=1, rows=1).margins["m"]
        assert wide is None  # of one row nothing is known: nobody knows that there is one


@pytest.mark.parametrize(
    "text", ["SELECT AVG(x), VARIANCE(x) FROM people", "SELECT region, AVG(x) FROM people GROUP BY 1"]
)
def test_bug_05_no_part_of_a_mean_moves_further_than_its_noise_is_for(tmp_path, text):
    for number, rows in enumerate((1, 2)):  # n is 1, then 2: where range/n would be wrong
        table = SMALL.slice(0, rows)
        folder = tmp_path / str(number)
        folder.mkdir()
        assert any(assert_neighbours_stay_close(folder, text, table, table.slice(1), **SETTINGS))


# --- 6: one row changed was charged like one row more or fewer ------------------------------------------------


@pytest.mark.parametrize("unit", [None, "person"])
def test_bug_06_a_changed_person_moves_two_groups(tmp_path, unit):
    text = "SELECT region, COUNT(*), SUM(x) FROM people GROUP BY region"
    moved = SMALL.set_column(2, "region", pa.array(["south", "south", "south"]))
    settings = SETTINGS | {"unit": unit, "neighbours": Neighbours.REPLACED}
    replaced = assert_neighbours_stay_close(tmp_path, text, SMALL, moved, **settings)
    (tmp_path / "added").mkdir()
    added = assert_neighbours_stay_close(tmp_path / "added", text, SMALL, SMALL.slice(1), **SETTINGS | {"unit": unit})
    assert replaced == [2 * distance for distance in added]


def test_bug_06_the_noise_for_changed_people_is_twice_as_wide(tmp_path):
    margins = []
    for neighbours in Neighbours.ADDED, Neighbours.REPLACED:
        with session_on(tmp_path / neighbours.value, SMALL, **SETTINGS | {"neighbours": neighbours}) as session:
            margins.append(
                session.quote("SELECT region, COUNT(*) AS n FROM people GROUP BY region", epsilon=1).margins["n"]
            )
    assert margins[1] >= 2 * margins[0] - 1


# --- 7: a sensitivity was cut down to a whole number -------------------------------------------------------------


@pytest.mark.parametrize("high", ["1.9", "0.7", "1/3", "1e-5", "12345.678"])
def test_bug_07_a_range_off_the_lattice_is_not_cut_short(tmp_path, high):
    for number, value in enumerate((Fraction(high), -Fraction(high))):
        table = pa.table({"x": [float(value) * 2, 0.0]})  # beyond the range: clipped to its end
        folder = tmp_path / str(number)
        folder.mkdir()
        settings = {"bounds": {"x": (f"-{high}", high)}}
        [distance] = assert_neighbours_stay_close(
            folder, "SELECT SUM(x) FROM people", table, table.slice(1), **settings
        )
        assert distance > 0


# --- 16: float sums depend on the order of rows; whole sums wrap around -----------------------------------------


def test_bug_16_the_order_of_rows_changes_nothing(tmp_path):
    rows = [1e16, 1.0, -1e16, 0.5]
    sums = set()
    for number, order in enumerate(itertools.islice(itertools.permutations(rows), 0, 24, 5)):
        with session_on(tmp_path / str(number), pa.table({"x": order}), bounds={"x": (-(10**17), 10**17)}) as session:
            [(_, [value])] = before_noise(session, "SELECT SUM(x) FROM people")
        sums.add(value)
    assert len(sums) == 1


def test_bug_16_sums_do_not_wrap_around(tmp_path):
    large = 2**61
    table = pa.table({"x": pa.array([large] * 64, pa.int64())})
    settings = {"bounds": {"x": (0, large)}}
    with session_on(tmp_path / "all", table, **settings) as session:
        [(_, [value])] = before_noise(session, "SELECT SUM(x) FROM people")
    assert value > 0
    assert_neighbours_stay_close(tmp_path, "SELECT SUM(x) FROM people", table, table.slice(1), **settings)
    assert_neighbours_stay_close(tmp_path / "all", "SELECT SUM(-x) FROM people", table, table.slice(1), **settings)


# --- 18: forked processes share noise ------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_bug_18_workers_of_a_server_draw_different_noise(tmp_path):
    with session_on(tmp_path, SMALL, **SETTINGS) as session:
        session.sql("SELECT COUNT(*) FROM people", epsilon=1)  # the noise is warm, as it would be in a server
        query = session._prepared("SELECT COUNT(*) FROM people")
        priced = price(query, session.policy.neighbours, PureDP("1e-9"), None)
        proof = certificate(priced, session.policy.neighbours)
        [statement] = session.road.lowered(query.aggregate, session.ledger).statements
    fetched = [Fetched(statement, pa.table({"n": pa.array([3], pa.int64())}))]

    def answer():
        [measured] = private_measurements(proof, fetched, public_groups(())).values()
        return int(measured[0])

    reader, writer = os.pipe()
    for _ in range(4):
        if (child := os.fork()) == 0:
            os.write(writer, f"{answer()} ".encode())
            os._exit(0)
        os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        numbers = [*map(int, pipe.read().split()), answer()]
    assert len(set(numbers)) == len(numbers) == 5  # noise of scale 10^9: equal by chance once in 10^8 runs


# --- 22: less noise was charged less; the charge depended on the order ---------------------------------------------


def test_bug_22_less_noise_costs_more_and_the_order_is_nothing(tmp_path):
    texts = [
        "SELECT COUNT(*) AS n FROM people",
        "SELECT region, AVG(x) AS n FROM people GROUP BY region",
        "SELECT MEDIAN(x) AS n FROM people",
    ]
    spent = set()
    for number, order in enumerate((texts, texts[::-1])):
        with session_on(tmp_path / str(number), SMALL, **SETTINGS) as session:
            for text in order:
                session.sql(text, epsilon="1/3")
            spent.add(1000 - session.remaining.epsilon)
    assert spent == {Fraction(1)}


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_bug_22_every_mechanism_is_charged_what_it_claims(tmp_path, currency):
    with session_on(tmp_path, SMALL, **SETTINGS | {"delta": "1e-6", "epsilon": 100}) as session:
        scales, charged = [], []
        for amount in ("0.01", "0.1", "0.7"):
            release = session.sql("SELECT SUM(x) AS s, COUNT(*) AS n FROM people", **{currency: amount})
            parts = release.certificate["measurements"]
            claims = {part["measurement"]["name"]: Fraction(part["claim"][currency]) for part in parts}
            families = release.certificate["together"] or [[name] for name in claims]
            assert sorted(name for family in families for name in family) == sorted(claims)
            cost = sum(max(claims[name] for name in family) for family in families)
            assert Fraction(release.spent[currency]) == cost <= Fraction(amount)
            scales.append(release.margins["s"][0].as_py())
            charged.append(cost)
    assert scales == sorted(scales, reverse=True)
    assert charged == sorted(charged)
