"""What five lectures describe, one test for each: the definitions, examples and theorems that Lapwing has to give back.

[F18] Fredrikson, Provable Privacy, 15-316 lecture 18 · [L19] Computing Privacy Loss, lecture 19 · [F21] Fredrikson,
Provable Privacy, lecture 21 · [H18] Hsu, Composition, Verification, and Differential Privacy · [B16] Barthe, Formal
verification of differentially private computations. The tutorial (docs/tutorial/lectures.md) tells the same at length,
and its transcripts are executed, too.
"""

import json
from fractions import Fraction
from math import exp, isclose, log

import pytest
from click.testing import CliRunner

from lapwing import (
    L1,
    ApproxDP,
    Exponential,
    Gaussian,
    Laplace,
    LapwingError,
    Linf,
    Neighbours,
    PureDP,
    RandomizedResponse,
    account,
)
from lapwing.algebra.composition.advanced import advanced
from lapwing.algebra.composition.group import group
from lapwing.algebra.composition.parallel import parallel
from lapwing.algebra.composition.postprocessing import postprocessed
from lapwing.algebra.composition.sequential import sequential
from lapwing.cli.commands import main
from lapwing.library import between_thresholds, noisy_max, propose_test_release, sparse_vector, tree_counter
from tests.corpus import ROOT
from tests.session.tables import protected

COUNT = "SELECT COUNT(*) FROM people"


