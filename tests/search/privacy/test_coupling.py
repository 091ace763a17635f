"""Couplings are found for mechanisms of many shapes, and for none that is not private."""

import pytest

from lapwing.kernel.evidence.certificate import Branch
from tests.search.privacy.proving import proved, unproved

HEAD = "from lapwing import each, exponential, falls, flip, laplace, mechanism, monotone, one, rises\n"


def _source(body, relation="each(1)", returns="list[bool]", extra="threshold: float, limit: int"):
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    return f"{HEAD}\n@mechanism(q={relation})\ndef m(q: list[float], {extra}, epsilon: float) -> {returns}:\n{lines}\n"


STOPS_BY_BREAK = """
assert limit >= 1
noisy = threshold + laplace(2 / epsilon)
out = []
above = 0
for x in q:
    if above >= limit:
        break
    if x + laplace(4 * limit / epsilon) >= noisy:
        out.append(True)
        above += 1
        continue
    out.append(False)
return out
"""
FIRST_ABOVE = """
noisy = threshold + laplace(2 / epsilon)
for i, x in enumerate(q):
    if x + laplace(4 / epsilon) >= noisy:
        return i
return len(q)
"""
LEAST = """
best = 0
least = 0
for i in range(len(q)):
    noisy = q[i] + laplace(2 / epsilon)
    if i == 0 or noisy < least:
        best = i
        least = noisy
return best
"""
TWO_LOOPS = """
total = 0
for x in q:
    total += x
out = []
for y in q:
    out.append(y + laplace(1 / epsilon))
return (total + laplace(2 / epsilon), out)
"""
COIN = """
heads = flip(1 / 2)
total = 0
for x in q:
    total += x
if heads:
    return total + laplace(1 / epsilon)
return total + laplace(1 / epsilon)
"""


@pytest.mark.parametrize(
    ("source", "bound"),
    [
        (_source(STOPS_BY_BREAK), "epsilon"),
        (_source(FIRST_ABOVE, returns="int"), "epsilon"),
        (_source(LEAST, returns="int"), "epsilon"),
        (_source(TWO_LOOPS, "one(1)", "tuple[float, list[float]]"), "3 * epsilon / 2"),
        (_source(COIN, "one(1)", "float"), "epsilon"),
        (_source(STOPS_BY_BREAK, "each(3)"), "3 * epsilon"),
        (_source(STOPS_BY_BREAK, "falls(1)"), "3 * epsilon / 4"),
        (_source(STOPS_BY_BREAK.replace("4 * limit", "2 * limit"), "monotone(1)"), "epsilon"),
    ],
    ids=["break", "first-above", "noisy-min", "two-loops", "coin", "distance-3", "falls", "monotone"],
)
def test_a_coupling_is_found(source, bound):
    assert proved(source).bound == bound


NO_STOP = """
noisy = threshold + laplace(2 / epsilon)
out = []
for x in q:
    if x + laplace(4 / epsilon) >= noisy:
        out.append(True)
    else:
        out.append(False)
return out
"""
NO_NOISE_ON_ANSWERS = """
noisy = threshold + laplace(2 / epsilon)
out = []
for x in q:
    out.append(x >= noisy)
return out
"""
REUSED_NOISE = """
noise = laplace(1 / epsilon)
out = []
for x in q:
    out.append(x + noise)
return out
"""
LARGEST_VALUE = """
largest = 0
for i, x in enumerate(q):
    noisy = x + laplace(2 / epsilon)
    if i == 0 or noisy > largest:
        largest = noisy
return largest
"""
ONE_SIDED = """
out = []
for x in q:
    out.append(x + exponential(1 / epsilon))
return out
"""
DRAWS_IN_ONE_RUN_ONLY = """
out = []
for x in q:
    if x >= threshold:
        out.append(laplace(1 / epsilon))
    else:
        out.append(1 + laplace(1 / epsilon))
return out
"""


def test_without_a_stop_the_bound_grows_with_the_list():
    assert "len(q)" in proved(_source(NO_STOP)).bound


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        (NO_NOISE_ON_ANSWERS, "list[bool]"),
        (REUSED_NOISE, "list[float]"),
        (ONE_SIDED, "list[float]"),
    ],
    ids=["no-noise", "reused-noise", "one-sided"],
)
def test_what_is_not_private_has_no_coupling(body, returns):
    assert unproved(_source(body, "one(1)" if body is REUSED_NOISE else "each(1)", returns))


def test_draws_of_different_branches_cost_something_for_every_element():
    assert "len(q)" in proved(_source(DRAWS_IN_ONE_RUN_ONLY, "each(1)", "list[float]")).bound


def test_releasing_the_largest_value_costs_something_for_every_element():
    assert "len(q)" in proved(_source(LARGEST_VALUE, returns="float")).bound


def test_one_sided_noise_may_be_shifted_upward_only():
    body = ONE_SIDED.replace("x + exponential", "exponential").replace(
        "exponential(1 / epsilon)", "x + exponential(1 / epsilon)"
    )
    for relation in ("falls(1)", "rises(1)"):  # upward in one order of the neighbours is downward in the other
        assert unproved(_source(body, relation, "list[float]"))
    upward = LEAST.replace("laplace(2", "exponential(1").replace("noisy < least", "noisy > least")
    for relation in ("falls(1)", "rises(1)", "monotone(1)"):
        assert proved(_source(upward, relation, "int")).bound == "epsilon"


def test_the_sparse_vector_alignment_is_the_known_one():
    proof = proved(_source(STOPS_BY_BREAK)).proof
    assert proof.sites[0].alignment == "1"
    assert isinstance(proof.sites[1].alignment, Branch)
    assert proof.sites[1].alignment.otherwise == "0"
    assert [site.total for site in proof.sites] == ["1", "2 * limit"]


SYMBOLIC = {
    "sparse": """
@mechanism(q=each("d"), claim="epsilon")
def sparse(q: list[float], threshold: float, limit: int, d: float, epsilon: float) -> list[bool]:
    assert limit >= 1
    assert d > 0
    noisy_threshold = threshold + laplace(2 * d / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit * d / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
""",
    "largest": """
@mechanism(q=each("d"), claim="epsilon")
def largest(q: list[float], d: float, epsilon: float) -> int:
    assert d > 0
    best = 0.0
    index = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 * d / epsilon)
        if i == 0 or noisy > best:
            best = noisy
            index = i
    return index
""",
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_the_distance_may_be_a_parameter(name):
    text = "from lapwing import each, laplace, mechanism\n" + SYMBOLIC[name]
    assert proved(text).bound == "epsilon"


@pytest.mark.parametrize("name", SYMBOLIC)
def test_noise_that_does_not_grow_with_the_distance_is_not_enough(name):
    text = "from lapwing import each, laplace, mechanism\n" + SYMBOLIC[name]
    assert unproved(text.replace(" * d / epsilon", " / epsilon"))
