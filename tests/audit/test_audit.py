"""Audits of callables from outside: what leaks is refuted, what does not is not, bad input is refused."""

import contextlib
import itertools
import json
import math
import random
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

import lapwing
from lapwing.audit.auditing import shortened
from lapwing.audit.awkward import added, numbers, replaced, within
from lapwing.audit.finding import NOT_REFUTED, REFUTED, TOO_FEW, Chunk
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.recheck import Recounted, recheck_json
from lapwing.audit.report import _inputs
from lapwing.audit.sanity import refuse_drift
from lapwing.errors import InvalidInput, LapwingError

rng = np.random.default_rng()


def rounded(x):
    """Laplace noise of scale 1 without low bits."""
    return float(np.round((x + rng.laplace()) * 1024) / 1024)


def length_leaks(values):
    return float(np.mean(values)) + rng.laplace(0, 1 / len(values))


def fails_on_nothing(values):
    return round(sum(values) / len(values) + rng.laplace(), 3)


def nan_comes_out(values):
    return float(np.clip(values, 0, 1).sum()) + round(rng.laplace(), 2)


def missing_key(values):
    return {value: round(rng.laplace(), 3) for value in set(values)}


def without_noise(values):
    return len(values)


LEAKS = {
    "low bits": (lambda x: x + rng.laplace(), 0.0, 1.0, "bits"),
    "scale": (length_leaks, [0.0], [0.0, 1.0], ""),
    "exception": (fails_on_nothing, [], [0.5], "raises ZeroDivisionError"),
    "nan": (nan_comes_out, [0.5, math.nan], [0.5, 0.5], "NaN"),
    "key": (missing_key, ["a"], ["a", "b"], ""),
    "no noise": (without_noise, [1], [1, 2], "the answer is at"),
    "twice the noise is needed": (lambda x: rounded(2 * x), 0.0, 1.0, ""),
    "text": (lambda x: "yes" if rng.random() < (0.9 if x else 0.1) else "no", True, False, "'"),
}


@pytest.mark.parametrize(("function", "left", "right", "word"), LEAKS.values(), ids=LEAKS)
def test_a_leak_is_refuted_and_its_finding_holds(function, left, right, word):
    finding = lapwing.audit(function, left, right, epsilon=1, seconds=10)
    assert finding.verdict == REFUTED
    assert finding.at_least > 1
    assert word in finding.event or "learnt" in finding.event
    again, verdict = recheck_json(json.loads(json.dumps(finding.to_json())))
    assert isinstance(verdict, Recounted)
    assert again == finding


HOLDS = {
    "rounded laplace": (rounded, 0.0, 1.0),
    "a constant": (lambda _: 5.0, 0.0, 1.0),
    "sometimes raises, on both": (lambda _: 1 / 0 if rng.random() < 0.3 else 1, 0, 1),
}


@pytest.mark.parametrize(("function", "left", "right"), HOLDS.values(), ids=HOLDS)
def test_what_holds_is_not_refuted(function, left, right):
    finding = lapwing.audit(function, left, right, epsilon=1, seconds=1)
    assert finding.verdict == NOT_REFUTED
    assert finding.at_least <= 1
    assert finding.could_reach > 1
    assert "proves nothing" in str(finding)


def test_a_leak_of_low_bits_is_said_to_be_one():
    finding = lapwing.audit(lambda x: x + rng.laplace(), 0.0, 1.0, epsilon=1, seconds=5)
    assert "low bits" in str(finding)
    finding = lapwing.audit(lambda x: rounded(3 * x), 0.0, 1.0, epsilon=1, seconds=5)
    assert "low bits" not in str(finding)


def test_a_claim_with_delta_is_refuted_by_a_key_that_is_there_too_often():
    def threshold(table):
        return {key: round(count + rng.laplace(), 2) for key, count in table.items() if count + rng.laplace() > 4}

    claimed, true = 0.004, 0.5 * math.exp(-3)
    finding = lapwing.audit(threshold, {"a": 1}, {}, epsilon=1, delta=claimed, seconds=20)
    assert claimed < true
    assert finding.verdict == REFUTED


def test_a_rare_key_within_its_delta_is_not_refuted():
    """Most batches hold the key nowhere: what is absent from a batch must not show in the answers beside it."""

    def rare(x):
        return {"a": 1.0} if x and rng.random() < 0.004 else {}

    for _ in range(3):
        finding = lapwing.audit(rare, True, False, epsilon=1, delta="0.005", seconds=2)
        assert finding.verdict == NOT_REFUTED


