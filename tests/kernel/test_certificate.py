"""Right certificates are accepted; wrong programs have none."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from lapwing.cli import main
from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.certificate import Certificate, Cost, Enumeration, Sensitivity, write_certificate
from lapwing.kernel.evidence.witness import read_json
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.certificates import ABOVE, CERTIFICATES, COUNTED, COUPLINGS, certify, coupling, source


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_of_the_corpus_are_accepted(name):
    certificate, text = CERTIFICATES[name]
    verdict = check_certificate(certificate, text)
    assert isinstance(verdict, Proved), verdict
    assert verdict.bound == certificate.bound


@pytest.mark.parametrize("name", CERTIFICATES)
def test_they_survive_json(name):
    certificate, _ = CERTIFICATES[name]
    assert Certificate.from_json(read_json(write_certificate(certificate))) == certificate


@pytest.mark.parametrize("name", CERTIFICATES)
def test_without_a_claim_the_same_proof_gives_the_bound(name):
    certificate, text = CERTIFICATES[name]
    start, end = text.index(", claim="), text.index(")\ndef ")
    if name in ("two_counts", "noisy_count"):
        pytest.skip("two mechanisms in one source")
    unclaimed = text[:start] + text[end:]
    again = certify(certificate.file, unclaimed, certificate.proof, certificate.bound, certificate.measure)
    assert again.claim is None
    assert isinstance(check_certificate(again, unclaimed), Proved)


# --- wrong programs -----------------------------------------------------------------------------------------

WRONG = {
    "lyu_3": "gap_sparse_vector", "lyu_4": "sparse_vector", "lyu_5": "sparse_vector", "lyu_6": "sparse_vector",
    "bad_gap": "gap_sparse_vector", "bad_noisy_max": "noisy_max", "noisy_max_half_noise": "noisy_max",
    "bad_smart_sum": "smart_sum", "bad_partial_sum": "partial_sum", "histogram_each": "histogram",
    "prefix_sum_each": "prefix_sum", "noisy_sum_1": "noisy_sum_1", "noisy_sum_2_each": "noisy_sum_2_one",
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "right"), WRONG.items())
def test_the_proof_of_a_right_program_does_not_fit_its_wrong_sibling(wrong, right):
    text = source(wrong, "refuted")
    proof, bound = COUPLINGS[right]
    verdict = check_certificate(certify(f"corpus/refuted/{wrong}.py", text, proof, bound), text)
    assert isinstance(verdict, Rejected), verdict


@pytest.mark.parametrize("leaf", ["1 - hat(x)", "-hat(x)", "2", "1", "0", "-1"])
@pytest.mark.parametrize("threshold", ["0", "1", "-1", "2"])
@pytest.mark.parametrize("wrong", ["lyu_5", "lyu_6"])
def test_no_simple_alignment_makes_lyu_5_or_6_private(wrong, threshold, leaf):
    """5: no noise on the queries. 6: no limit. Whatever is shifted, something is not kept."""
    text = source(wrong, "refuted")
    sites = [(threshold, "2")] if wrong == "lyu_5" else [(threshold, "2"), (replace(ABOVE, then=leaf), "2 * len(q)")]
    for bound in ("epsilon", "len(q) * epsilon"):
        proof = coupling(sites, ["True"])
        assert isinstance(check_certificate(certify("p.py", text, proof, bound), text), Rejected)


@pytest.mark.parametrize(
    ("wrong", "proof", "bound"),
    [
        ("coin_toss", Enumeration(rows=True), None),
        ("randomized_response", Enumeration(rows=False), None),
        ("randomized_response_p", Enumeration(rows=False), None),
        ("exponential_response", Enumeration(rows=False), None),
        ("exponential_mechanism", Sensitivity((Cost(1, "2 * sensitivity", "epsilon"),)), "epsilon"),
        ("exponential_mechanism", Sensitivity((Cost(1, "2 * sensitivity", "2 * epsilon"),)), "2 * epsilon"),
        ("gaussian_answer", Sensitivity((Cost(1, "1", "1 / (2 * sigma * sigma)"),)), "1 / (2 * sigma * sigma)"),
        ("two_counts", Sensitivity((Cost(1, "1", "epsilon"), Cost(2, "1", "epsilon"))), "2 * epsilon"),
    ],
)
def test_wrong_claims_about_right_noise_are_rejected(wrong, proof, bound):
    text = source(wrong, "refuted")
    measure = "rho" if wrong == "gaussian_answer" else "epsilon"
    certificate = certify("p.py", text, proof, "0", measure)
    certificate = replace(certificate, bound=bound or certificate.claim)
    assert isinstance(check_certificate(certificate, text), Rejected)


# --- prices -------------------------------------------------------------------------------------------------

HEAD = "from lapwing import each, exponential, flip, gaussian, laplace, mechanism, one, within\n\n\n"


def program(body, head="x=within(1)", parameters="x: float, epsilon: float", returns="float"):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{HEAD}@mechanism({head})\ndef f({parameters}) -> {returns}:\n{lines}\n"


def verdict(text, proof, bound, measure="epsilon"):
    return check_certificate(certify("p.py", text, proof, bound, measure), text)


def test_a_negative_claim_is_not_a_guarantee():
    text = program("return x + laplace(1 / epsilon)", 'x=within(1), claim="-epsilon"')
    assert isinstance(verdict(text, coupling([("-hat(x)", "1")]), "epsilon"), Rejected)
    text = program("return 0 * laplace(1 / epsilon)", 'x=within(1), claim="-1"')
    assert isinstance(verdict(text, coupling([("0", "0")]), "0"), Rejected)


def test_a_scale_that_is_only_sometimes_positive_says_nothing_elsewhere():
    """Without noise for limit = 1, whatever the other branch's scale (limit - 1) / epsilon would say of limit."""
    noisy = "    y = x + laplace((limit - 1) / epsilon)"
    body = f"assert limit >= 1\ny = 0\nif limit > 1:\n{noisy}\nelse:\n    y = x\nreturn y"
    text = program(body, parameters="x: float, limit: int, epsilon: float")
    answer = verdict(text, coupling([("-hat(x)", "1")]), "epsilon / (limit - 1)")
    assert isinstance(answer, Rejected)


