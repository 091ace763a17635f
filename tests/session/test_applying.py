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


def test_a_parameter_that_is_missing_is_named(session):
    with pytest.raises(LapwingError, match=r"S151.*'sensitivity' is missing.*sensitivity=1"):
        session.apply(library.noisy_max, ["SELECT COUNT(*) FROM people"], epsilon=1)


def test_no_queries_are_no_mistake_of_lapwing(session):
    with pytest.raises(LapwingError, match="S151 a mechanism is given no queries"):
        session.apply(library.sparse_vector, [], threshold=1, limit=1, sensitivity=1, epsilon=1)


def test_a_price_that_cannot_be_written_down_is_refused(session):
    """A delta of e^(-10^18), bounded by a fraction of thousands of digits: the certificate could not be printed."""
    far = {"low": 1, "high": 10**18, "epsilon": 1, "sensitivity": 1}
    with pytest.raises(LapwingError, match="S151"):
        session.apply(library.between_thresholds, ["SELECT COUNT(*) FROM people"], **far)
