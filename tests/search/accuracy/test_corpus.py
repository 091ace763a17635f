"""Every program of corpus/accurate has the verdict that stands in it; and no bound is below an exact failure."""

import re

import pytest

from lapwing.decide.accuracy import readings
from lapwing.source.parse import mechanism_names
from tests.search.accuracy.deriving import CORPUS

FILES = sorted((CORPUS / "accurate").glob("*/*.py"))
SLOW = {"smart_sum"}  # the benchmark proves it


def read(path, **options):
    return list(readings(str(path), mechanism_names(path.read_text())[-1], **options))


@pytest.mark.parametrize(
    "path", [f for f in FILES if f.stem not in SLOW], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_verdict(path):
    expected = re.search(r"^#: expect (\w+)", path.read_text(), re.MULTILINE)[1]
    assert expected == path.parent.name
    (reading,) = read(path)
    assert reading.verdict == expected, reading.reason


@pytest.mark.parametrize("name", ["laplace", "noisy_max", "exponential_mechanism", "randomized_response", "one_sided"])
def test_no_exact_failure_is_above_its_bound(name):
    (reading,) = read(CORPUS / "accurate" / "proved" / f"{name}.py", exact=True)
    assert reading.exact
    for each in reading.exact:
        assert each.exact.lower <= each.bound.upper
        assert each.factor >= 1


def test_textbook_sparse_vector_is_loose_by_these_factors():
    (reading,) = read(CORPUS / "accurate" / "proved" / "sparse_vector.py", exact=True)
    factors = {each.n: each.factor for each in reading.exact}
    assert [round(factors[n]) for n in (2, 3, 4)] == [124, 186, 244]
