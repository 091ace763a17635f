"""No program that leaks is proved by its sums, nor by the mechanism on totals that it is read as."""

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Fold
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy.attempts import attempts
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE
from tests.kernel.folds.leaks import HEAD, LEAKS
from tests.kernel.folds.leaks_by_place import LEAKS_BY_PLACE
from tests.kernel.folds.leaks_carried import LEAKS_CARRIED
from tests.kernel.folds.leaks_of_own_values import LEAKS_OF_OWN_VALUES
from tests.kernel.folds.leaks_of_pairs import LEAKS_OF_PAIRS
from tests.kernel.folds.leaks_of_quotients import LEAKS_OF_QUOTIENTS
from tests.kernel.folds.leaks_of_states import LEAKS_OF_STATES
from tests.kernel.folds.leaks_of_windows import LEAKS_OF_WINDOWS

#: Seconds of computing to look for a proof of each.
IN_VAIN = 3.0 if EXPLORE else 1.5


def name(leak):
    return leak.split("def ")[1].split("(")[0]


def by_sums(module, mechanism):
    """A certificate that says nothing but the claim, or where there is none that nothing is lost."""
    claim = next(iter(ir.claimed(mechanism)), None)
    measure = "rho" if isinstance(mechanism.claim, ir.ZcdpClaim) else "epsilon"
    text = None if claim is None else show(claim)
    return Certificate("f.py", mechanism.name, fingerprint(module, mechanism.name), measure, text or "0", text, Fold())


EVERY = [
    *(*LEAKS, *LEAKS_BY_PLACE, *LEAKS_CARRIED, *LEAKS_OF_PAIRS),
    *(*LEAKS_OF_OWN_VALUES, *LEAKS_OF_QUOTIENTS, *LEAKS_OF_STATES, *LEAKS_OF_WINDOWS),
]


@pytest.mark.parametrize("leak", EVERY, ids=name)
def test_a_leak_is_not_proved(leak):
    module = parse_text(f"{HEAD}{leak}\n")
    tried = [each for each in attempts(module, name(leak), "f.py", IN_VAIN) if isinstance(each, Certificate)]
    accepted = [check_certificate(each, module) for each in (by_sums(module, module[name(leak)]), *tried)]
    assert not [each for each in accepted if isinstance(each, Proved)]
