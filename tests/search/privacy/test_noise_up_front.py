"""Noise drawn up front and read by place, where each run has its own best so far."""

import pytest

from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import each, exponential, laplace, mechanism, monotone, one\n\n\n"
DRAWN = "noise = [laplace(2 / epsilon) for _ in q]"
LATER = "if q[i] + noise[i] > q[best] + noise[best]:"


def argmax(*, drawn=DRAWN, test=LATER, first="0", rounds="range(len(q))", q="each(1)", ends=""):
    return (
        f'{HEAD}@mechanism(q={q}, claim="epsilon")\n'
        f"def largest(q: list[float], epsilon: float) -> int:\n"
        f"    {drawn}\n"
        f"    best = {first}\n"
        f"    for i in {rounds}:\n"
        f"        {test}\n"
        f"            best = i\n"
        f"    {ends or 'return best'}\n"
    )


RIGHT = {
    "as it comes": {},
    "appended": {"drawn": "noise = []\n    for x in q:\n        noise.append(laplace(2 / epsilon))"},
    "by count": {"drawn": "noise = [laplace(2 / epsilon) for _ in range(len(q))]", "rounds": "range(1, len(q))"},
    "turned round": {"test": "if noise[best] + q[best] < noise[i] + q[i]:"},
    "at least": {"test": "if q[i] + noise[i] >= q[best] + noise[best]:"},
    "difference": {"test": "if q[i] - q[best] + noise[i] - noise[best] > 0:"},
    "no best yet": {"first": "-1", "test": "if best < 0 or q[i] + noise[i] > q[best] + noise[best]:"},
    "smallest": {"test": "if q[i] + noise[i] < q[best] + noise[best]:"},
    "exponential": {"drawn": "noise = [exponential(2 / epsilon) for _ in q]"},
    "one way": {"q": "monotone(1)", "drawn": "noise = [laplace(1 / epsilon) for _ in q]"},
    "one element": {"q": "one(1)", "drawn": "noise = [laplace(1 / epsilon) for _ in q]"},
    "far apart": {"q": "each(2)", "drawn": "noise = [laplace(4 / epsilon) for _ in q]"},
}

WRONG = {
    "too little noise": {"drawn": "noise = [laplace(1 / epsilon) for _ in q]"},
    "too little for two": {"q": "each(2)"},
    "too little, one way": {"q": "monotone(1)", "drawn": "noise = [laplace(1 / (2 * epsilon)) for _ in q]"},
    "the best has none": {"test": "if q[i] + noise[i] > q[best]:"},
    "the next has none": {"test": "if q[i] > q[best] + noise[best]:"},
    "one for all": {"test": "if q[i] + noise[0] > q[best] + noise[0]:"},
    "of the place before": {"test": "if q[i] + noise[i - 1] > q[best] + noise[best]:"},
    "of the same place": {"test": "if q[i] + noise[i] > q[best] + noise[i]:"},
    "one-sided the wrong way": {
        "drawn": "noise = [exponential(2 / epsilon) for _ in q]",
        "test": "if q[i] + noise[i] < q[best] + noise[best]:",
    },
    "the value as well": {"ends": "return best if q[best] > 0 else 0"},
}


@pytest.mark.parametrize("how", RIGHT)
def test_the_place_of_the_largest_is_proved(how):
    assert proved(argmax(**RIGHT[how])) is not None


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_neighbour_is_not_proved(how):
    assert unproved(argmax(**WRONG[how]))
