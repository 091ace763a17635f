"""Noisy maxima of counts that a loop over the records makes, one record more or fewer."""

import pytest

from tests.search.privacy.proving import proved, unproved

COUNTED = "counts = [0] * k\n    for r in rows:\n        if 0 <= r < k:\n            counts[r] += 1"
LISTED = "counts = [sum(1 for r in rows if r == j) for j in range(k)]"
FIRST = "best = 0\n    top = counts[0] + laplace(SCALE)\n    for i in range(1, k):"
NONE = "best = -1\n    top = 0.0\n    for i in range(k):"
LATER = "v = counts[i] + laplace(SCALE)"


def mode(*, counted=COUNTED, first=FIRST, later=LATER, test="v > top", scale="1 / epsilon", rows="added()"):
    return (
        f"from lapwing import added, laplace, mechanism, replaced\n\n\n"
        f'@mechanism(rows={rows}, claim="epsilon")\n'
        f"def mode(rows: list[int], k: int, epsilon: float) -> int:\n"
        f"    assert k >= 1\n"
        f"    {counted}\n"
        f"    {first}\n"
        f"        {later}\n"
        f"        if {test}:\n"
        f"            best = i\n"
        f"            top = v\n"
        f"    return best\n"
    ).replace("SCALE", scale)


EMPTY = {"first": NONE, "test": "best < 0 or v > top"}
RIGHT = {
    "twice the noise": {"scale": "2 / epsilon"},
    "the first before the loop": {"counted": LISTED, "scale": "2 / epsilon"},
    "none yet": EMPTY,
    "none yet, in a list": {**EMPTY, "counted": LISTED},
    "one record another": {**EMPTY, "rows": "replaced()", "scale": "2 / epsilon"},
}
WRONG = {
    "little noise": {**EMPTY, "scale": "1 / (2 * epsilon)"},
    "little noise, the first before the loop": {"scale": "1 / (2 * epsilon)"},
    "one record another": {**EMPTY, "rows": "replaced()"},
    "a bare first": {"first": FIRST.replace(" + laplace(SCALE)", ""), "scale": "2 / epsilon"},
    "bare others": {"later": "v = counts[i] + 0.0", "scale": "2 / epsilon"},
    "each record twice": {**EMPTY, "counted": COUNTED.replace("+= 1", "+= 2")},
}


@pytest.mark.parametrize("how", RIGHT)
def test_the_mode_is_proved(how):
    assert proved(mode(**RIGHT[how])) is not None


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_neighbour_is_not_proved(how):
    assert unproved(mode(**WRONG[how]))
