"""True witnesses are accepted; every way of bending one is found out."""

import random
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.balls import Interval
from lapwing.decide.texts import check_witness
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.loss_values import log_bounds
from lapwing.kernel.distribution.witness import Accepted
from lapwing.kernel.evidence.event import AnyOf, Between, Prefix
from lapwing.kernel.evidence.witness import LogRatio, Witness
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.source.parse import parse_text
from tests.kernel.programs import BAD_MAX, CHOICE, COIN, NO_NOISE, SOURCE, TWICE, honest, parameters, widened
from tests.kernel.witness_mutations import bent, says_no_more

REFUTING = {case[0]: honest(*case) for case in (COIN, BAD_MAX, NO_NOISE, TWICE, CHOICE)}


@pytest.mark.parametrize("name", REFUTING)
def test_an_honest_witness_is_accepted(name):
    verdict = check_witness(REFUTING[name], SOURCE)
    assert isinstance(verdict, Accepted), verdict


@pytest.mark.parametrize("name", REFUTING)
def test_it_survives_json_and_the_width_of_double_precision(name):
    witness = Witness.from_json(widened(REFUTING[name]).to_json())
    assert isinstance(check_witness(witness, SOURCE), Accepted)


def test_the_coin_toss_is_exact():
    verdict = check_witness(replace(REFUTING["coin_toss"], closed_form="ln(3)"), SOURCE)
    assert isinstance(verdict, Accepted)
    assert verdict.probability_left == Interval.point(Fraction(3, 4))
    assert verdict.probability_right == Interval.point(Fraction(1, 4))
    assert Fraction("1.0986122886") < verdict.log_ratio.lower < Fraction("1.0986122887")


def test_a_loss_without_bound_is_exact_too():
    verdict = check_witness(replace(REFUTING["no_query_noise"], closed_form="inf"), SOURCE)
    assert isinstance(verdict, Accepted)
    assert verdict.probability_right == Interval.point(0)
    assert verdict.log_ratio == LogRatio(None, None)


def test_a_true_claim_is_not_refuted_by_true_numbers():
    zeros, ones = parameters(q=[0, 0], epsilon=1), parameters(q=[1, 1], epsilon=1)
    up, down = parameters(q=[1, 0], epsilon=1), parameters(q=[0, 0], epsilon=1)
    assert "not certainly above" in _reason(honest("noisy_max", up, down, Fraction(0)))
    fair = SOURCE.replace('"epsilon / 2")\ndef bad_noisy_max', '"epsilon")\ndef bad_noisy_max')
    # the loss comes close to epsilon, and never above it
    assert "not certainly above" in _reason(honest("bad_noisy_max", zeros, ones, Fraction(-4), fair), fair)


def test_a_claim_is_not_refuted_by_lowering_it_in_the_last_digit():
    """The loss of one Laplace draw is exactly epsilon: equal to the claim, so no violation however it is written."""
    case = ("noisy_count", parameters(x=0, epsilon=1), parameters(x=1, epsilon=1), Fraction(-3))
    witness = honest(*case)
    lower = Interval.point(1 - Fraction(1, 10**17))
    tight = replace(witness, claim_value=lower, log_ratio=LogRatio(Fraction(1), Fraction(1)))
    assert isinstance(check_witness(tight, SOURCE), Rejected)
    assert isinstance(check_witness(witness, SOURCE), Rejected)


CONSTANT = """
from lapwing import mechanism, within


@mechanism(x=within(1), claim="1")
def constant(x: float) -> bool:
    return ([] if x > 0 else [False])[0]
"""


@pytest.mark.parametrize("output", [False, Fraction(0), AnyOf((False, Fraction(0))), Prefix(()), Between()])
def test_a_constant_mechanism_is_never_refuted(output):
    """Reading outside the list gives False as the list does, and no event may tell them apart."""
    witness = honest("constant", parameters(x=0), parameters(x=1), False, CONSTANT)
    sure, never = Interval.point(1), Interval.point(0)
    bent = replace(
        witness, output=output, probability_left=sure, probability_right=never, log_ratio=LogRatio(None, None)
    )
    wanted = "not confirmed" if output is False else "returns another type"
    assert wanted in _reason(bent, CONSTANT)


