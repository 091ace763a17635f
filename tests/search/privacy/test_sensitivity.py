"""Distances and prices of straight-line mechanisms, and what sensitivity does not prove."""

import pytest

from tests.search.privacy.proving import certificates, proved, unproved

HEAD = (
    "from lapwing import added, choose, clip, each, gaussian, laplace, mechanism, one, replaced, rises, within, zcdp\n"
)


def _mechanism(keywords, parameters, body, returns="float"):
    lines = "\n".join(f"    {line}" for line in body)
    return f"{HEAD}\n@mechanism({keywords})\ndef m({parameters}, epsilon: float) -> {returns}:\n{lines}\n"


@pytest.mark.parametrize(
    ("keywords", "parameters", "body", "bound"),
    [
        ("x=within(1)", "x: float", ["return x + laplace(1 / epsilon)"], "epsilon"),
        ("x=within(1)", "x: float", ["return 3 * x + laplace(1 / epsilon)"], "3 * epsilon"),
        ("x=within(1)", "x: float", ["return laplace(2 / epsilon) - x"], "epsilon / 2"),
        ("x=within(1)", "x: float", ["y = x + laplace(1 / epsilon)", "return y * y + 1"], "epsilon"),
        ("rows=added()", "rows: list[bool]", ["return len(rows) + laplace(1 / epsilon)"], "epsilon"),
        ("rows=replaced()", "rows: list[bool]", ["return sum(1 for r in rows if r) + laplace(1 / epsilon)"], "epsilon"),
        (
            "rows=replaced()",
            "rows: list[float]",
            ["return sum(1 if r > 2 else -1 for r in rows) + laplace(1 / epsilon)"],
            "2 * epsilon",
        ),
        ("x=within(1)", "x: int", ["return x % 10 + laplace(1 / epsilon)"], "9 * epsilon"),
        ("x=replaced()", "x: int, k: int", ["assert k >= 1", "return x % k + laplace(1)"], "k - 1"),
        (
            "x=within(1)",
            "x: int, k: int",
            ["assert k >= 1", "return (k + 1) % k + x + laplace(1 / epsilon)"],
            "epsilon",
        ),
        ("s=rises(1)", "s: list[float]", ["assert len(s) >= 1", "return choose(s, 1 / epsilon)"], "epsilon"),
        ("s=each(1)", "s: list[float]", ["assert len(s) >= 1", "return choose(s, 1 / epsilon)"], "2 * epsilon"),
        (
            "x=within(1), claim=zcdp('epsilon')",
            "x: float",
            ["return x + gaussian(1)"],
            None,  # 1/2 is not below every epsilon
        ),
    ],
)
def test_a_plain_mechanism_costs_distance_over_scale(keywords, parameters, body, bound):
    text = _mechanism(keywords, parameters, body, "int" if "choose" in body[-1] else "float")
    certificate = proved(text)
    assert (None if certificate is None else certificate.bound) == bound


def test_gaussian_noise_is_priced_in_rho():
    certificate = proved(_mechanism("x=within(2)", "x: float, sigma: float", ["return x + gaussian(sigma)"]))
    assert (certificate.measure, certificate.bound) == ("rho", "2 / (sigma * sigma)")


@pytest.mark.parametrize(
    "body",
    [
        ["noise = laplace(1 / epsilon)", "return x * x + noise + noise"],  # twice the same draw, and no distance
        ["y = x + laplace(1 / epsilon)", "return x"],  # the value itself
        ["noise = laplace(1 / epsilon)", "return (x + noise) - noise"],  # taken off again
        ["return x * x + laplace(1 / epsilon)"],  # no distance
        ["return x + 0 * laplace(1 / epsilon)"],  # noise multiplied away
    ],
)
def test_what_is_not_private_is_not_proved(body):
    assert unproved(_mechanism("x=within(1)", "x: float", body))


def test_a_call_costs_what_the_callee_does():
    text = f"""{HEAD}
@mechanism(rows=added())
def count(rows: list[bool], budget: float) -> float:
    return sum(1 for row in rows if row) + laplace(1 / budget)

@mechanism(rows=added())
def both(rows: list[bool], epsilon: float) -> tuple[float, float]:
    first = count(rows, epsilon / 3)
    second = count(rows, 2 * epsilon)
    return (first, second)
"""
    certificate = proved(text, "both")
    assert certificate.bound == "7 * epsilon / 3"
    assert [each.function for each in certificate.proof.callees] == ["count"]


def test_a_certificate_is_found_even_where_the_claim_is_too_small_and_then_rejected():
    text = _mechanism("x=within(1), claim='epsilon / 2'", "x: float", ["return x + laplace(1 / epsilon)"])
    assert list(certificates(text))
    assert unproved(text)


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ("x: int", ["return x % 10 + laplace(8 / epsilon)"]),  # 9 and 0 are neighbours
        ("x: int, k: int", ["return x % k + laplace((k - 1) / epsilon)"]),  # k may be below 0
        ("x: int, k: int", ["assert k >= 1", "return x % k + laplace(1 / epsilon)"]),
        ("x: int", ["return 3 * (x % 4) + laplace(3 / epsilon)"]),
    ],
)
def test_a_rest_moves_from_one_end_of_its_range_to_the_other(parameters, body):
    assert unproved(_mechanism("x=within(1), claim='epsilon'", parameters, body))


@pytest.mark.parametrize(
    ("neighbours", "parameter", "calls"),
    [
        (
            "rows=added()",
            "rows: list[float]",
            "count([r for r in rows if r > 0], epsilon), count([r for r in rows if r < 9], 2 * epsilon)",
        ),
        ("x=within(1)", "x: float", "noisy(2 * x, budget=epsilon), noisy(x, epsilon)"),
        ("x=within(1), y=within(1)", "x: float, y: float", "noisy(x - 2 * y, epsilon), 0.0"),
    ],
)
def test_a_call_with_computed_private_values_does_what_is_written_there(neighbours, parameter, calls):
    text = f"""{HEAD}
@mechanism(rows=added())
def count(rows: list[float], budget: float) -> float:
    return len(rows) + laplace(1 / budget)

@mechanism({neighbours}, claim="%s * epsilon")
def both({parameter}, epsilon: float) -> tuple[float, float]:
    return {calls}

@mechanism(x=within(1), claim="budget")
def noisy(x: float, budget: float) -> float:
    return x + laplace(1 / budget)
"""
    assert proved(text % 3, "both").bound == "3 * epsilon"
    assert unproved(text % 2.9, "both")
