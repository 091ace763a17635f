"""Every right program of the corpus is proved for all sizes at its known bound; no wrong one ever is."""

from fractions import Fraction

import pytest

from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.privacy.bounds import read
from lapwing.search.privacy.totals import points
from lapwing.source.parse import parse_text
from tests.corpus import programs
from tests.search.privacy.proving import certificates, proved, unproved

RIGHT = [program for program in programs("proved") if program.needs is None]
WRONG = programs("refuted")


def _agree(mechanism, left, right):
    for point in points(mechanism):
        a, b = (enclosed(each, dict(point.values)) for each in (left, right))
        if a.upper < b.lower or b.upper < a.lower:
            return False
    return True


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.label)
def test_a_right_program_is_proved_at_its_bound(program):
    text = program.path.read_text()
    certificate = proved(text, program.mechanism, str(program.path))
    assert certificate is not None
    mechanism = parse_text(text)[program.mechanism]
    assert _agree(mechanism, read(certificate.bound), read(program.bound))


@pytest.mark.parametrize("program", WRONG, ids=lambda program: program.label)
def test_a_wrong_program_is_not_proved(program):
    assert unproved(program.path.read_text(), program.mechanism, str(program.path))


@pytest.mark.parametrize(
    ("label", "bound"),
    [
        ("sparse_vector", "epsilon"),
        ("lyu_2", "epsilon"),
        ("lyu_4", "(1 + 6 * limit) / 4 * epsilon"),
        ("adaptive_sparse_vector", "epsilon"),
        ("noisy_max", "epsilon"),
        ("noisy_sum_2_each", "len(a) * b * epsilon"),
        ("randomized_response", "ln(3)"),
    ],
)
def test_without_a_claim_the_bound_is_derived(label, bound):
    program = next(each for each in RIGHT if each.path.stem == label)
    text = program.path.read_text()
    claim = next(line for line in text.splitlines() if line.startswith("@mechanism"))
    bare = text.replace(claim, claim.split(", claim=")[0] + ")")
    assert parse_text(bare)[program.mechanism].claim is None
    assert proved(bare, program.mechanism).bound == bound


def test_lyu_6_has_only_a_bound_that_grows_with_the_list():
    text = (RIGHT[0].path.parents[1] / "refuted" / "lyu_6.py").read_text().replace(', claim="epsilon"', "")
    assert "len(q)" in proved(text).bound


def test_certificates_of_one_program_are_the_same_every_time():
    text = next(each for each in RIGHT if each.path.stem == "histogram").path.read_text()
    assert list(certificates(text)) == list(certificates(text))


def test_fractions_agree():
    mechanism = parse_text(RIGHT[0].path.read_text()).mechanisms[0]
    assert _agree(mechanism, read("epsilon / 2"), read("0.5 * epsilon"))
    assert not _agree(mechanism, read("epsilon"), read("2 * epsilon"))
    assert Fraction(1, 2) == Fraction("0.5")