@pytest.mark.parametrize("error", [TypeError, RecursionError, OverflowError, ArithmeticError, ValueError, KeyError])
def test_whatever_goes_wrong_is_a_rejection(error, monkeypatch):
    def broken(*_arguments):
        raise error

    monkeypatch.setattr("lapwing.kernel.distribution.witness.probability", broken)
    assert error.__name__ in _reason(REFUTING["coin_toss"])


# --- mutations -----------------------------------------------------------------------------------------------


def _reason(witness, source=SOURCE):
    verdict = check_witness(witness, source)
    assert isinstance(verdict, Rejected), verdict
    return verdict.reason


def _shifted(interval, by):
    return Interval(interval.lower + by, interval.upper + by)


def _scaled(interval, by):
    return Interval(interval.lower * by, interval.upper * by)


RELATIONS = """
from lapwing import added, each, falls, laplace, mechanism, monotone, one, replaced, rises, within


@mechanism(q=RELATION, claim="epsilon / 8")
def noisy_sum(q: list[float], epsilon: float) -> float:
    return sum(q) + laplace(1 / epsilon)
"""


@pytest.mark.parametrize(
    ("relation", "left", "right", "says"),
    [
        ("each(1)", [0, 0], [2, 0], "element 0 changed by 2"),
        ("each('epsilon')", [0, 0], [2, 0], "element 0 changed by 2"),
        ("each(1)", [0, 0], [1], "lengths"),
        ("one(1)", [0, 0], [1, 1], "more than one"),
        ("rises(1)", [1, 0], [0, 1], "element 0 changed by -1"),
        ("falls(1)", [0, 1], [1, 0], "element 0 changed by 1"),
        ("monotone(1)", [0, 0, 0], [1, 1, -1], "rise"),
        ("replaced()", [0, 0], [1, 1], "2 elements differ"),
        ("added()", [0, 0], [1, 1], "not one apart"),
        ("added()", [0, 0], [1, 0, 1], "removing one"),
        ("each(0.75)", [0, 0], [1, 0], "element 0 changed by 1"),
    ],
)
def test_true_numbers_about_inputs_that_are_not_neighbours_are_rejected(relation, left, right, says):
    source = RELATIONS.replace("RELATION", relation)
    case = parameters(q=left, epsilon=1), parameters(q=right, epsilon=1), Fraction(0)
    assert says in _reason(honest("noisy_sum", *case, source=source), source)


@pytest.mark.parametrize(
    ("relation", "left", "right"),
    [
        ("each(1)", [0, 0], [1, 1]),
        ("each('epsilon')", [0, 0], [1, 1]),
        ("one(1)", [0, 0], [1, 0]),
        ("rises(1)", [0, 0], [1, 1]),
        ("rises(1)", [1, 1], [0, 0]),
        ("falls(1)", [1, 1], [0, 0]),
        ("falls(1)", [0, 0], [1, 1]),
        ("each(0.1)", [0, 0], [Fraction(1, 10), Fraction(1, 10)]),
        ("each('epsilon / 3')", [Fraction(1, 7), 0], [Fraction(1, 7) + Fraction(1, 3), 0]),
        ("monotone(1)", [0, 1], [0, 0]),
        ("replaced()", [0, 0], [40, 0]),
        ("added()", [0, 0], [0, 1, 0]),
    ],
)
def test_neighbours_of_every_kind_are_accepted(relation, left, right):
    source = RELATIONS.replace("RELATION", relation)
    output = Between(None, Fraction(sum(left))) if sum(left) < sum(right) else Between(Fraction(sum(left)), None)
    case = parameters(q=left, epsilon=1), parameters(q=right, epsilon=1), output
    verdict = check_witness(honest("noisy_sum", *case, source=source), source)
    assert isinstance(verdict, Accepted), verdict


@pytest.mark.parametrize("first", [Fraction(2**60), Fraction(-(2**60))])
def test_true_numbers_about_inputs_of_no_ordinary_size_are_rejected(first):
    source = RELATIONS.replace("RELATION", "each(1)")
    case = parameters(q=[first], epsilon=1), parameters(q=[first + 1], epsilon=1), first
    assert "does not fit" in _reason(honest("noisy_sum", *case, source=source), source)


def test_a_public_difference_is_rejected_with_true_numbers():
    case = parameters(q=[0], epsilon=1), parameters(q=[0], epsilon=2), Fraction(0)
    source = RELATIONS.replace("RELATION", "each(1)")
    assert "public" in _reason(honest("noisy_sum", *reversed(case[:2]), case[2], source=source), source)


