"""Bins, centres, rows and tables that a loop looks through for each record, as strangers write them: all decided."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy import attempts
from lapwing.source.parse import parse_text
from tests.strangers import strangers

SHELF = [each for each in strangers() if each.shelf == "found_for_each"]


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in SHELF if e.truth == "right"])
def test_what_is_found_for_a_record_is_its_own(program):
    module = parse_text(program.text, only=program.name)
    tried = (each for each in attempts(module, program.name, "f.py", 20) if isinstance(each, Certificate))
    assert any(isinstance(check_certificate(each, module), Proved) for each in tried)


@pytest.mark.parametrize("program", [pytest.param(e, id=e.name) for e in SHELF if e.truth == "wrong"])
def test_too_little_noise_is_refuted(program):
    assert decide_text(program.text, program.name).verdict == "refuted"
