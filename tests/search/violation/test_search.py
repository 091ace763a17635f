from fractions import Fraction

import pytest

from lapwing.decide.texts import check_witness
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.witness import Accepted
from lapwing.search.violation.neighbouring import Pair
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file, parse_text
from tests.conftest import EXPLORE
from tests.corpus import programs

#: Programs that take more than some seconds at n = 3.
SLOW = (
    "adaptive_sparse_vector",
    "gap_sparse_vector",
    "numeric_sparse_vector",
    "smart_sum",
    "prefix_sum",
    "prefix_sum_each",
    "noisy_sum_2_each",
)
#: Its certified integrals take minutes without a limit of time; deciding, which has one, looks at it, too.
ENDLESS = ("noisy_descent",)
REFUTED = programs("refuted")
PROVED = [each for each in programs("proved") if each.path.stem not in ENDLESS]


def subject_of(program):
    module = parse_file(program.path)
    return Subject(module, module[program.mechanism])


@pytest.mark.parametrize("program", REFUTED, ids=lambda program: program.label)
def test_a_wrong_program_is_refuted_at_its_smallest_size_and_the_checker_accepts(program):
    subject = subject_of(program)
    outcome = refute(subject, settings=program.given)
    assert outcome.violation is not None
    assert max(1, outcome.violation.n) == program.smallest
    witness = outcome.witness(subject, str(program.path))
    verdict = check_witness(witness, program.path.read_text())
    assert isinstance(verdict, Accepted), verdict


@pytest.mark.parametrize("program", PROVED, ids=lambda program: program.label)
def test_a_right_program_is_not_refuted(program):
    subject = subject_of(program)
    slow = program.path.stem in SLOW
    outcome = refute(subject, max_n=(2 if slow else 3) if EXPLORE else 1, brief=slow and not EXPLORE)
    assert outcome.violation is None
    # an (epsilon, delta) claim may leave no answer at all beyond epsilon
    assert outcome.best or subject.mechanism.claim.__class__.__name__ == "ApproximateClaim"


def test_a_hint_is_tried_first_and_found_where_the_patterns_are_blind():
    text = """
from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> bool:
    return 3 * x == 231
"""
    module = parse_text(text)
    subject = Subject(module, module["f"])
    assert refute(subject).violation is None
    hint = Pair(*({"x": Fraction(x), "epsilon": Fraction(1)} for x in (77, 78)))
    far = Pair(*({"x": Fraction(x)} for x in (80, 82)))
    assert refute(subject, hints=[far]).violation is None
    found = refute(subject, hints=[far, hint]).violation
    assert found is not None
    assert found.closed_form == "inf"


def test_a_violation_is_not_shrunk_to_an_answer_that_is_all_but_impossible():
    text = """
from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    noise = laplace(1 / epsilon)
    if x == 700:
        noise = 0
    return x + noise
"""
    module = parse_text(text)
    subject = Subject(module, module["f"])
    found = refute(subject, hints=[Pair({"x": Fraction(700)}, {"x": Fraction(699)})]).violation
    assert found is not None
    assert found.left.lower > Fraction(1, 2**21)


def test_without_a_claim_the_largest_loss_is_a_lower_bound():
    text = """
from lapwing import laplace, mechanism, within
@mechanism(x=within(1))
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""
    module = parse_text(text)
    subject = Subject(module, module["f"])
    outcome = refute(subject)
    assert outcome.claim is None
    assert outcome.violation is None
    assert outcome.largest.loss == pytest.approx(1, abs=1e-9)
    assert outcome.witness(subject, "f.py").claim_value is None


def test_an_approximate_claim_is_refuted_by_an_event():
    text = """
from lapwing import gaussian, mechanism, within
@mechanism(x=within(1), claim=("1", "delta"))
def f(x: float, delta: float) -> float:
    return x + gaussian(2)
"""
    module = parse_text(text)
    subject = Subject(module, module["f"])
    # the Gaussian of sigma 2 has delta(1) about 0.0068 [BW18]
    refuted = refute(subject, settings={"delta": "0.001"})
    assert refuted.violation is not None
    witness = refuted.witness(subject, "f.py")
    assert isinstance(check_witness(witness, text), Accepted)
    assert refute(subject, settings={"delta": "0.2"}).violation is None


@pytest.mark.parametrize("relation", ["rises", "falls"])
def test_relations_with_a_direction_are_searched_in_both_orders(relation):
    """One-sided noise hides a rise and gives a fall away: a guarantee holds in both orders or not at all."""
    text = f"""
from lapwing import mechanism, {relation}, exponential
@mechanism(q={relation}(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> list[float]:
    return [x + exponential(1 / epsilon) for x in q]
"""
    module = parse_text(text)
    subject = Subject(module, module["f"])
    outcome = refute(subject, max_n=1)
    assert outcome.violation is not None
    assert outcome.violation.right.upper == 0
    assert isinstance(check_witness(outcome.witness(subject, "f.py"), text), Accepted)


def test_settings_must_name_public_parameters():
    subject = subject_of(next(program for program in PROVED if program.path.stem == "sparse_vector"))
    with pytest.raises(InvalidInput, match="R109 sparse_vector has no public parameter 'q'"):
        refute(subject, settings={"q": 1})


def test_unmeetable_preconditions_are_refused():
    text = """
from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim="1")
def f(x: float, n: int) -> float:
    assert n > 1000000 and n * n < 1000
    return x + laplace(1)
"""
    module = parse_text(text)
    with pytest.raises(InvalidInput, match="R110"):
        refute(Subject(module, module["f"]))


@pytest.mark.parametrize("test", ["x > t", "x >= t", "x > 3", "x == t"])
def test_neighbours_on_both_sides_of_what_the_program_compares_with_are_tried(test):
    text = f"""
from lapwing import each, laplace, mechanism
@mechanism(q=each(1), claim="epsilon")
def f(q: list[float], t: float, epsilon: float) -> list[float]:
    out = []
    for x in q:
        if {test}:
            out.append(laplace(1 / epsilon))
    return out
"""
    module = parse_text(text)
    found = refute(Subject(module, module["f"]), max_n=1).violation
    assert found is not None
    assert found.loss > 10


def test_a_brief_search_finds_what_is_near_and_comes_to_an_end():
    (program,) = (each for each in REFUTED if each.path.stem == "lyu_6")
    assert refute(subject_of(program), brief=True).violation is not None
    (right,) = (each for each in PROVED if each.path.stem == "histogram")
    looked = []
    assert refute(subject_of(right), brief=True, progress=lambda n, _: looked.append(n)).violation is None
    assert max(looked) <= 3