def test_parameters_that_a_run_refuses_are_rejected_with_true_numbers():
    """The bad index stands in a branch that is never taken here; a run refuses it all the same."""
    source = RELATIONS.replace("RELATION", "each(1)").replace(
        "    return sum(q)", "    if q[0] > 100:\n        a = q[7]\n    return sum(q)"
    )
    case = parameters(q=[0], epsilon=1), parameters(q=[1], epsilon=1), Fraction(0)
    assert "does not run" in _reason(honest("noisy_sum", *case, source=source), source)


SLIGHTLY, HALF = Fraction(1, 10**11), Fraction(1, 2)
MUTATIONS = {
    "function": lambda w: replace(w, function="sparse_vector"),
    "unknown function": lambda w: replace(w, function="nobody"),
    "hash": lambda w: replace(w, source=w.source[:-1] + ("0" if w.source[-1] != "0" else "1")),
    "left is right": lambda w: replace(w, left=w.right),
    "swapped": lambda w: replace(w, left=w.right, right=w.left),
    "not neighbours": lambda w: replace(w, right={**w.right, "q": (Fraction(2), Fraction(1))}),
    "other length": lambda w: replace(w, right={**w.right, "q": (Fraction(1), Fraction(1), Fraction(1))}),
    "other neighbours": lambda w: replace(w, right={**w.right, "q": (Fraction(1), Fraction(0))}),
    "public differs": lambda w: replace(w, right={**w.right, "epsilon": Fraction(2)}),
    "other epsilon": lambda w: replace(
        w, left={**w.left, "epsilon": Fraction(9, 10)}, right={**w.right, "epsilon": Fraction(9, 10)}
    ),
    "bad epsilon": lambda w: replace(
        w, left={**w.left, "epsilon": Fraction(0)}, right={**w.right, "epsilon": Fraction(0)}
    ),
    "missing input": lambda w: replace(w, left={"epsilon": Fraction(1)}),
    "extra input": lambda w: replace(w, left={**w.left, "extra": Fraction(1)}),
    "wrong type": lambda w: replace(w, left={**w.left, "q": Fraction(1)}),
    "truth for number": lambda w: replace(w, left={**w.left, "q": (False, True)}),
    "a little further": lambda w: replace(w, left={**w.left, "q": (Fraction(-1, 2**30), Fraction(0))}),
    "other output": lambda w: replace(w, output=Fraction(-5)),
    "output of another type": lambda w: replace(w, output=True),
    "larger event": lambda w: replace(w, output=Between(None, Fraction(-4))),
    "left up": lambda w: replace(w, probability_left=_scaled(w.probability_left, 1 + SLIGHTLY)),
    "left down": lambda w: replace(w, probability_left=_scaled(w.probability_left, 1 - SLIGHTLY)),
    "right up": lambda w: replace(w, probability_right=_scaled(w.probability_right, 1 + SLIGHTLY)),
    "right down": lambda w: replace(w, probability_right=_scaled(w.probability_right, 1 - SLIGHTLY)),
    "ratio up": lambda w: replace(w, log_ratio=LogRatio(w.log_ratio.lower + SLIGHTLY, w.log_ratio.upper + SLIGHTLY)),
    "ratio down": lambda w: replace(w, log_ratio=LogRatio(w.log_ratio.lower - SLIGHTLY, w.log_ratio.upper - SLIGHTLY)),
    "ratio infinite": lambda w: replace(w, log_ratio=LogRatio(None, None)),
    "ratio says nothing": lambda w: replace(w, log_ratio=LogRatio(Fraction(0), None)),
    "claim lower": lambda w: replace(w, claim_value=Interval.point(HALF - SLIGHTLY)),
    "claim higher": lambda w: replace(w, claim_value=Interval.point(HALF + SLIGHTLY)),
    "claim in the last digit": lambda w: replace(w, claim_value=Interval.point(HALF - Fraction(1, 10**17))),
    "claim wide": lambda w: replace(w, claim_value=Interval(Fraction(0), HALF)),
    "no claim": lambda w: replace(w, claim_value=None),
    "a delta": lambda w: replace(w, claim_delta=Interval.point(0)),
    "an order": lambda w: replace(w, order=Fraction(2)),
    "closed form": lambda w: replace(w, closed_form="1 + 1e-9"),
    "closed form of nothing": lambda w: replace(w, closed_form="ln(0)"),
    "closed form not a formula": lambda w: replace(w, closed_form="__import__('os')"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_every_mutation_is_rejected(mutation):
    witness = REFUTING["bad_noisy_max"]
    mutated = MUTATIONS[mutation](witness)
    assert mutated != witness
    assert _reason(mutated)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return best\n", "    return best + 0\n"),
        ('claim="epsilon / 2")\ndef bad_noisy_max', 'claim="epsilon / 2 + 0")\ndef bad_noisy_max'),
        ('q=each(1), claim="epsilon / 2")\ndef bad_noisy_max', 'q=each(2), claim="epsilon / 2")\ndef bad_noisy_max'),
        ("def bad_noisy_max(", "def bad_noisy_max2("),
        ("def bad_noisy_max(q", "def bad_noisy_max(q q"),
    ],
)  # fmt: skip
def test_an_edited_source_is_rejected(before, after):
    edited = SOURCE.replace(before, after)
    assert edited != SOURCE
    assert _reason(REFUTING["bad_noisy_max"], edited)


