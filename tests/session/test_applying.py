"""A mechanism that was proved runs on queries, and is charged what its certificate says."""

import json
from fractions import Fraction

import pytest

from lapwing import library
from lapwing.algebra.neighbours import Neighbours
from lapwing.decide.texts import check_application
from lapwing.errors import BudgetExceeded, LapwingError
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from tests.session.tables import PEOPLE, protected

COUNTS = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(0, 100, 2)]


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def test_sparse_vector_over_fifty_counts_costs_what_one_does(session):
    public = {"threshold": 500, "limit": 1, "epsilon": 2, "sensitivity": 1}
    applied = session.apply(library.sparse_vector, COUNTS[::-1], **public)
    assert applied.spent == {"epsilon": "2"}
    assert session.remaining.epsilon == 8
    assert applied.value.count(True) == 1
    first = applied.value.index(True)
    assert abs(COUNTS[::-1].index(COUNTS[37]) - first) < 12  # 25 % are 75 or older: 500 of 2,000 people
    entries = [entry for entry in session.ledger.entries() if entry.kind == "charge"]
    assert len(entries) == 1
    assert entries[0].text.startswith("sparse_vector(")


def test_groups_are_one_vector_of_disjoint_counts(session):
    text = "SELECT region, COUNT(*) FROM people GROUP BY region"
    applied = session.apply(library.histogram, text, epsilon=5, sensitivity=1)
    assert len(applied.value) == 4
    assert abs(sum(applied.value) - PEOPLE) < 50
    assert applied.spent == {"epsilon": "5"}


def test_sums_move_by_their_range(session):
    text = ["SELECT SUM(income) FROM people", "SELECT SUM(age) FROM people"]
    with pytest.raises(LapwingError, match="S152"):
        session.apply(library.noisy_max, text, epsilon=1, sensitivity=1)
    applied = session.apply(library.noisy_max, text, epsilon=1, sensitivity=100_000)
    assert applied.value == 0


@pytest.mark.parametrize(
    ("queries", "public"),
    [
        (["SELECT AVG(income) FROM people"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT region, COUNT(*) FROM people GROUP BY region"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT COUNT(*), SUM(age) FROM people"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT COUNT(*) FROM people HAVING COUNT(*) > 3"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT COUNT(*) FROM people"], {"epsilon": 0, "sensitivity": 1}),
        (["SELECT COUNT(*) FROM people"], {"epsilon": 1}),
        (["SELECT COUNT(*) FROM people"], {"epsilon": 1, "sensitivity": "1/2"}),
        (["SELECT * FROM people"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT 0 - COUNT(*) AS n FROM people"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT COUNT(*) AS n FROM people ORDER BY n"], {"epsilon": 1, "sensitivity": 1}),
        (["SELECT COUNT(*) FROM people"], {"epsilon": 1, "sensitivity": 1, "other": 1}),
    ],
)
def test_what_does_not_fit_is_refused_and_costs_nothing(session, queries, public):
    with pytest.raises(LapwingError):
        session.apply(library.noisy_max, queries, **public)
    assert session.remaining.epsilon == 10


def test_over_budget_is_refused(session):
    with pytest.raises(BudgetExceeded):
        session.apply(library.noisy_max, COUNTS, epsilon=11, sensitivity=1)


def test_a_changed_person_is_in_two_groups(tmp_path):
    with protected(tmp_path, neighbours=Neighbours.REPLACED) as session:
        with pytest.raises(LapwingError, match="S152"):
            session.apply(
                library.histogram, "SELECT region, COUNT(*) FROM people GROUP BY region", epsilon=1, sensitivity=1
            )
        session.apply(library.noisy_max, COUNTS, epsilon=1, sensitivity=1)
        assert session.remaining.epsilon == Fraction(9)


def test_what_is_priced_is_what_runs(session):
    """A parameter that is another number each time it is read must not be cheap first and exact later."""

    class Fickle(int):
        read = 0

        def __index__(self):
            type(self).read += 1
            return 1 if type(self).read < 2 else 1000

    spent = session.apply(library.noisy_max, ["SELECT COUNT(*) FROM people"], epsilon=Fickle(1), sensitivity=1).spent
    assert spent == {"epsilon": "1"}
    assert session.remaining.epsilon == 9


def test_a_mechanism_with_a_delta_is_charged_both(tmp_path):
    with protected(tmp_path, delta="1e-6") as session:
        public = {"low": 200, "high": 400, "sensitivity": 1, "epsilon": 1}
        applied = session.apply(library.between_thresholds, COUNTS, **public)
        assert applied.spent["epsilon"] == "1"
        assert 0 < Fraction(applied.spent["delta"]) < Fraction(1, 10**20)
        assert set(applied.remaining) == {"epsilon", "delta"}
        assert session.remaining.epsilon == 9
        assert session.remaining.delta < Fraction(1, 10**6)
        assert COUNTS[applied.value]
        again = session.apply(
            library.stable_histogram, "SELECT region, COUNT(*) FROM people GROUP BY region", threshold=100, epsilon=1
        )
        assert sorted(again.value)[1] > 300  # nobody lives in one of the four
        left = session.remaining
        with pytest.raises(LapwingError):  # a δ of 1 or more is no privacy at all, and nothing is charged
            session.apply(library.between_thresholds, COUNTS, **{**public, "high": 201})
        with pytest.raises(BudgetExceeded):
            session.apply(library.between_thresholds, COUNTS, **{**public, "high": 230})
        assert session.remaining == left


