"""What reads itself twice, again and again, is refused by its size: the time that a check has must not be passed."""

import pytest

from lapwing.decide.time_limits import time_limit
from lapwing.kernel.evidence.certificate import Enumeration, Fold
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.program import ir
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import check_certificate
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.symbolic.terms import Outside
from lapwing.source.parse import parse_text
from tests.kernel.certificates import certify, coupling
from tests.kernel.hostile import program

STEPS = 40
#: Seconds of computing: each of them would go on for years.
SECONDS = 15
RECORDS = "q: list[float], epsilon: float"


def of_records(body):
    return program(body, "q=added()", RECORDS)


def again(line, times=STEPS):
    return "\n".join([line] * times)


LARGEST = "max(epsilon, " * STEPS + "0" + ")" * STEPS
TOTAL = "t = sum(clip(x, 0, 1) for x in q)"
SHIFT = coupling([("-hat(y)", "1")])
DOUBLING = {
    "a bound of largest ones": (of_records(f"{TOTAL}\nreturn t + laplace(2 / epsilon)"), Fold(), LARGEST),
    "a total": (of_records(f"{TOTAL}\n{again('t = t + t')}\nreturn t + laplace(1 / epsilon)"), Fold(), "epsilon"),
    "a condition of the largest": (
        of_records(f"m = epsilon\n{again('m = m + 1 if m > 2 else m - 1')}\n{TOTAL}\nreturn t + laplace(m)"),
        Fold(),
        "epsilon",
    ),
    "squares of squares": (
        program(f"z = epsilon\n{again('z = z * z + z')}\nreturn y + laplace(1 / epsilon) + z"), SHIFT, "epsilon",
    ),
    "truth values": (
        program(
            f"c = b\n{again('c = c == b or c and not b')}\nd = flip(1 / 4)\nreturn c != d",
            "b=replaced()", "b: bool", returns="bool",
        ),
        Enumeration(rows=False),
        "ln(3)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBLING)
def test_the_check_itself_ends(name):
    text, proof, bound = DOUBLING[name]
    module = parse_text(text)
    with time_limit(SECONDS):
        assert isinstance(check_certificate(certify("p.py", text, proof, bound), module), Rejected)


def test_a_formula_over_parameters_that_doubles_is_refused():
    chain = "\n".join(f"z{each + 1} = z{each} + z{each}" for each in range(STEPS))
    mechanism = parse_text(program(f"z0 = epsilon\n{chain}\nreturn y + laplace(z{STEPS})"))["f"]
    with time_limit(SECONDS), pytest.raises(Outside):
        over_parameters(mechanism, ir.Name(f"z{STEPS}"))


def test_a_program_that_doubles_is_read():
    """What an assert might say of such a variable is written out; of one that is too long it is not."""
    with time_limit(SECONDS):
        parse_text(program(f"z = epsilon\n{again('z = z * z')}\nreturn y + laplace(1 / epsilon) + z"))


def test_an_assert_about_what_was_set_before_still_counts():
    text = program("z = 2 * epsilon\nassert z > 0\nreturn y + laplace(1 / epsilon)")
    assert len(parse_text(text)["f"].preconditions) == 1


def test_prices_of_hundreds_of_releases_do_not_nest():
    """They are added up in halves: one after the other is deeper than Python follows."""
    body = f"out = []\n{again('out.append(sum(clip(x, 0, 1) for x in q) + laplace(1 / epsilon))', 600)}\nreturn out"
    text = program(body, "q=added()", RECORDS, returns="list[float]")
    folds = Folds(Terms(), parse_text(text)["f"], "epsilon")
    (cost,) = folds.costs()
    assert folds.questions.at_least_zero(cost.total, folds.extraction.symbols, cost.known)