def told(*words, code=0):
    """What a command says, as an object."""
    result = CliRunner().invoke(main, [*map(str, words), "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout.splitlines()[0])


def decided(path, code=0):
    return told("prove", ROOT / path, code=code)


def test_row_1_both_notions_of_neighbours_and_groups(tmp_path):
    """[F18], [F21], [L19]: one row more or fewer, one row changed; k people together lose k·ε."""
    for neighbours, moved in ((Neighbours.ADDED, 1), (Neighbours.REPLACED, 2)):
        (tmp_path / neighbours.value).mkdir()
        with protected(tmp_path / neighbours.value, neighbours=neighbours) as session:
            plan = str(session.explain("SELECT region, COUNT(*) FROM people GROUP BY region"))
            assert f"moves it by at most {moved} in all groups" in plan
    assert group(PureDP("0.1"), 7) == PureDP("0.7")


def test_row_2_the_coin_toss_loses_ln_3():
    """[F18] section 2, Theorem 4, [L19] 2.1: the loss as a number and in closed form, for any bias."""
    loss = told("loss", ROOT / "proved/coin_toss.py", "--left", '{"rows": [true]}', "--right", '{"rows": [false]}')
    assert "ln(3)" in json.dumps(loss)
    assert decided("proved/coin_toss.py")["bound"] == "ln(3)"
    assert decided("proved/randomized_response_p.py")["verdict"] == "proved"
    assert decided("proved/exponential_response.py")["bound"] == "epsilon"


def test_row_3_a_sum_without_bounds_has_no_sensitivity(tmp_path):
    """[F21]: global sensitivity of counts, sums and averages; undefined where nothing bounds a row."""
    with protected(tmp_path, bounds={"income": (0, 1000)}) as session:
        with pytest.raises(LapwingError, match="unbounded sum"):
            session.sql("SELECT SUM(age) FROM people", epsilon=1)
        for asked in ("COUNT(*)", "SUM(income)", "AVG(income)", "SUM(CLIP(age, 0, 100))"):
            session.quote(f"SELECT {asked} FROM people", epsilon=1)


def test_row_4_laplace_noise_is_exact_and_has_the_lectures_curves():
    """[F21]: 1000 against 999 at ε = ln 2, ln 1.1, ln 5; the ratio of the two curves is at most e^ε, and reaches it."""
    for factor in (Fraction(2), Fraction(11, 10), Fraction(5)):
        epsilon = Fraction(log(factor))
        law = Laplace.for_epsilon(epsilon, L1(1))
        ratios = [law.pmf(answer - 1000).upper / law.pmf(answer - 999).lower for answer in range(990, 1010)]
        assert isclose(max(ratios), factor, rel_tol=1e-9)


def test_row_5_the_algebra_of_composition(tmp_path):
    """[F18] Theorems 5 to 7, [H18], [L19]: post-processing, sequence, disjoint parts; and a session enforces them."""
    a, b = PureDP("0.3"), PureDP("0.2")
    assert postprocessed(a) == a
    assert sequential([a, b]) == PureDP("0.5")
    assert parallel([a, b]) == a
    with protected(tmp_path, epsilon=1) as session:
        session.sql("SELECT region, COUNT(*) FROM people GROUP BY region", epsilon="0.6")
        with pytest.raises(LapwingError, match="left"):
            session.sql(COUNT, epsilon="0.5")


def test_row_6_the_accountant_is_tight_and_never_below_the_truth():
    """[H18], [B16]: advanced composition, zCDP, Rényi, and the optimal composition, all rounded outward."""
    found = account("100 * laplace(10)", delta="1e-5")
    methods = {each.method: each.epsilon for each in found.rows if each.rigorous}
    assert {"advanced", "zCDP", "Rényi", "optimal"} <= set(methods), methods
    assert found.best.epsilon == min(methods.values()) >= Fraction("4.2203")  # of real noise: 4.22035
    assert methods["optimal"] < advanced(ApproxDP("0.1", 0), 100, "1e-5").epsilon


def test_row_7_every_mechanism_of_the_slides_runs():
    """[H18], [F18] on RAPPOR: Laplace, Gaussian, exponential, sparse vector, counters, subsampling, local privacy."""
    assert isinstance(Laplace(10).release(100), int)
    assert isinstance(Gaussian(10).release(100), int)
    assert Exponential.for_epsilon(1, Linf(1)).choose([3, 1, 2]) in range(3)
    assert len(sparse_vector([0, 100], threshold=50, limit=1, sensitivity=1, epsilon=100)) == 2
    assert tree_counter.guarantee.bound
    assert decided("proved/sampled_count.py::sampled_count")["bound"] == "ln(1 + p * (exp(epsilon) - 1))"
    response = RandomizedResponse(Fraction(3, 4))
    assert response.loss_ratio == 3  # of the coin toss: ln 3


def test_row_8_a_budget_is_enforced_while_people_ask(tmp_path):
    """[H18] on PINQ: a budget, disjoint parts asked apart, and a refusal that charges nothing."""
    with protected(tmp_path, epsilon=1) as session:
        parts = session.partition("region")
        for part in parts.values():
            part.sql(COUNT, epsilon="0.5")
        before = session.remaining.epsilon
        assert before == Fraction(1, 2)
        with pytest.raises(LapwingError):
            session.sql(COUNT, epsilon=1)
        assert session.remaining.epsilon == before


def test_row_9_a_release_is_planned_before_anything_is_paid(tmp_path):
    """[H18] on PSI: errors are wished for, prices are found, nothing is charged."""
    with protected(tmp_path) as session:
        before = session.remaining.epsilon
        plan = session.plan([{"sql": COUNT, "within": 20}, {"sql": "SELECT AVG(income) FROM people", "within": 2000}])
        assert str(plan)
        assert session.remaining.epsilon == before


def test_row_10_sensitivity_is_derived_before_anything_runs(tmp_path):
    """[H18] on Fuzz: on functions, on plans; and groups of an (ε, δ) mechanism."""
    assert decided("proved/two_counts.py::two_counts")["bound"] == "2 * epsilon"
    with protected(tmp_path) as session:
        assert "moves it by at most 100000" in str(session.explain("SELECT SUM(income) FROM people"))
    grown = group(ApproxDP("0.1", "1e-6"), 3)
    assert grown.epsilon == Fraction(3, 10)
    assert grown.delta >= Fraction(1, 10**6) * Fraction(1 + exp(0.1) + exp(0.2)).limit_denominator(10**12)


def test_row_11_proofs_are_couplings_and_can_be_read():
    """[H18], [B16]: approximate couplings, in the lecture's rules."""
    result = CliRunner().invoke(main, ["prove", str(ROOT / "proved/sparse_vector.py"), "--show"])
    assert "Laplace" in result.output
    assert "epsilon" in result.output


@pytest.mark.parametrize("found", [sparse_vector, noisy_max, between_thresholds], ids=str)
def test_row_12_proofs_are_found_by_themselves(found):
    """[H18] on synthesis: the certificate that ships was found by the search, and is accepted by the kernel."""
    assert found.guarantee.bound


def test_row_13_the_two_noisy_sums():
    """[B16]: noise once costs b·ε; noise on each of n elements n·b·ε, or b·ε where one of them differs."""
    assert decided("proved/noisy_sum_1.py")["bound"] == "b * epsilon"
    assert decided("proved/noisy_sum_2_each.py")["bound"] == "len(a) * b * epsilon"
    assert decided("proved/noisy_sum_2_one.py")["bound"] == "b * epsilon"


@pytest.mark.parametrize(
    ("path", "bound"),
    [
        ("proved/sparse_vector.py", "epsilon"),
        ("proved/lyu_2.py", "epsilon"),
        ("refuted/lyu_3.py", None),
        ("proved/lyu_4.py", "(1 + 6 * limit) / 4 * epsilon"),
        ("refuted/lyu_4.py", None),
        ("refuted/lyu_5.py", None),
        ("refuted/lyu_6.py", None),
    ],
)
def test_row_14_six_published_sparse_vectors(path, bound):
    """[B16]: two are right, one at another price, three for no price at all."""
    verdict = decided(path, code=0 if bound else 1)
    assert verdict["verdict"] == ("proved" if bound else "refuted")
    assert bound is None or verdict["bound"] == bound


def test_row_15_between_thresholds_has_an_epsilon_and_a_delta():
    """[B16]: accuracy-dependent, by the optimal subset coupling."""
    assert between_thresholds.guarantee.measure == "approximate"


def test_row_16_accuracy_by_the_union_bound():
    """[B16]: ⊨β {Φ} c {Ψ}, from the same source."""
    found = told("accuracy", ROOT / "proved/noisy_max.py")
    assert "ln(len(q) / beta)" in json.dumps(found)


def test_row_17_a_person_may_write_the_proof(tmp_path):
    """[B16] on EasyCrypt: a certificate is a file; it is checked again, and what was edited is checked, too."""
    source = tmp_path / "sparse_vector.py"
    source.write_text((ROOT / "proved/sparse_vector.py").read_text())
    told("prove", source, "--certificates", tmp_path)
    (file,) = tmp_path.glob("*.json")
    assert CliRunner().invoke(main, ["check", str(file)]).exit_code == 0
    certificate = json.loads(file.read_text())
    certificate["bound"] = "epsilon / 2"
    file.write_text(json.dumps(certificate))
    assert CliRunner().invoke(main, ["check", str(file)]).exit_code == 1


def test_row_18_flow_and_what_an_onlooker_can_rule_out():
    """[F18] section 1: noninterference, labels, Volpano and Smith's match."""
    assert told("flow", ROOT / "flow/overwritten.py")["verdict"] == "no flow"
    assert told("flow", ROOT / "flow/password_match.py")["verdict"] == "only by match"
    assert told("flow", ROOT / "flow/explicit_flow.py", code=1)["verdict"] == "leak"


def test_row_19_tom_is_found_without_a_name_and_not_in_the_noise():
    """[B16]: linkage succeeds on a table without names; the private answer covers it."""
    result = CliRunner().invoke(main, ["demo"])
    assert "Tom Toth has diabetes" in result.output
    assert "One person is lost in the ±" in result.output


def test_row_20_propose_test_release_is_proved_and_runs():
    """[H18], [B16]: tests its own condition, at (ε, δ)."""
    assert propose_test_release.guarantee.measure == "approximate"
