"""Every shipped mechanism is proved again, carries a certificate of the code that runs, and answers."""

import inspect
from fractions import Fraction

import pytest

from lapwing import ZCDP, ApproxDP, PureDP, library
from lapwing.decide.texts import check_certificate
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.relational.certificate import Proved
from lapwing.library import NAMES, Certified
from lapwing.library.__main__ import proved
from lapwing.library.shelf import certificate_file, source_file
from tests.library.examples import EXAMPLES

#: At a small ε, a δ is small only if thresholds are far.
MORE = {
    "between_thresholds": {"high": 1000},
    "propose_test_release": {"threshold": 100},
    "stable_histogram": {"threshold": 100},
}


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_every_file_is_handed_out_and_every_name_has_its_files():
    files = {path.stem for path in source_file("x").parent.glob("*.py")} - {"__init__"}
    assert files == set(NAMES) == set(EXAMPLES)
    assert {path.stem for path in certificate_file("x").parent.glob("*.json")} == set(NAMES)
    assert set(NAMES) < set(library.__all__)
    assert list(NAMES) == sorted(NAMES)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="noisy_mean"):
        library.noisy_mean  # noqa: B018  # reading it is the test


def test_the_prover_proves_it_again_and_says_what_the_certificate_says(name):
    found = proved(name)
    assert found is not None
    stored = getattr(library, name).certificate
    parts = ("source", "measure", "bound", "delta", "file")
    assert [getattr(found, part) for part in parts] == [getattr(stored, part) for part in parts]


def test_the_stored_certificate_holds_for_the_file(name):
    mechanism = getattr(library, name)
    assert isinstance(check_certificate(mechanism.certificate, source_file(name).read_text()), Proved)
    assert (certificate_file(name).parent / mechanism.certificate.file).resolve() == source_file(name).resolve()


def test_the_guarantee_is_what_a_session_charges(name):
    mechanism = getattr(library, name)
    private, public = EXAMPLES[name]
    guarantee = mechanism.guarantee
    assert isinstance(mechanism, Certified)
    if guarantee.measure == "rho":
        assert guarantee.at(**{**public, "rho": "0.1"}) == ZCDP("0.1")
        return
    price = guarantee.at(**{**public, "epsilon": "0.1"} | MORE.get(name, {}))
    if guarantee.measure == "approximate":
        assert isinstance(price, ApproxDP)
        assert price.epsilon == (Fraction(2, 10) if name == "propose_test_release" else Fraction(1, 10))
        assert 0 < price.delta < Fraction(1, 1000)
    else:
        assert price == PureDP("0.1")
    assert set(mechanism.private) == set(guarantee.neighbours) == set(private)
    assert all(isinstance(relation, Relation) for relation in mechanism.private.values())
    assert set(mechanism.public) == set(public)
    assert guarantee.source == mechanism.certificate.source


def test_it_runs_and_answers_in_its_type(name):
    private, public = EXAMPLES[name]
    mechanism = getattr(library, name)
    answer = mechanism(**private, **public)
    kinds = {"int": int, "float": float, "list[bool]": list, "list[float]": list, "list[int]": list}
    assert isinstance(answer, kinds.get(inspect.signature(mechanism).return_annotation, tuple))
    if "float" in str(inspect.signature(mechanism).return_annotation):
        assert len({str(mechanism(**private, **public)) for _ in range(20)}) > 1, "no noise"


def test_it_explains_itself(name):
    mechanism = getattr(library, name)
    assert mechanism.__name__ == name
    for parameter in inspect.signature(mechanism).parameters:
        assert f"``{parameter}``" in mechanism.__doc__, f"{parameter} is not explained"
