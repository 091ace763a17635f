"""Every check of a hostile file ends soon, and shows nothing."""

import json
import resource

import pytest

from lapwing.checking import check
from lapwing.decide import confined
from lapwing.kernel.rejected import Rejected
from tests.kernel.certificates import CERTIFICATES
from tests.kernel.hostile import certificates

#: Seconds of computing, for the tests' own sake: those that defeat the solver take whatever they are given.
SECONDS = 1.0


@pytest.fixture
def checked(tmp_path):
    """What ``lapwing.check`` says of a certificate that stands in a file, beside its program."""

    def judge(text, certificate):
        (tmp_path / "p.py").write_text(text)
        (tmp_path / "certificate.json").write_text(json.dumps(certificate.to_json()))
        return check(tmp_path / "certificate.json", source=tmp_path / "p.py")

    return judge


def computed():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(("text", "certificate"), [pytest.param(*rest, id=name) for name, *rest in certificates()])
def test_a_hostile_certificate_is_rejected_in_time(monkeypatch, checked, text, certificate):
    monkeypatch.setattr(confined, "SECONDS", SECONDS)
    before = computed()
    assert isinstance(checked(text, certificate), Rejected)
    assert computed() - before < 2 * SECONDS


def test_some_of_them_go_on_until_they_are_ended(monkeypatch, checked):
    """Otherwise the limit would not be tried: this one makes the solver forget the time."""
    monkeypatch.setattr(confined, "SECONDS", SECONDS)
    found = {name: (text, certificate) for name, text, certificate in certificates()}
    text, certificate = found["polynomials of a high degree"]
    assert "takes more than 1 seconds" in checked(text, certificate).reason


def test_honest_certificates_have_time_to_spare(monkeypatch, checked):
    monkeypatch.setattr(confined, "SECONDS", 4.0)
    for certificate, text in CERTIFICATES.values():
        assert not isinstance(checked(text, certificate), Rejected)