@pytest.mark.parametrize("epsilon", ["0", "1e-300", "709.9", "1000", "1e400"])
@pytest.mark.parametrize("delta", ["0", "1e-300", "0.999999"])
def test_no_claim_is_too_extreme(epsilon, delta):
    refutable = float(epsilon) < 1 and float(delta) < 0.5
    finding = lapwing.audit(
        lambda x: x, 0, 1, epsilon=epsilon, delta=delta, seconds=20 if refutable else 0.3, replay=False
    )
    assert finding.verdict == (REFUTED if refutable else TOO_FEW)
    assert isinstance(recheck_json(json.loads(json.dumps(finding.to_json())))[1], Recounted)
    assert "at least 0." not in str(finding).rpartition("certified")[2]


def test_nobody_is_quite_sure():
    finding = lapwing.audit(lambda x: x, 0, 1, epsilon=0, confidence=1 - Fraction(1, 10**50), seconds=1)
    assert "100 % sure" not in str(finding)


def test_zero_may_be_claimed():
    assert lapwing.audit(lambda x: x + round(rng.laplace()), 0, 1, epsilon=0, seconds=10).verdict == REFUTED


def test_a_batch_gives_many_answers_at_once():
    finding = lapwing.audit(
        batch=lambda x, n: np.round(x + rng.laplace(0, 1 / 1.3, n), 2), left=0.0, right=1.0, epsilon=1, seconds=10
    )
    assert finding.verdict == REFUTED


def test_squeezing_uses_the_time_for_a_larger_bound():
    finding = lapwing.audit(
        batch=lambda x, n: rng.random(n) < (0.9 if x else 0.1),
        left=True,
        right=False,
        epsilon=1,
        seconds=3,
        squeeze=True,
    )
    assert 1.9 < finding.at_least <= math.log(9)


def test_pairs_are_searched_and_the_worst_is_attacked():
    def bad_at_ten(values):
        return round(sum(values) * (3 if len(values) > 2 else 1) + rng.laplace(), 2)

    pairs = [([0.0] * n, [0.0] * (n - 1) + [1.0]) for n in (1, 2, 3, 4)]
    finding = lapwing.audit(bad_at_ten, neighbours=pairs, epsilon=1, seconds=10)
    assert finding.verdict == REFUTED
    assert finding.share == Fraction(1, 2)
    assert len(eval(finding.left)) > 2  # noqa: S307  # our own repr


def test_awkward_inputs_are_made_up_from_the_annotation():
    def clipped_sum(values: list[float]) -> float:
        return float(np.clip(values, 0, 1).sum()) + round(rng.laplace(), 2)

    finding = lapwing.audit(clipped_sum, neighbours="replaced", epsilon=1, seconds=10, seed=3)
    assert finding.verdict == REFUTED
    assert "nan" in finding.left + finding.right
    assert finding.relation == "one row changed (any number)"


def test_a_hypothesis_strategy_gives_pairs():
    strategy = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: abs(pair[0] - pair[1]) == 1)
    finding = lapwing.audit(lambda x: x**2 + round(rng.laplace()), neighbours=strategy, epsilon=1, seconds=10)
    assert finding.verdict == REFUTED


def test_one_word_more_is_one_row_more():
    for make, lengths in ((added, {1}), (replaced, {0})):
        found = make(numbers(0, 1), seed=5)
        assert len(found) >= 12
        assert {len(pair.right) - len(pair.left) for pair in found} == lengths
        for pair in found:
            kept = [value for value in pair.left if any(value is other for other in pair.right)]
            assert len(kept) >= len(pair.left) - 1
        assert repr(make(numbers(0, 1), seed=5)) == repr(found)


def test_numbers_within_a_distance_are_exactly_so():
    found = within("0.1")
    assert len(found) > 5
    assert all(0 < abs(Fraction(pair.left) - Fraction(pair.right)) <= Fraction(1, 10) for pair in found)
    assert all(0 <= value <= 1 for pair in within(1, 0, 1) for value in (pair.left, pair.right))
    for distance, ends in ((0, ()), (5, (0, 1)), (-1, ())):
        with pytest.raises(InvalidInput):
            within(distance, *ends)


