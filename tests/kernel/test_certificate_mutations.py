"""One change anywhere in a certificate, and it is rejected."""

from functools import cache

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.certificates import CERTIFICATES
from tests.kernel.mutations import mutants


@cache
def mutants_of(name):
    return list(mutants(CERTIFICATES[name][0].to_json()))


def test_there_are_more_than_two_thousand():
    assert sum(len(mutants_of(name)) for name in CERTIFICATES) >= 2000


@pytest.mark.parametrize("name", CERTIFICATES)
def test_every_mutant_is_rejected(name):
    _, text = CERTIFICATES[name]
    for what, data in mutants_of(name):
        try:
            mutant = Certificate.from_json(data)
        except InvalidInput:
            continue
        assert isinstance(check_certificate(mutant, text), Rejected), what


EDITS = [
    ("laplace(2 / epsilon)", "laplace(1 / epsilon)"),
    ("laplace(4 * limit / epsilon)", "laplace(4 / epsilon)"),
    (">= noisy_threshold", "> noisy_threshold"),
    ("above < limit", "above <= limit"),
    ("above += 1", "above += 2"),
    ("each(1)", "each(2)"),
    ('"epsilon")', '"epsilon / 2")'),
    ("out.append(False)", "out.append(x > threshold)"),
]


@pytest.mark.parametrize(("old", "new"), EDITS)
def test_a_certificate_is_tied_to_its_source(old, new):
    certificate, text = CERTIFICATES["sparse_vector"]
    assert old in text
    verdict = check_certificate(certificate, text.replace(old, new))
    assert isinstance(verdict, Rejected)
    assert "not the one the certificate was written for" in verdict.reason


def test_layout_and_comments_do_not_matter():
    certificate, text = CERTIFICATES["sparse_vector"]
    other = "# a comment\n" + text.replace("    above = 0", "    above = 0  # so far")
    assert isinstance(check_certificate(certificate, other), Proved)