def test_an_answer_with_a_delta_is_checked_again_and_no_smaller_delta_is_believed(tmp_path):
    with protected(tmp_path, delta="1e-6") as session:
        applied = session.apply(library.between_thresholds, COUNTS, low=200, high=400, sensitivity=1, epsilon=1)
    record = json.loads(json.dumps(applied.to_json()["certificate"]))
    assert isinstance(check_application(record), Derived)
    for price in ({"epsilon": "1", "delta": "0"}, {"epsilon": "1"}, {"rho": "1"}):
        assert isinstance(check_application({**record, "price": price}), Rejected)


AGES = "SELECT age, COUNT(*) FROM people GROUP BY age"
REGIONS = "SELECT region, COUNT(*) FROM people GROUP BY region"


def test_rows_are_a_list_where_a_person_is_a_row(session):
    applied = session.apply(library.private_median, AGES, points=list(range(0, 100, 5)), epsilon=2)
    assert applied.spent == {"epsilon": "2"}
    assert 8 <= applied.value <= 12  # ages are spread evenly
    older = session.apply(library.noisy_count, "SELECT age >= 75, COUNT(*) FROM people GROUP BY age >= 75", epsilon=2)
    assert abs(older.value - PEOPLE / 4) < 60
    for each in (applied, older):
        assert isinstance(check_application(json.loads(json.dumps(each.to_json()["certificate"]))), Derived)


def test_one_answer_of_many_may_be_anything(session):
    applied = session.apply(library.k_ary_randomized_response, REGIONS, k=4, epsilon=1)
    assert applied.spent == {"epsilon": "1"}
    assert len(applied.value) == 4
    assert all(0 <= each < 4 for each in applied.value)


def test_numbers_have_a_query_each(tmp_path):
    far = {"bound": 100_000, "threshold": 50, "epsilon": 1}
    asked = ["SELECT COUNT(*) FROM people", "SELECT SUM(income) FROM people"]
    with protected(tmp_path, delta="1e-6") as session:
        applied = session.apply(library.propose_test_release, asked, **far)
        assert applied.spent["epsilon"] == "2"
        assert applied.value[0] is True
        left = session.remaining
        with pytest.raises(LapwingError, match="S152"):
            session.apply(library.propose_test_release, asked, **{**far, "bound": 1000})
        with pytest.raises(LapwingError, match="S151 1 queries are given for distance, value"):
            session.apply(library.propose_test_release, asked[0], **far)
        assert session.remaining == left


@pytest.mark.parametrize(
    ("mechanism", "query", "public"),
    [
        ("private_median", REGIONS, {"points": [1]}),
        ("private_median", "SELECT COUNT(*) FROM people", {"points": [1]}),
        ("private_median", "SELECT age, SUM(income) FROM people GROUP BY age", {"points": [1]}),
        ("private_median", "SELECT age, region, COUNT(*) FROM people GROUP BY age, region", {"points": [1]}),
        ("private_median", [AGES, AGES], {"points": [1]}),
        ("private_median", AGES, {"points": []}),
        ("noisy_count", AGES, {}),
        ("randomized_response", REGIONS, {}),
        ("k_ary_randomized_response", REGIONS, {"k": 1}),
        ("k_ary_randomized_response", "SELECT COUNT(*) FROM people", {"k": 2}),
    ],
)
def test_rows_and_answers_that_do_not_fit_are_refused_and_cost_nothing(session, mechanism, query, public):
    with pytest.raises(LapwingError) as refused:
        session.apply(getattr(library, mechanism), query, epsilon=1, **public)
    assert refused.value.code != "S149"
    assert session.remaining.epsilon == 10


@pytest.mark.parametrize("high", [8000, 10**18])
def test_a_tiny_delta_is_rounded_up_to_one_that_can_be_written(tmp_path, high):
    """A δ of e^(-2000) has hundreds of digits, and no ledger keeps them."""
    with protected(tmp_path, delta="1e-6") as session:
        applied = session.apply(library.between_thresholds, COUNTS, low=1, high=high, sensitivity=1, epsilon=1)
        assert Fraction(applied.spent["delta"]) == Fraction(1, 2**256)


def test_a_parameter_that_is_missing_is_named(session):
    with pytest.raises(LapwingError, match=r"S151.*'sensitivity' is missing.*sensitivity=1"):
        session.apply(library.noisy_max, ["SELECT COUNT(*) FROM people"], epsilon=1)


def test_no_queries_are_no_mistake_of_lapwing(session):
    with pytest.raises(LapwingError, match="S151 a mechanism is given no queries"):
        session.apply(library.sparse_vector, [], threshold=1, limit=1, sensitivity=1, epsilon=1)
