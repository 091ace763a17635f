"""The programs of the rules with a δ, one by one, and their wrong neighbours: corpus/strangers/approximate.txt.

1 to 3 answer between two thresholds, 4 to 6 release what is stable, 7 and 8 name a maximum, 9 and 10 branch, 11 to 14
go over records, 15 and 16 compose and sample, 17 peels, 18 adds up in a tree, 19 and 20 are asked by an adversary. 21
draws noise of a private scale, for which there is no rule. A neighbour has the number of the mistake in it; the first
has become right, as real noise has no ties.
"""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.errors import LapwingError
from lapwing.kernel.rejected import Rejected
from tests.kernel.test_approximate import bad, verdict
from tests.search.privacy.proving import unproved
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "approximate"}
PROGRAMS = [name for name in SHELF if name.startswith("p")]
NEIGHBOURS = [name for name in SHELF if name.startswith("w")]
#: Private, and not proved without a hint: two means want an invariant of both clusters together.
HINTED = {"p14_two_means"}
#: What small inputs break within seconds; the others lose too little to be found so, or nothing that is known.
REFUTED = ("w07_a_threshold_of_zero", "w07_no_noise_on_the_gap", "w16_half_the_exponential_noise")


def decided(name):
    """The verdict on a program, or that it is refused."""
    try:
        return decide_text(SHELF[name].text, name).verdict
    except LapwingError:
        return "refused"


def test_they_are_all_there():
    assert [int(name[1:3]) for name in PROGRAMS] == list(range(1, 22))
    assert {int(name[1:3]) for name in NEIGHBOURS} == set(range(1, 20))
    assert len(set(PROGRAMS) - HINTED - {"p21_smooth_sensitivity"}) >= 18


@pytest.mark.parametrize("name", [name for name in PROGRAMS if SHELF[name].truth == "right" and name not in HINTED])
def test_the_programs_are_proved(name):
    assert decided(name) == "proved"


def test_noise_of_a_private_scale_has_no_rule():
    assert decided("p21_smooth_sensitivity") == "refused"
    assert decided("w08_noise_of_a_private_scale") == "refused"


@pytest.mark.parametrize("name", sorted(set(NEIGHBOURS) - {"w01_max_gap_without_ties", "w08_noise_of_a_private_scale"}))
def test_their_neighbours_never_are(name):
    assert unproved(SHELF[name].text, name)


@pytest.mark.parametrize("name", REFUTED)
def test_what_small_inputs_break_is_refuted(name):
    assert decided(name) == "refuted"


def test_without_ties_the_gap_is_pure():
    assert decided("w01_max_gap_without_ties") == "proved"


@pytest.mark.parametrize("given", ["output() == 0", "other(noisy) > 0"])
def test_one_delta_for_every_answer_is_no_proof(given):
    """The last neighbour is a certificate: what is bad may speak neither of the answer nor of the other run."""
    found = verdict("histogram", bad(0, given=given))
    assert isinstance(found, Rejected)
    assert "depends on more than the first run and the inputs" in found.reason