def test_the_price_has_to_hold_where_only_some_draws_are_made():
    """The second draw's price is negative where it is not made, and may not pay for the first."""
    body = "y = x + laplace(1 / epsilon)\nif limit > 0:\n    y = y + laplace(limit / epsilon)\nreturn y"
    text = program(body, parameters="x: float, limit: int, epsilon: float")
    proof = coupling([("-hat(x)", "1"), ("0", "0")])
    assert isinstance(verdict(text, proof, "epsilon"), Proved)
    cheaper = coupling([("-hat(x)", "1"), ("0", "1")])
    assert isinstance(verdict(text, cheaper, "epsilon + epsilon / limit"), Rejected)


def test_noise_used_twice_protects_once():
    text = program("n = laplace(1 / epsilon)\nreturn (x + n, x + n)", returns="tuple[float, float]")
    assert isinstance(verdict(text, coupling([("-hat(x)", "1")]), "epsilon"), Proved)  # the same answer twice
    text = program("n = laplace(1 / epsilon)\nreturn (x + n, 2 * x + n)", returns="tuple[float, float]")
    assert isinstance(verdict(text, coupling([("-hat(x)", "1")]), "epsilon"), Rejected)
    for total in ("1", "2", "3"):
        proof = Sensitivity((Cost(1, total, f"{total} * epsilon"),))
        assert isinstance(verdict(text, proof, f"{total} * epsilon"), Rejected)


def test_a_sensitivity_proof_sees_values_without_noise():
    text = program("y = x + laplace(1 / epsilon)\nreturn y + x")
    assert isinstance(verdict(text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon"), Rejected)
    text = program("y = x + laplace(1 / epsilon)\nreturn clip(y, 0, 1) + 3")
    assert isinstance(verdict(text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon"), Proved)


def test_gaussian_noise_has_no_pure_bound():
    text = program("return x + gaussian(1 / epsilon)")
    assert isinstance(verdict(text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon"), Rejected)
    assert isinstance(verdict(text, coupling([("-hat(x)", "1")]), "epsilon"), Rejected)
    assert isinstance(verdict(text, coupling([]), "0"), Rejected)


def test_public_factors_and_divisors_scale_a_distance():
    for value, distance in (("x / 3", "1 / 3"), ("3 * x", "3"), ("x * -0.1", "0.1")):
        text = program(f"return {value} + laplace(1 / epsilon)")
        price = f"{distance} * epsilon"
        assert isinstance(verdict(text, Sensitivity((Cost(1, distance, price),)), price), Proved)
        assert isinstance(verdict(text, Sensitivity((Cost(1, "0.01", "0.01 * epsilon"),)), "0.01 * epsilon"), Rejected)


def test_formulas_cannot_call_anything():
    text = program("return x + laplace(1 / epsilon)")
    for leaf in ("__import__('os')", "[hat(x)]", "(lambda: 0)()", "x.real", "'1'", "1j", "-" * 5000 + "1", "1e999"):
        assert isinstance(verdict(text, coupling([(leaf, "1")]), "epsilon"), Rejected)


# --- the command --------------------------------------------------------------------------------------------


def test_the_command_checks_certificates(tmp_path):
    certificate, text = CERTIFICATES["sparse_vector"]
    (tmp_path / "program.py").write_text(text)
    here = replace(certificate, file="program.py")
    (tmp_path / "proof.json").write_text(write_certificate(here))
    (tmp_path / "wrong.json").write_text(write_certificate(replace(here, bound="epsilon / 2")))
    right = CliRunner().invoke(main, ["check", str(tmp_path / "proof.json"), "--json"])
    assert right.exit_code == 0, right.output
    found = json.loads(right.stdout.splitlines()[0])
    assert (found["kind"], found["verdict"], found["function"]) == ("certificate", "accepted", "sparse_vector")
    wrong = CliRunner().invoke(main, ["check", str(tmp_path / "wrong.json"), "--json"])
    assert wrong.exit_code == 1
    assert json.loads(wrong.stdout.splitlines()[0])["verdict"] == "rejected"


def test_an_invariant_that_is_too_weak_is_not_enough():
    certificate, text = CERTIFICATES["sparse_vector"]
    proof = coupling([("1", "1"), (ABOVE, "2 * limit")], [COUNTED])
    assert isinstance(check_certificate(replace(certificate, proof=proof), text), Rejected)
