"""Each condition on asking a function is needed: without it the checker would take a false program."""

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.certificate import Branch, Certificate, Fold
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.setting import Setting
from tests.kernel.certificates import certify, coupling
from tests.kernel.mutations import mutants
from tests.search.privacy.adaptive import ALONE, PRIVATE, RIGHT, WRONG, program

SPARSE = coupling(
    [("1", "1"), (Branch("answer_1 + draw() >= bar", "1 - hat(answer_1)", "0"), "2 * limit")],
    ["hat(count) == 0 and cost(2) <= 2 * count and count <= limit"],
)


def verdict(text, proof, bound="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound), text)


def dropped(monkeypatch, problem):
    """A checker that does not ask one of its questions."""
    asking = Setting.ask

    def ask(self, state, goal, node, said):
        if said != problem:
            asking(self, state, goal, node, said)

    monkeypatch.setattr(Setting, "ask", ask)


def test_sparse_vector_by_hand():
    assert isinstance(verdict(RIGHT["sparse"], SPARSE), Proved)


def test_questions_have_to_be_the_same(monkeypatch):
    proof = coupling([("-hat(y)", "1")])
    assert "what is asked may differ" in verdict(program(PRIVATE), proof).reason
    dropped(monkeypatch, "what is asked may differ between the runs")
    assert isinstance(verdict(program(PRIVATE), proof), Proved)


def test_both_runs_have_to_ask(monkeypatch):
    proof = coupling([("-hat(y)", "1")])
    assert "one run may ask alone" in verdict(program(ALONE), proof).reason
    dropped(monkeypatch, "one run may ask alone")
    assert isinstance(verdict(program(ALONE), proof), Proved)


def test_answers_are_as_far_apart_as_is_said():
    text = program("return ask([0.0]) + laplace(1 / epsilon)", d="2")
    assert isinstance(verdict(text, coupling([("-hat(answer_1)", "1")])), Rejected)


def test_a_list_that_holds_noise_of_its_own_is_not_released():
    text = program("bar = laplace(1 / epsilon)\nout = [bar]\nx = ask(out)\nreturn x + bar")
    for shift in ("0", "1", "-1"):
        assert isinstance(verdict(text, coupling([(shift, "1")])), Rejected)


def test_every_mutant_is_rejected():
    text = RIGHT["sparse"]
    for what, data in mutants(certify("p.py", text, SPARSE, "epsilon").to_json()):
        try:
            mutant = Certificate.from_json(data)
        except InvalidInput:
            continue
        assert isinstance(check_certificate(mutant, text), Rejected), what


@pytest.mark.parametrize("name", WRONG)
def test_no_other_kind_of_proof_looks_away(name):
    for proof in (Fold(), coupling([])):
        for bound in ("0", "epsilon"):
            assert isinstance(verdict(WRONG[name], proof, bound), Rejected)
