"""Each condition where two runs part is needed: a program that is not private would be 'proved' without it.

Runs part at a branch or a loop that private data decide on. What one of them does alone, draws that they make in each
other's place, and answers that only one of them has given are held to the conditions below. That draws have one scale
is shown to be needed in ``test_approximate_conditions``. That both are made is asked for no more than clarity: a draw
that nobody looks at could be added to either run.
"""

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.approximate import Pairing
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational import setting
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.approximate_proofs import HEAD, certified, coupled

#: the number of rounds is the secret, and a run that goes on alone need never end
COUNTED = """
@mechanism(x=within(1), claim="0")
def f(x: float) -> int:
    k = 0
    while k < x:
        k += 1
    return k
"""
#: one run appends, and the other does not
ALONE = """
@mechanism(x=within(1), claim="0")
def f(x: float) -> list[int]:
    out = []
    if x > 0:
        out.append(1)
    return out
"""
#: each run answers on its own side
ANSWERED = """
@mechanism(x=within(1), claim="0")
def f(x: float) -> int:
    if x > 0:
        return 1
    return 0
"""
#: noise on one side has no tail below 0
UNLIKE = """
@mechanism(x=within(1), claim="2 * epsilon")
def f(x: float, epsilon: float) -> float:
    if x > 0:
        y = x + laplace(1 / epsilon)
    else:
        y = exponential(1 / epsilon)
    return y
"""
PAIRS = [Pairing(1, 2, "x"), Pairing(2, 1, "-other(x)")]
SIDES = coupled([("-hat(x)", "1"), ("0", "1")], pairs=PAIRS)
#: program, proof, bound; the words of the condition, or where it stands
CASES = {
    "both runs leave a loop together": (
        COUNTED, coupled([], ["hat(k) == 0"]), "0", "one run may go on with this loop while the other leaves it",
    ),
    "both runs append": (ALONE, coupled([]), "0", "'out' may differ between the runs"),
    "both runs answer alike": (ANSWERED, coupled([]), "0", "the second run may answer differently"),
    "what is paired is of one kind": (UNLIKE, SIDES, "2 * epsilon", (setting, "confirm_pairs")),
}  # fmt: skip


def checked(name):
    text, proof, bound, _ = CASES[name]
    text = HEAD + text
    return check_certificate(certified(text, proof, bound), text)


@pytest.mark.parametrize("name", CASES)
def test_without_the_condition_it_would_be_accepted(name, monkeypatch):
    found = checked(name)
    assert isinstance(found, Rejected), found
    condition = CASES[name][-1]
    if isinstance(condition, str):
        assert condition in found.reason
        asked = setting.Setting.ask

        def ask(self, state, goal, node, reason):
            if condition not in reason:
                asked(self, state, goal, node, reason)

        monkeypatch.setattr(setting.Setting, "ask", ask)
    else:
        monkeypatch.setattr(*condition, lambda *_: None)
    assert isinstance(checked(name), Proved), checked(name)
