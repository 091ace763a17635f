"""The whole account: every reference value of every method, and the laws that all bounds must satisfy."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.accounting import METHODS, RIGOROUS, account, epsilon_by_count
from lapwing.algebra.accounting import methods as methods_module
from lapwing.algebra.accounting.terms import Gaussian, Laplace, Pure
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput, MissingExtra, Unbounded


def values(composed, delta="1e-5"):
    return {row.method: row.epsilon for row in account(composed, delta, methods=RIGOROUS).rows}


#: δ = 1e-5; a tolerance of half the last digit given.
TABLE = [
    ("10 * pure(0.1)", {"basic": "1.0", "zCDP": "1.308", "optimal": "0.99369"}, {"advanced"}),
    ("100 * pure(0.1)", {"basic": "10", "advanced": "5.850", "zCDP": "4.7284", "optimal": "4.306791373"}, set()),
    ("1000 * pure(0.1)", {"basic": "100", "advanced": "25.691", "zCDP": "19.047", "optimal": "17.787128450"}, set()),
    ("1000 * pure(0.01)", {"basic": "10", "advanced": "1.6179", "zCDP": "1.3081", "optimal": "1.1977327983"}, set()),
    ("10000 * pure(0.01)", {"basic": "100", "advanced": "5.8035", "zCDP": "4.7284", "optimal": "4.3763845093"}, set()),
    ("1000 * gaussian(10)", {"zCDP": "19.047260", "analytic Gaussian": "17.856587"}, {"basic", "advanced", "optimal"}),
    ("100 * gaussian(10)", {"zCDP": "4.728387", "analytic Gaussian": "4.377178"}, {"basic", "advanced", "optimal"}),
    ("100 * laplace(10)", {"basic": "10", "advanced": "5.850", "zCDP": "4.7284", "privacy loss": "4.2204"}, set()),
    ("10000 * poisson(0.01, gaussian(1))", {"Rényi": "6.713", "privacy loss": "6.188"}, {"basic", "zCDP"}),
]


@pytest.mark.parametrize(("expression", "expected", "absent"), TABLE)
def test_reference_table(expression, expected, absent):
    found = values(expression)
    for method, text in expected.items():
        last_digit = Fraction(1, 10 ** len(text.partition(".")[2]))
        assert abs(found[method] - Fraction(text)) <= last_digit, method
    assert not absent & found.keys()


def test_rows_are_ordered_and_every_method_is_accounted_for():
    result = account("100 * laplace(10) + 5 * gaussian(20)", "1e-5")
    assert result.best.rigorous
    epsilons = [row.epsilon for row in result.rows if row.rigorous]
    assert epsilons == sorted(epsilons)
    named = {row.method for row in result.rows} | {method for method, _ in result.left_out}
    assert named == {method.name for method in METHODS}
    assert dict(result.left_out)["basic"] == "gaussian(20) has no ε of its own"


def test_estimates_come_after_all_bounds():
    pytest.importorskip("dp_accounting")
    rows = account("10 * laplace(10)", "1e-5").rows
    assert [row.rigorous for row in rows] == sorted((row.rigorous for row in rows), reverse=True)
    assert rows[-1].method == "PLD (dp-accounting)"
    assert float(rows[-1].epsilon) == pytest.approx(float(rows[0].epsilon), rel=1e-3)


def test_without_the_extra_the_estimate_is_left_out(monkeypatch):
    def missing(*_):
        raise MissingExtra("A531", "dp-accounting is not installed", "Install it")

    monkeypatch.setattr(methods_module, "estimated_epsilon", missing)
    assert ("PLD (dp-accounting)", "dp-accounting is not installed") in account("pure(1)", "1e-5").left_out


@given(st.integers(1, 300), st.fractions(Fraction(1, 50), 1, max_denominator=50), st.integers(2, 12))
@settings(max_examples=15, deadline=None)
def test_no_method_is_below_the_exact_one(count, epsilon, places):
    found = values([(count, Pure(epsilon))], Fraction(1, 10**places))
    exact = found["optimal"]
    assert all(bound >= exact * (1 - Fraction(1, 10**20)) for bound in found.values())
    assert found["privacy loss"] <= exact * (1 + Fraction(1, 10**9))
    assert found["basic"] >= exact


@pytest.mark.parametrize("expression", ["laplace(10)", "gaussian(10, steps=1)", "poisson(0.1, laplace(2))"])
def test_bounds_grow_with_the_count_and_fall_with_delta(expression):
    curves = epsilon_by_count(expression, "1e-6", [1, 4, 30])
    for points in curves.values():
        bounds = [epsilon for _, epsilon in points]
        assert bounds == sorted(bounds)
    small, large = values(f"30 * {expression}", "1e-9"), values(f"30 * {expression}", "1e-3")
    assert all(small[method] >= large[method] for method in small.keys() & large.keys())


def test_order_is_irrelevant():
    one = account("3 * laplace(10) + gaussian(20) + laplace(10)", "1e-5")
    other = account("gaussian(20) + 4 * laplace(10)", "1e-5")
    assert float(one.best.epsilon) == pytest.approx(float(other.best.epsilon), rel=1e-6)


def test_open_failures_come_off_delta_first():
    exact = values("100 * approx(0.1, 1e-8)")
    assert exact["optimal"] > values("100 * pure(0.1)")["optimal"]
    assert float(exact["privacy loss"]) == pytest.approx(float(exact["optimal"]), rel=1e-9)
    with pytest.raises(Unbounded, match="A503"):
        account("100 * approx(0.1, 1e-6)", "1e-5")
    assert account("approx(0.1, 1e-5)", "1e-5").best.epsilon == Fraction(1, 10)


def test_delta_zero_leaves_only_pure_methods():
    assert values("10 * laplace(10)", 0) == {"basic": 1, "optimal": 1}
    with pytest.raises(Unbounded, match="A520"):
        account("gaussian(10)", 0)


def test_sampling_is_about_added_units_only():
    assert account("poisson(0.1, pure(1))", "1e-5").neighbours == (Neighbours.ADDED,)
    assert account("pure(1)", "1e-5").neighbours == tuple(Neighbours)


def test_terms_may_be_given_as_objects_and_progress_is_told():
    told = []
    result = account([(5, Laplace(10)), (1, Gaussian(3, 0))], "1e-5", told.append, RIGOROUS)
    assert told == [method.name for method in RIGOROUS]
    assert str(result.expression) == "5 * laplace(10) + gaussian(3, sensitivity=0)"
    assert result.best.epsilon < Fraction(1, 2)


@pytest.mark.parametrize("delta", [-1, 1, "2", "nan", float("inf")])
def test_delta_out_of_range_is_refused(delta):
    with pytest.raises(InvalidInput):
        account("pure(1)", delta)


@pytest.mark.parametrize(
    "expression",
    ["laplace(1e-30)", "laplace(1e30)", "pure(1e6)", "gaussian(1e-6)", "gaussian(1e12)", "1000000000*pure(1e-9)"],
)
def test_extreme_parameters_get_an_answer(expression):
    result = account(expression, "1e-9", methods=RIGOROUS)
    assert result.best.epsilon >= 0