def test_layout_and_comments_do_not_count():
    edited = SOURCE.replace("    best = 0.0\n", "    # the largest so far\n    best = 0.0\n\n")
    assert isinstance(check_witness(REFUTING["bad_noisy_max"], edited), Accepted)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_random_bend_of_a_number_is_accepted(data):
    """Whatever number is moved by more than its own width, the witness falls."""
    witness = REFUTING[data.draw(st.sampled_from(["coin_toss", "exponential_mechanism"]))]
    field = data.draw(st.sampled_from(["probability_left", "probability_right", "claim_value"]))
    by = data.draw(st.fractions(-1, 1, max_denominator=10**10).filter(bool))
    assert isinstance(
        check_witness(replace(witness, **{field: _shifted(getattr(witness, field), by)}), SOURCE), Rejected
    )


# --- other claims --------------------------------------------------------------------------------------------


def test_an_approximate_claim_is_refuted_by_a_tail():
    settings_ = {"sigma": 1, "epsilon": 1, "delta": Fraction(1, 100)}
    witness = honest("thin_gaussian", parameters(x=1, **settings_), parameters(x=0, **settings_), Between(Fraction(2)))
    verdict = check_witness(witness, SOURCE)
    assert isinstance(verdict, Accepted), verdict
    assert "δ" in verdict.statement
    modest = {**settings_, "delta": Fraction(1, 5)}
    true_claim = honest("thin_gaussian", parameters(x=1, **modest), parameters(x=0, **modest), Between(Fraction(2)))
    assert "delta" in _reason(true_claim)


def test_an_event_may_be_a_set_of_outputs():
    settings_ = {"sigma": 1, "epsilon": 1, "delta": Fraction(1, 100)}
    event = AnyOf((Between(Fraction(2), Fraction(3)), Between(Fraction(7, 2), Fraction(4)), Fraction(5)))
    witness = honest("thin_gaussian", parameters(x=1, **settings_), parameters(x=0, **settings_), event)
    assert isinstance(check_witness(Witness.from_json(witness.to_json()), SOURCE), Accepted)
    fewer = replace(witness, output=AnyOf(event.events[:2]))
    assert "probability_left" in _reason(fewer)


def test_a_concentrated_claim_is_refuted_at_an_order_and_a_true_one_is_not():
    low = {"sigma": 1, "rho": Fraction(1, 20)}
    case = parameters(x=1, **low), parameters(x=0, **low), Between(Fraction(1))
    assert isinstance(check_witness(honest("thin_concentrated", *case, order=Fraction(2)), SOURCE), Accepted)
    assert "order" in _reason(honest("thin_concentrated", *case))
    true = {"sigma": 1, "rho": Fraction(1, 2)}
    for threshold in range(-3, 6):
        for order in (Fraction(3, 2), Fraction(2), Fraction(10)):
            case = parameters(x=1, **true), parameters(x=0, **true), Between(Fraction(threshold))
            assert "Rényi" in _reason(honest("thin_concentrated", *case, order=order))