def test_a_function_of_one_number_is_audited_within_a_distance():
    pairs = within(1, 0, 10)
    finding = lapwing.audit(lambda x: round(3 * x + rng.laplace()), neighbours=pairs, epsilon=1, seconds=10)
    assert finding.verdict == REFUTED
    assert finding.relation == "at most 1 apart"


@pytest.mark.parametrize("ends", [(0, 1), (-5, "0.1"), (10, 200), (3, 3), ("0.25", "0.5"), (-(10**30), 10**30)])
def test_awkward_numbers_stay_inside_their_range(ends):
    for whole in (False, True):
        if whole and ends == ("0.25", "0.5"):
            continue  # no whole number is there
        values = numbers(*ends, whole=whole)
        assert values
        assert all(Fraction(ends[0]) <= Fraction(each) <= Fraction(ends[1]) for each in values)
    assert {float(Fraction(end)) for end in (0, 1)} <= set(numbers(0, 1))
    assert all(isinstance(each, int) for each in numbers(0, 9, whole=True))


def test_awkward_numbers_leave_their_range_on_request():
    values = numbers(0, 1, outside=True)
    assert {0.0, 1.0, 0.5, math.nextafter(1, 2), math.nextafter(0, -1)} <= set(values)
    assert any(map(math.isnan, values))
    assert any(map(math.isnan, numbers()))
    assert not any(map(math.isnan, numbers(0, 1, nan=False, outside=True)))
    assert not any(map(math.isnan, numbers(nan=False)))


def test_settings_are_passed_on():
    finding = lapwing.audit(lambda x, k: rounded(k * x), 0.0, 1.0, epsilon=1, settings={"k": 3}, seconds=10)
    assert finding.verdict == REFUTED


def test_a_run_cannot_change_the_input_of_the_next():
    def greedy(values):
        values.append(1.0)
        return round(sum(values[:1]) + rng.laplace(), 2)

    left = [0.0]
    lapwing.audit(greedy, left, [1.0], epsilon=1, seconds=0.5)
    assert left == [0.0]


# --- what is refused ------------------------------------------------------------------------------------------


def refused(code, *inputs, **keywords):
    with pytest.raises(LapwingError) as error:
        lapwing.audit(*inputs, **{"epsilon": 1, "seconds": 2, **keywords})
    assert error.value.code == code
    assert str(error.value).count("\n") == 0
    return error.value


def test_seeded_noise_is_refused():
    refused("Y203", lambda x: x + np.random.default_rng(7).laplace(), 0.0, 1.0)


def test_a_memory_is_refused():
    calls = itertools.count()
    refused("Y204", lambda x: round(x + rng.laplace(), 1) if next(calls) < 500 else None, 0.0, 1.0)


def test_a_memory_of_the_other_side_is_refused():
    last = [0.0]

    def echoes(x):
        said, last[0] = last[0], x
        return said

    refused("Y204", echoes, 0.0, 1.0)


def test_a_drift_is_refused_rather_than_accused():
    """An event that grows likelier on both inputs alike, slowly enough to pass within a chunk."""
    early = [Chunk(0, 0, 30, 10, 960, (Fraction(1, 4),))] * 3
    late = [Chunk(0, 0, 300, 100, 600, (Fraction(1, 4),))] * 3
    refuse_drift(early)
    refuse_drift(late)
    with pytest.raises(InvalidInput) as refused:
        refuse_drift([*early, *late])
    assert refused.value.code == "Y204"


def test_a_rare_event_in_a_small_last_chunk_is_no_drift():
    refuse_drift([Chunk(0, 0, 90, 0, 5900, (Fraction(1, 4),)), Chunk(0, 0, 1, 1, 28, (Fraction(1, 4),))])


def test_always_raising_could_not_have_refuted():
    finding = lapwing.audit(lambda _: 1 / 0, 0.0, 1.0, epsilon=1, seconds=1)
    assert finding.verdict == TOO_FEW
    assert "ZeroDivisionError" in str(finding)


def test_a_slow_callable_could_not_have_refuted():
    import time

    finding = lapwing.audit(lambda x: time.sleep(0.02) or round(x + rng.laplace(), 1), 0.0, 1.0, epsilon=5, seconds=2)
    assert finding.verdict == TOO_FEW
    assert "more seconds" in str(finding)


def test_a_tiny_delta_is_said_to_be_out_of_reach():
    finding = lapwing.audit(rounded, 0.0, 1.0, epsilon=1, delta="1e-9", seconds=1)
    assert "invisible" in str(finding)


