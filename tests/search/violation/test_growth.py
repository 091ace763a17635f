import pytest

from lapwing.search.violation.growth import growth
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file
from tests.corpus import ROOT, programs

LAWS = {program.path.stem: program.growth for program in programs("refuted")}


def measured(name, max_n):
    module = parse_file(ROOT / f"{name}.py")
    return growth(Subject(module, list(module)[-1]), max_n=max_n)


@pytest.mark.parametrize(
    ("name", "unbounded"),
    [
        ("bad_noisy_max", True),
        ("bad_gap", True),
        ("lyu_3", True),
        ("lyu_6", True),
        ("lyu_5", True),
        ("histogram_each", True),
        ("bad_partial_sum", False),
        ("exponential_response", False),
    ],
)
def test_the_law_in_the_corpus_is_recovered(name, unbounded):
    found = measured(f"refuted/{name}", 4)
    assert found.law == LAWS[name]
    assert found.unbounded is unbounded


def test_sparse_vector_comes_within_2_percent_of_its_exact_law_and_never_above():
    found = measured("proved/sparse_vector", 5)
    assert found.law == "min(n/4, 1)*epsilon"
    for n, finding in found.points.items():
        law = min(n / 4, 1)
        assert 0.98 * law <= finding.loss <= law + 1e-9
