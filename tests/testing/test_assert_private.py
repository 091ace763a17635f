"""``assert_private`` passes exactly on what is proved, and otherwise says why in words a person can follow."""

from fractions import Fraction
from pathlib import Path

import pytest

import lapwing
from lapwing import each, gaussian, laplace, library, mechanism, one, within, zcdp
from lapwing.decide import claim_violation
from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.library import Certified
from lapwing.source import Runnable
from lapwing.testing import assert_private


@mechanism(values=one(1), claim="epsilon")
def total(values: list[float], epsilon: float) -> float:
    """A good one."""
    return sum(values) + laplace(1 / epsilon)


@mechanism(values=one(1), claim="epsilon")
def careless(values: list[float], epsilon: float) -> float:
    """Half the noise."""
    return sum(values) + laplace(1 / (2 * epsilon))


@mechanism(values=one(1))
def silent(values: list[float]) -> float:
    """Claims nothing."""
    return sum(values) + laplace(4)


@mechanism(x=within(1), claim=zcdp("1 / (2 * sigma * sigma)"))
def gaussian_answer(x: float, sigma: float) -> float:
    """Zero-concentrated."""
    return x + gaussian(sigma)


@mechanism(values=each(1), claim="epsilon")
def puzzling(values: list[float], epsilon: float) -> float:
    """Private, and outside what is followed.

    The line that blocks the proof is the test of a product.
    """
    noise = laplace(1 / epsilon)
    for value in values:
        # a comment, which no printed program has

        if value * noise > value * noise:
            noise = noise + value
    return noise


@mechanism(values=one(1), claim="3 * epsilon")
def both(values: list[float], epsilon: float) -> tuple[float, float]:
    """Calls another mechanism."""
    first = total(values, 2 * epsilon)
    second = total(values, epsilon)
    return (first, second)


def test_proved_claims_pass():
    for good in (total, gaussian_answer, both, library.tree_counter, library.exponential_mechanism):
        assert_private(good)


def test_a_path_and_name_will_do():
    assert_private(f"{__file__}::total")


@pytest.mark.parametrize("epsilon", ["epsilon", "epsilon + epsilon", "3 * epsilon / 2"])
def test_a_bound_given_here_takes_the_place_of_the_claim(epsilon):
    assert_private(total, epsilon)


@pytest.mark.parametrize("epsilon", [1, "1/4", 0.25, Fraction(1, 4)])
def test_a_number_will_do_where_nothing_else_is_claimed(epsilon):
    assert_private(silent, epsilon)


@pytest.mark.parametrize("epsilon", [0, "1/5", 0.2499])
def test_a_number_that_is_too_small_will_not(epsilon):
    with pytest.raises(AssertionError, match="silent is not private at"):
        assert_private(silent, epsilon)


def test_zero_concentrated_privacy():
    assert_private(gaussian_answer, rho="1 / (sigma * sigma)")
    with pytest.raises(AssertionError, match=r"is not private at zcdp\(1 / \(3 \* sigma \* sigma\)\)"):
        assert_private(gaussian_answer, rho="1 / (3 * sigma * sigma)", seconds=5)


def test_a_violation_is_told_with_inputs_output_probabilities_and_the_bound_that_holds():
    with pytest.raises(AssertionError) as caught:
        assert_private(careless)
    story = str(caught.value)
    line = careless.ir.span.line
    assert story.startswith(f"{Path(__file__)}:{line} careless is not private at epsilon")
    for words in (
        "  values   [",
        "   <- differs",
        " has probability",
        "7.38905 times",
        "loss of 2.",
        "To see it again:",
    ):
        assert words in story
    assert story.endswith("Proved instead: 2 * epsilon")


def test_the_lines_to_see_it_again_run(capsys, monkeypatch):
    with pytest.raises(AssertionError) as caught:
        assert_private(careless)
    lines = str(caught.value).partition("To see it again:\n")[2].partition("\n\n")[0]
    if not hasattr(lapwing, "refute"):  # the function behind the public name
        monkeypatch.setattr(lapwing, "refute", _refute, raising=False)
    exec("\n".join(line.strip() for line in lines.splitlines()), {})  # noqa: S102  # what a reader would paste
    assert "a privacy loss of at least 1.99999" in capsys.readouterr().out


def _refute(target, left, right):
    path, _, name = target.partition("::")
    return claim_violation.refute(path, name, left=left, right=right)


def test_a_mechanism_inside_a_function_is_proved_as_it_stands_there():
    @mechanism(values=one(1), claim="epsilon")
    def total(values: list[float], epsilon: float) -> float:
        return sum(values) + laplace(1 / (3 * epsilon))

    assert_private(total, "3 * epsilon")
    with pytest.raises(AssertionError) as caught:
        assert_private(total)
    assert "Proved instead: 3 * epsilon" in str(caught.value)
    assert "To see it again" not in str(caught.value)


def test_what_is_not_decided_names_the_line_of_the_source():
    with pytest.raises(AssertionError) as caught:
        assert_private(puzzling, seconds=3)
    story = str(caught.value)
    number = 1 + Path(__file__).read_text().splitlines().index("        if value * noise > value * noise:")
    assert "puzzling is not proved at epsilon: " in story
    assert f"line {number}" in story
    assert f"{__file__}:{number}\n    if value * noise > value * noise:" in story


class AnotherRunnable(Runnable):
    """May run something else than what is proved."""


class AnotherCertified(Certified):
    """The same, with a certificate."""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((AnotherRunnable(total.name, total.source),), "Y106"),
        ((AnotherCertified(library.histogram.runnable, library.histogram.certificate_file),), "Y106"),
        ((silent,), "Y107"),
        ((total, 1, 2), "Y107"),
        ((test_a_path_and_name_will_do,), "Y106"),
        (("total",), "Y106"),
        ((total, True), "A001"),
        ((total, float("nan")), "A001"),
    ],
)
def test_misuse_is_an_error_and_not_a_failed_proof(arguments, code):
    target, epsilon, rho = (*arguments, None, None)[:3]
    with pytest.raises(InvalidInput, match=code):
        assert_private(target, epsilon, rho=rho)


@pytest.mark.parametrize("epsilon", ["eps", "len(values", "values", "1; 2"])
def test_a_bound_that_is_no_public_expression_is_refused(epsilon):
    with pytest.raises(InvalidProgram):
        assert_private(total, epsilon)