def test_without_a_claim_a_witness_is_a_lower_bound():
    case = parameters(q=[0, 0], epsilon=1), parameters(q=[1, 1], epsilon=1), (Fraction(0), Fraction(-2))
    verdict = check_witness(honest("unclaimed", *case), SOURCE)
    assert isinstance(verdict, Accepted), verdict
    assert verdict.statement.startswith("the privacy loss is at least 1.99999")


def test_a_prefix_is_an_event():
    limits = {"threshold": 0, "limit": 1, "epsilon": 1}
    left, right = parameters(q=[1, 0, 0], **limits), parameters(q=[0, 1, 1], **limits)
    witness = honest("sparse_vector", left, right, Prefix((True,)))
    assert "not certainly above" in _reason(witness)  # true numbers, and a true claim


# --- cost and limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "left", "right", "output"),
    [
        (
            "sparse_vector",
            parameters(q=[0] * 5, threshold=0, limit=1, epsilon=1),
            parameters(q=[1, 1, 1, 1, 0], threshold=0, limit=1, epsilon=1),
            (False, False, False, False, True),
        ),
        ("noisy_max", parameters(q=[1, 0, 0, 0], epsilon=1), parameters(q=[0, 1, 1, 1], epsilon=1), Fraction(0)),
    ],
)
def test_the_shapes_that_matter_are_checked_in_seconds(name, left, right, output):
    witness = widened(honest(name, left, right, output))
    start = time.process_time()
    check_witness(witness, SOURCE)
    assert time.process_time() - start < 5


def test_the_limit_is_respected_and_named():
    verdict = check_witness(REFUTING["bad_noisy_max"], SOURCE, limit=10)
    assert verdict == Rejected("C110 more than 10 states are needed")


# --- a thousand bent witnesses, and hostile ones ------------------------------------------------------------------


@pytest.mark.parametrize("block", range(10))
def test_a_thousand_bent_witnesses_state_nothing_false(block):
    """Whatever is bent, what is accepted is true: recomputed, and above the claim. Nearly all are rejected."""
    generator = random.Random(block)
    rejected = 0
    for _ in range(130):
        name = generator.choice(list(REFUTING))
        data = bent(REFUTING[name], generator)
        try:
            other = Witness.from_json(data)
        except InvalidInput:
            rejected += 1
            continue
        if says_no_more(other, Witness.from_json(REFUTING[name].to_json())):
            continue  # the change was none, or an interval became wider, which remains true
        verdict = check_witness(other, SOURCE)
        if other.function == "no_query_noise" and other.right != REFUTING[name].right:
            continue  # the answer is impossible on other neighbours, too: another true witness
        assert isinstance(verdict, Rejected), (data, verdict)
        rejected += 1
    assert rejected >= 100


HOSTILE = {
    "orders": "    noisy = [x + laplace(1) for x in q]\n    out = 0\n    for a in noisy:\n        for b in noisy:\n"
    "            if a + b > 1:\n                out += 1\n    return out > 3",
    "scales": "    total = 0.0\n    for i in range(40):\n        total += laplace(1 + i / 1000003)\n"
    "    return total > sum(q)",
    "squares": "    t = 3.0\n    for i in range(60):\n        t = t * t\n    return t + laplace(1) > sum(q)",
    "coins": "    n = 0\n    while flip(0.999999999):\n        n += 1\n    return n + sum(q) > 5",
    "whole": "    a = discrete_laplace(1000000)\n    b = discrete_laplace(1000000)\n    return a * b > sum(q)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_witnesses_end_within_seconds(name):
    source = (
        "from lapwing import discrete_laplace, each, flip, laplace, mechanism\n\n\n"
        f'@mechanism(q=each(1), claim="1 / 100")\ndef f(q: list[float]) -> bool:\n{HOSTILE[name]}\n'
    )
    module = parse_text(source, only="f")
    left, right = parameters(q=[0] * 8), parameters(q=[1] * 8)
    half = Interval.point(Fraction(1, 2))
    tenth = Interval.point(Fraction(1, 10))
    ratio = LogRatio(*log_bounds(half, tenth))
    claim = Interval.point(Fraction(1, 100))
    lie = Witness("f.py", "f", fingerprint(module, "f"), left, right, True, half, tenth, ratio, claim)
    start = time.monotonic()
    assert isinstance(check_witness(lie, source), Rejected)
    assert time.monotonic() - start < 30
