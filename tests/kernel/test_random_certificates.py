"""What the checker accepts, exact probabilities do not contradict; tests/kernel/random_certificates.py runs more."""

import pytest

from tests.kernel.random_certificates import Writer, above, campaign


@pytest.mark.parametrize(("control", "count", "least"), [(False, 120, 10), (True, 16, 2)])
def test_no_accepted_bound_is_below_the_exact_loss(control, count, least):
    proved, wrong = campaign(range(count), control)
    assert wrong == []
    assert proved >= least, "the programs are too hard to prove for this to show anything"


def test_a_bound_that_is_too_small_would_be_noticed():
    writer = Writer(0, control=False)
    writer.scalar, writer.list = "within(1)", "one(1)"
    text = (
        "from lapwing import laplace, mechanism, one, within\n@mechanism(x=within(1), q=one(1))\n"
        "def f(x: int, q: list[int], t: int) -> float:\n    return x + laplace(2)\n"
    )
    assert above(text, writer, "1 / 2") is None
    assert above(text, writer, "1 / 3") is not None
