"""Our own SQL under attack, on made-up tables: it holds, and planted bugs are found."""

import random
from fractions import Fraction

import numpy as np
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit import pipeline
from lapwing.audit.blackbox import Claim
from lapwing.audit.finding import REFUTED
from lapwing.audit.madeup import People, people_pairs, table_pairs
from lapwing.audit.pipeline import audit_policy
from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy import write_policy
from tests.audit.queries import policy, query

CLAIM = Claim(Fraction(1), Fraction(0), Fraction(1, 10**6))


def audited(sql, seconds=10, seed=1, pairs=12, **keywords):
    """An audit that ends as soon as it has refuted; a busy machine may need the time."""
    return audit_policy(policy(**keywords), sql, CLAIM, seconds=seconds, seed=seed, pairs=pairs)


def rows(pair, side):
    return getattr(pair, side).tables["people"]


@pytest.mark.parametrize("unit", ["person", None])
@pytest.mark.parametrize("neighbours", Neighbours)
def test_made_up_tables_differ_by_one_person(neighbours, unit):
    pairs = people_pairs(policy(neighbours, unit), seed=3)
    assert len(pairs) >= 20
    for pair in pairs:
        left, right = ({str(row) for row in rows(pair, side)} for side in ("left", "right"))
        if unit is None:
            more = len(rows(pair, "right")) - len(rows(pair, "left"))
            assert more == (1 if neighbours is Neighbours.ADDED else 0)
        else:
            apart = [row for side in ("left", "right") for row in rows(pair, side) if str(row) in left ^ right]
            assert len({row["person"] for row in apart}) <= 1
            ids = [{row["person"] for row in rows(pair, side)} for side in ("left", "right")]
            assert len(ids[1] - ids[0]) == (1 if neighbours is Neighbours.ADDED else 0)
    assert any(len(rows(pair, "left")) == 0 for pair in pairs) or neighbours is Neighbours.REPLACED
    assert repr(people_pairs(policy(neighbours, unit), seed=3)) == repr(pairs)


def test_somebody_has_more_rows_than_count():
    pairs = people_pairs(policy(rows=2), seed=3)
    most = max(sum(row["person"] == person for row in rows(pair, "right")) for pair in pairs for person in range(11))
    assert most > 2


@pytest.mark.parametrize(
    "sql", ["SELECT COUNT(*) AS n FROM people", "SELECT region, SUM(age) AS s FROM people GROUP BY region"]
)
@pytest.mark.parametrize("neighbours", Neighbours)
def test_our_own_queries_hold(sql, neighbours):
    finding = audited(sql, neighbours=neighbours, seconds=3, pairs=6)
    assert not finding.refuted
    assert finding.pairs > 0


def test_groups_with_unknown_keys_are_audited_with_their_delta():
    finding = audited("SELECT city, COUNT(*) AS n FROM people GROUP BY city", seconds=3, pairs=6)
    assert finding.delta == Fraction(1, 100_000)
    assert not finding.refuted


def test_random_queries_hold():
    generator = random.Random(20)
    held = 0
    while held < 3:
        sql = query(generator)
        try:
            finding = audited(sql, seconds=3, seed=held, pairs=4)
        except LapwingError:
            continue  # refused for every table alike
        assert not finding.refuted, f"{sql}\n{finding}"
        held += 1


# --- planted bugs ---------------------------------------------------------------------------------------------


def plant(monkeypatch, change):
    true = pipeline._answer

    def buggy(asked):
        return change(true(asked), asked.people.tables["people"])

    monkeypatch.setattr(pipeline, "_answer", buggy)


def test_a_wrong_scale_is_found(monkeypatch):
    true = pipeline._asked
    monkeypatch.setattr(
        pipeline, "_asked", lambda session, people, sql, epsilon: true(session, people, sql, 3 * epsilon)
    )
    assert audited("SELECT COUNT(*) AS n FROM people").verdict == REFUTED


def test_a_missing_clip_is_found(monkeypatch):
    def unclipped(answer, people):
        ages = [row["age"] for row in people if row["age"] is not None]
        answer["s"][0] += sum(ages) - sum(np.clip(ages, 0, 100)) if ages else 0
        return answer

    plant(monkeypatch, unclipped)
    finding = audited("SELECT SUM(age) AS s FROM people")
    assert finding.verdict == REFUTED


def test_a_leaked_group_is_found(monkeypatch):
    def only_full_groups(answer, people):
        full = {row["region"] for row in people}  # a group that nobody is in is left out, with its margins
        kept = [place for place, region in enumerate(answer["region"]) if region in full]
        return {name: [values[place] for place in kept] for name, values in answer.items()}

    plant(monkeypatch, only_full_groups)
    finding = audited("SELECT region, COUNT(*) AS n FROM people GROUP BY region")
    assert finding.verdict == REFUTED


def test_an_error_for_one_value_is_found(monkeypatch):
    def fails(answer, people):
        if any(row["income"] is not None and np.isnan(row["income"]) for row in people):
            raise ValueError("NaN")
        return answer

    plant(monkeypatch, fails)
    finding = audited("SELECT AVG(income) AS a FROM people", pairs=24, seconds=40)
    assert finding.verdict == REFUTED
    assert "ValueError" in finding.event or "ordinary" in finding.event or "of the form" in finding.event


def test_what_would_be_refused_for_everybody_is_refused():
    with pytest.raises(LapwingError) as refused:
        audited("SELECT SUM(person) AS s FROM people")
    assert refused.value.code.startswith("Q")
    with pytest.raises(InvalidInput) as refused:
        audit_policy(
            policy(), "SELECT COUNT(*) AS n FROM people", Claim(Fraction(1), Fraction(1, 2), Fraction(1, 9)), seconds=1
        )
    assert refused.value.code == "Y216"
    with pytest.raises(InvalidInput) as refused:
        audit_policy(
            policy(), "SELECT COUNT(*) AS n FROM people", Claim(Fraction(0), Fraction(0), Fraction(1, 9)), seconds=1
        )
    assert refused.value.code == "S131"


# --- tables for a callable --------------------------------------------------------------------------------------


def test_a_callable_gets_tables_from_a_policy_and_never_real_rows(tmp_path):
    file = tmp_path / "people.lapwing.toml"
    write_policy(policy(), file)

    def of_lists(table):
        return len(table["age"])

    def of_frames(table: "pandas.DataFrame"):  # only its name is read
        return len(table)

    assert isinstance(table_pairs(of_lists, str(file), None, 1)[0].left, dict)
    pandas = pytest.importorskip("pandas")
    assert isinstance(table_pairs(of_frames, str(file), "added", 1)[0].left, pandas.DataFrame)
    for place, neighbours, code in ((str(tmp_path / "people.parquet"), None, "Y206"), (str(file), "replaced", "Y207")):
        with pytest.raises(InvalidInput) as refused:
            table_pairs(of_lists, place, neighbours, 1)
        assert refused.value.code == code


def test_people_are_shown_by_their_rows():
    assert repr(People({"people": [{"a": 1, "b": None}]})) == "people: [(1, None)]"
