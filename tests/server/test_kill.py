"""The server is killed without warning, again and again: nothing is charged twice, nothing is answered unpaid.

``python -m tests.campaigns --kills 50`` does it with 8 clients of 200 questions each; here is a slice of that.
"""

import pytest

from tests.campaigns import kills


def test_killed_again_and_again(tmp_path):
    found = kills.campaign(tmp_path, kills=2, clients=4, requests=10)
    assert found["CONTRADICTION"] == 0
    assert found["answered"] + found["charged and lost"] == found["beyond the budget"] == 20


@pytest.mark.parametrize("bent", [lambda found: [*found, found[0]], lambda found: found[1:]], ids=["twice", "never"])
def test_a_ledger_that_does_not_fit_the_answers_is_noticed(tmp_path, monkeypatch, bent):
    charges = kills._charges
    monkeypatch.setattr(kills, "_charges", lambda siege: bent(charges(siege)))
    assert kills.campaign(tmp_path, kills=0, clients=2, requests=4)["CONTRADICTION"] >= 1
