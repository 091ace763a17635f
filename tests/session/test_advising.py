"""Advice: ranges and limits found privately, on the road of every question, before anything is known of a table."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import lapwing
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import BudgetExceeded, LapwingError
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import rows_of
from lapwing.policy import read_policy
from lapwing.session.advice import read_advice, write_advice
from lapwing.session.advising import advising, questions
from lapwing.session.buckets import bucket_sql, number_buckets, people_buckets, seen
from lapwing.session.protecting import Wishes, protect
from lapwing.session.reporting import read_report
from lapwing.session.road import protection_of
from lapwing.session.verifying import verify_report

PEOPLE = 4000


def shop(people=PEOPLE):
    """Five to nine purchases each, in one or two towns; a few prices far beyond all others."""
    random = np.random.default_rng(3)
    who = np.repeat(np.arange(people), random.integers(5, 10, people))
    price = random.uniform(20, 90, len(who))
    price[random.random(len(who)) < 0.002] = 1e6
    return pa.table(
        {
            "person": who,
            "price": price,
            "change": random.integers(-300, 300, len(who)),
            "town": np.where(random.random(len(who)) < 0.02, "else", np.array(["a", "b", "c"])[who % 3]),
            "share": random.random(len(who)) / 3,
        }
    )


def opened(folder, table=None, unit="person", name="shop", **more):
    path = folder / f"{name}.parquet"
    pa.parquet.write_table(shop() if table is None else table, path)
    given = {"unit": unit, "epsilon": 10, "bounds": {}, "keys": {}, "neighbours": Neighbours.ADDED} | more
    protect(path, Wishes(**given))
    return lapwing.open(path)


def charges(session):
    return [each for each in session.ledger.entries() if each.kind == "charge"]


def test_ranges_and_limits_are_found(tmp_path):
    with opened(tmp_path) as session:
        found = session.advise(epsilon=2)
        assert found.bounds["price"][0] in (8, 16)
        assert found.bounds["price"][1] == 128
        assert found.bounds["change"] == (-512, 512)
        assert found.bounds["share"][1] == 0.5
        assert found.rows_per_unit in (8, 12)
        assert found.groups_per_unit == 2
        assert found.arguments[-2:] == [f"--rows-per-unit {found.rows_per_unit}", "--groups-per-unit 2"]
        [charge] = charges(session)
        assert sum(Fraction(each.split()[1]) for each in charge.price.split(" + ")) == 2
        assert session.remaining.epsilon == 8


def test_what_a_choice_would_cut_is_about_true(tmp_path):
    table = shop()
    rows = np.bincount(np.array(table["person"]))
    with opened(tmp_path, table) as session:
        found = session.advise(epsilon=5)
    for choice in found.rows.choices:
        assert choice.people_above == pytest.approx((rows > choice.limit).mean(), abs=0.02)
        assert choice.cut == pytest.approx(np.maximum(rows - choice.limit, 0).sum() / rows.sum(), abs=0.04)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_each_person_weighs_one_however_many_rows(tmp_path, neighbours):
    """The kernel derives it from the plans; this looks that the plans are of that kind."""
    with opened(tmp_path, neighbours=neighbours) as session:
        policy = advising(session.policy)
        _, asked = questions(session.policy)
        assert {each.kind for each in asked} == {"values", "rows", "groups"}
        for looked in asked:
            query = replace(session, policy=policy)._prepared(looked.sql)
            assert rows_of(query.aggregate.source, protection_of(policy)).unit is not None
            [measured] = query.aggregate.measurements
            assert measured.rows_per_unit == 1
        changed = 1 if neighbours is Neighbours.ADDED else 2
        report = session.advise(epsilon=1).report
        for release in report:
            [part] = release.certificate["measurements"]
            assert part["change"]["l1"] == changed * part["measurement"]["weight_steps"]


def test_one_person_with_very_many_rows_changes_little(tmp_path):
    """At a price that leaves hardly any noise the counts of neighbouring tables differ by one person."""
    table = shop(300)
    big = pa.concat_tables(
        [table, pa.table({**{name: table[name].slice(0, 1).to_pylist() * 5000 for name in table.column_names}})]
    ).set_column(0, "person", pa.array([*table["person"].to_pylist(), *[9999] * 5000]))
    counts = []
    for name, rows in (("one", table), ("two", big)):
        (tmp_path / name).mkdir()
        with opened(tmp_path / name, rows, epsilon=20000) as session:
            found = session.advise(epsilon=10000)
            counts.append([[row[list(row)[1]] for row in release] for release in found.report])
    for one, two in zip(*counts, strict=True):
        assert sum(abs(a - b) for a, b in zip(one, two, strict=True)) <= 1.6


def test_a_table_without_a_unit_has_ranges_only(tmp_path):
    with opened(tmp_path, shop().drop_columns(["person"]), unit=None) as session:
        found = session.advise(epsilon=2)
        assert found.rows is None
        assert not found.groups
        assert set(found.bounds) == {"price", "change", "share"}


def test_what_the_policy_says_already_is_not_looked_at(tmp_path):
    with opened(tmp_path, bounds={"price": (0, 100), "change": (-9, 9), "share": (0, 1)}) as session:
        assert {each.kind for each in questions(session.policy)[1]} == {"rows", "groups"}
        assert [each.column for each in questions(session.policy, None, ["price", "town"])[1]] == ["price", "town"]
        found = session.advise(epsilon=1, columns=["price"])
        assert set(found.bounds) == {"price"}
        assert found.rows is None


def test_a_table_of_which_all_is_known(tmp_path):
    known = {"price": (0, 100), "change": (-9, 9), "share": (0, 1)}
    with opened(tmp_path, shop().drop_columns(["person"]), unit=None, bounds=known) as session:
        assert refused(session, epsilon=1) == "S174"


def refused(session, **given):
    with pytest.raises(LapwingError) as failed:
        session.advise(**given)
    assert not charges(session)
    assert "\n" not in str(failed.value)
    return failed.value.code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "S130"),
        ({"epsilon": 1, "rho": 1}, "S130"),
        ({"epsilon": 0}, "S131"),
        ({"epsilon": -1}, None),
        ({"epsilon": 11}, "L113"),
        ({"rho": 1}, "L112"),
        ({"epsilon": 1, "columns": ["shoes"]}, "S174"),
        ({"epsilon": 1, "columns": ["person"]}, "S174"),
        ({"epsilon": 1, "columns": []}, "S174"),
        ({"epsilon": 1, "columns": [3]}, "S174"),
        ({"epsilon": 1, "columns": 3}, "S174"),
        ({"epsilon": 1, "columns": "shoes"}, "S174"),
        ({"epsilon": 1, "table": 3}, "S174"),
        ({"epsilon": 1, "table": "shoes"}, "S174"),
    ],
)
def test_what_cannot_be_advised_costs_nothing(tmp_path, given, code):
    with opened(tmp_path) as session:
        found = refused(session, **given)
        assert code is None or found == code


def test_no_room_in_the_budget(tmp_path):
    with opened(tmp_path, epsilon="0.05") as session:
        with pytest.raises(BudgetExceeded, match=r"costs epsilon 0\.1, and epsilon 0\.05 is left"):
            session.advise(epsilon="0.1")
        assert not charges(session)


def test_a_part_has_no_advice(tmp_path):
    with opened(tmp_path, keys={"town": ["a", "b", "c"]}) as session:
        assert refused(session.partition("town")["a"], epsilon=1) == "S174"


def test_little_money_sees_little_and_says_so(tmp_path):
    with opened(tmp_path, shop(100)) as session:
        found = session.advise(epsilon="0.01")
        assert not found.bounds
        assert found.rows_per_unit is None
        assert "nothing was seen" in str(found)


def test_advice_is_checked_like_every_answer_also_after_it_was_followed(tmp_path):
    source = tmp_path / "shop.parquet"
    with opened(tmp_path) as session:
        found = session.advise(epsilon=2)
    document = json.loads(json.dumps(found.to_json()))
    assert not isinstance(verify_report(document, source), Rejected)
    write_advice(source, found)
    policy = read_policy(tmp_path / "shop.lapwing.toml")
    [table] = policy.tables
    assert table.rows_per_unit == found.rows_per_unit
    assert table.groups_per_unit == found.groups_per_unit
    assert (table.column("change").low, table.column("change").high) == (-512, 512)
    assert not isinstance(verify_report(document, source), Rejected)
    with lapwing.open(source) as session:  # the ledger goes along with it
        assert session.sql("SELECT AVG(price) AS p FROM shop", epsilon=1).table.num_rows == 1
    document["releases"][0]["rows"][0]["n"] += 1
    assert isinstance(verify_report(document, source), Rejected)


def test_advice_can_be_read_again(tmp_path):
    with opened(tmp_path) as session:
        found = session.advise(epsilon=2)
    text = json.dumps(found.to_json())
    again = read_advice(json.loads(text), read_report(text))
    assert again.arguments == found.arguments
    assert again.rows == found.rows


def test_a_table_is_named_as_sql_names_it(tmp_path):
    with opened(tmp_path) as session:
        assert questions(session.policy, "SHOP")[0].name == "shop"


# --- buckets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
def test_every_value_is_in_the_bucket_that_its_sql_says(whole):
    import duckdb

    connection = duckdb.connect()
    buckets = number_buckets(whole=whole)
    values = [0, 1, -1, 2, 3, 4, 5, -8, -7, -9, 2**62, -(2**62), 1023, 1024, 1025]
    values += [2**62 + 1, -(2**62) - 1] if whole else [0.001, -0.001, 2.0**-10, 0.3, -0.5, 1e300, -1e300]
    kind = "BIGINT" if whole else "DOUBLE"
    for value in values:
        [(at,)] = connection.execute(
            f"SELECT {bucket_sql('x', buckets)} FROM (SELECT {value!r}::{kind} AS x)"
        ).fetchall()
        low, high = buckets[at].low, buckets[at].high
        assert low is None or low <= value
        assert high is None or value <= high


def test_buckets_of_people_have_no_gaps():
    buckets = people_buckets()
    assert [(each.low, each.high) for each in buckets[:6]] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8)]
    assert all(one.high + 1 == two.low for one, two in pairwise(buckets))


def test_empty_buckets_are_hardly_ever_seen():
    random = np.random.default_rng(1)
    found = [seen(list(random.laplace(0, 10, 149)), 30, (0.005, 0.005)) for _ in range(300)]
    assert sum(each is not None for each in found) <= 9


def test_a_range_holds_nearly_all_of_what_is_there():
    random = np.random.default_rng(2)
    truth = np.zeros(149)
    truth[80:90] = 1000
    held, wide = [], 0
    for _ in range(200):
        found = seen(list(truth + random.laplace(0, 10, 149)), 30, (0.005, 0.005))
        held.append(truth[found.first : found.last + 1].sum() / truth.sum())
        wide += found.last - found.first > 14
    assert min(held) >= 0.99
    assert wide <= 6