def test_undeclared_types_are_no_leak():
    def of_text(values):
        return sum(map(len, values)) + round(rng.laplace())

    refused("Y202", of_text, neighbours="added", seconds=20)

    def slowly(values):
        time.sleep(0.02)
        return of_text(values)

    with contextlib.suppress(InvalidInput):  # without time to look at all pairs first, some are attacked unseen
        assert not lapwing.audit(slowly, neighbours="added", epsilon=1, seconds=5, replay=False).refuted


def test_pairs_that_cannot_be_made_are_refused():
    def broken():
        yield 0.0, 1.0
        raise ValueError

    refused("Y201", rounded, neighbours=broken())
    refused("Y201", rounded, neighbours=st.integers().map(lambda _: 1 / 0))


def test_a_batch_that_raises_is_refused():
    refused("Y217", batch=lambda _, n: n / 0, left=0, right=1)
    refused("Y217", batch=lambda _, n: exit(n), left=0, right=1)


def test_real_rows_are_refused():
    refused("Y206", rounded, neighbours="people.parquet")


def test_the_path_of_a_protected_table_is_no_input(tmp_path):
    def length(path):
        return len(str(path))

    table, free = tmp_path / "people.parquet", tmp_path / "others.parquet"
    for each in (table, free, tmp_path / "people.lapwing.toml"):
        each.touch()
    for given in (table, str(table)):
        refused("Y206", length, left=free, right=given)
        refused("Y206", length, neighbours=[(str(free), given)])
    assert lapwing.audit(length, str(free), "people", epsilon=1, seconds=1, replay=False).refuted


@pytest.mark.parametrize(
    ("code", "keywords"),
    [
        ("A107", {"epsilon": -1}), ("A001", {"epsilon": "much"}), ("A102", {"delta": 1}), ("Y211", {"confidence": 1}),
        ("Y211", {"confidence": 0}), ("A105", {"confidence": 2}), ("Y211", {"seconds": 0}),
        ("Y211", {"seconds": "long"}),
        ("Y201", {"right": Ellipsis}), ("Y201", {"neighbours": [(0, 1)]}), ("Y212", {"batch": lambda x, n: [x] * n}),
        ("Y207", {"neighbours": "cousins"}),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused(code, keywords):
    inputs = {"left": 0.0, "right": 1.0, **keywords}
    if inputs["right"] is Ellipsis:
        del inputs["right"]
    refused(code, rounded, **inputs)


def test_no_inputs_are_refused():
    refused("Y201", rounded)
    refused("Y201", rounded, neighbours=[])
    refused("Y201", rounded, neighbours=[1, 2])
    refused("Y201", rounded, neighbours=3)
    refused("Y212", None, 0.0, 1.0)
    refused("Y212", 5, 0.0, 1.0)


def test_a_batch_that_is_too_short_is_refused():
    refused("Y209", batch=lambda x, n: [x] * (n - 1), left=0.0, right=1.0)


def test_running_out_of_memory_is_no_answer():
    def huge(_):
        raise MemoryError

    refused("Y208", huge, 0, 1)


def test_an_interruption_leaves_what_was_found_so_far():
    calls = itertools.count()

    def interrupted(x):
        if next(calls) > 8000:
            raise KeyboardInterrupt
        return random.random() < (0.9 if x else 0.1)

    finding = lapwing.audit(interrupted, True, False, epsilon=1, seconds=30, squeeze=True)
    assert finding.verdict == REFUTED
    assert "interrupted" in str(finding)


def test_a_pair_says_how_it_differs():
    pair = Pair([0.0], [0.0, 1.0], "one patient more")
    finding = lapwing.audit(length_leaks, neighbours=[pair], epsilon=1, seconds=5)
    assert "<- one patient more" in str(finding)


def test_long_inputs_are_shown_from_where_they_differ_on_one_line():
    frame = pytest.importorskip("pandas").DataFrame({"person": [1, 2], "age": [30, 40]})
    assert shortened(frame) == "DataFrame {'person': [1, 2], 'age': [30, 40]}"
    assert _inputs("[0]", "[0,\n 1]") == ("[0]", "[0, 1]")
    left, right = _inputs(str([0.25] * 30), str([0.25] * 29 + [0.75]))
    assert left != right
    assert left.startswith("…")
    assert right.endswith("0.75]")
