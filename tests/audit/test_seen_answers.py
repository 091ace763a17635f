"""Any answer becomes a tag and numbers: what an observer sees, and nothing rounded away."""

import asyncio
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.audit.features import features, fractional_bits
from lapwing.audit.one_answer import WIDEST, Raised
from lapwing.audit.run_limits import TimeIsUp
from lapwing.audit.sampling import answered
from lapwing.audit.sanity import refuse_fixed_noise
from lapwing.audit.scores import fitted_scores, plain_scores
from lapwing.audit.seen_answers import Encoder

pandas = pytest.importorskip("pandas")


def encoded(*answers):
    encoder = Encoder()
    batch = encoder.encode(list(answers))
    return [encoder.name(code) for code in batch.tags.tolist()], batch.values


@dataclass
class Point:
    x: float
    name: str


class Opaque:
    pass


@pytest.mark.parametrize(
    ("answer", "tag", "values"),
    [
        (1.5, "float", [1.5]), (3, "int", [3]), (True, "bool", [1]), (None, "None", []), ("abc", "'abc'", []),
        (math.nan, "nan", None), (math.inf, "inf", [math.inf]), (-math.inf, "-inf", [-math.inf]), (-0.0, "-0.0", [0]),
        (Raised("ValueError"), "raises ValueError", []), ([1.0, 2.0], "2 of float", [1, 2]),
        ((1, 2), "2 of int", [1, 2]),
        ([1, 2.0], "2 of (int, float)", [1, 2]), ([], "0 of ()", []), ([1.0, None], "2 of (float, None)", [1]),
        ({"b": 2, "a": 1.0}, "{'a': float, 'b': int}", [1, 2]), (b"\x01\x02", "2 of byte", [1, 2]),
        (Decimal("0.5"), "decimal 3 of (float, int, int)", [0.5, 5, -1]),
        (Fraction(1, 4), "fraction 3 of (float, int, int)", [0.25, 1, 4]), (np.float64(2.5), "float", [2.5]),
        (np.int64(7), "int", [7]), (np.array([1.0, 2.0]), "2 of float", [1, 2]), ({3, 1}, "2 of int", [1, 3]),
        (Point(1.0, "p"), "{'name': 'p', 'x': float}", [1]), (1 + 2j, "2 of float", [1, 2]), (Opaque(), "a Opaque", []),
        ([[1.0], [2.0, 3.0]], "2 of (1 of float, 2 of float)", [1, 2, 3]),
        (10**309, "int of 21 parts", [math.inf, *[0] * 20, 10**9]),
        (2**53 + 1, "int of 2 parts", [2**53, 7199254740993, 9]),
        ("north", "'north'", []), ("12 of 7", "'# of #'", [12, 7, 7, ord("7")]),
        (np.float32(0.5), "float32 float", [0.5]),
        (np.zeros((0, 3)), "(0, 3) 0 of ()", []),
        ([1.0, math.nan], "2 of (float, nan)", None),
    ],
)  # fmt: skip
def test_an_answer_has_a_tag_and_numbers(answer, tag, values):
    # beside another kind of answer, so that the long way is taken as well as the short one
    for others in ([], ["other"]):
        tags, table = encoded(answer, *others)
        assert tags[0] == tag
        if values is not None:
            assert [each for each in table[0].tolist() if not math.isnan(each)] == values


def test_data_frames_are_looked_into():
    pandas = pytest.importorskip("pandas")
    tags, table = encoded(pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}))
    assert tags == ["{'a': 2 of int, 'b': 2 of float}"]
    assert table[0].tolist() == [1, 2, 0.5, 1.5]


@given(st.lists(st.floats(width=64), min_size=1, max_size=20))
def test_the_short_way_and_the_long_way_agree(answers):
    short, values = encoded(*answers)
    long, other = encoded(*answers, "other")
    assert short == long[:-1]
    assert np.array_equal(values, other[:-1, : values.shape[1]], equal_nan=True)


@given(st.lists(st.lists(st.floats(width=64), min_size=3, max_size=3), min_size=1, max_size=10))
def test_they_agree_on_rows_too(answers):
    assert encoded(*answers)[0] == encoded(*answers, None)[0][:-1]


ODD = [
    1.5, -0.0, math.nan, 3, 2**70, -(2**63), 2**63, True, None, "abc", [], [1.0], [1.0, 2.0], [1, 2], [1, 2.5],
    [None, 1.0],
    {"a": 1}, {}, {"a": 1, "b": 2.5}, (True, False), Raised("ValueError"), [0.1] * 100, [0.1] * 99 + [math.inf],
    np.array([0.1] * 100), [2**63, -1], np.float32(0.1), b"ab", 2**53, 2**53 + 1, 10**400, Decimal("0.10"),
    "no. 3 of 12",
    "a text that is longer than most, of 17 words", "x" * 80, {"b": 1, "a": "north"}, ["north", "south"],
    [17, 4], {4, 17},
    Point(2.0, "q"),
]  # fmt: skip


@settings(max_examples=40)
@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=12), st.sampled_from(ODD))
def test_an_answer_is_encoded_and_scored_in_one_way_whatever_stands_beside_it(others, answer):
    """Else an event would depend on the batch, and money could be won without any leak."""
    encoder = Encoder()
    left, right = encoder.encode([*others, *ODD]), encoder.encode([*reversed(ODD)])
    scores = [*plain_scores(left, right, encoder), *fitted_scores(left, right, encoder, models=True)]
    alone, among, alike = encoder.encode([answer]), encoder.encode([*others, answer]), encoder.encode([answer] * 2)
    assert alone.tags[0] == among.tags[-1] == alike.tags[-1]
    for score in scores:
        found = {float(score.of(batch)[-1]).hex() for batch in (alone, among, alike)}
        assert len(found) == 1, score.words(True, 0.0)


def test_a_batch_of_whole_numbers_is_encoded_in_one_way_whatever_stands_beside_it():
    encoder = Encoder()
    small, mixed = encoder.encode(np.array([1, 2])), encoder.encode(np.array([1, 2**62]))
    assert small.tags[0] == mixed.tags[0] != mixed.tags[1]
    rows, larger = encoder.encode(np.array([[1, 2]])), encoder.encode(np.array([[1, 2], [3, 2**60]]))
    assert rows.tags[0] == larger.tags[0] != larger.tags[1]


def test_a_batch_of_whole_numbers_is_as_one_of_others():
    encoder = Encoder()
    batches = [encoder.encode(np.array([1, 2])), encoder.encode(np.array([1.0, 2.5]))]
    assert batches[0].tags.tolist() == batches[1].tags.tolist()


def test_long_answers_keep_their_sum():
    many = 2 * WIDEST
    _, table = encoded([1.0] * many)
    assert table.shape == (1, WIDEST)
    assert table.sum() == many
    assert encoded([0.1] * many, [0.1] * many)[1].tolist() == encoded([0.1] * many, None)[1][:1].tolist() * 2
    for answers in ([[1.0] * many] * 2, [[1.0] * many, None]):
        encoder = Encoder()
        encoder.encode(answers)
        assert encoder.opaque


def test_an_array_of_answers_is_taken_as_it_is():
    encoder = Encoder()
    batch = encoder.encode(np.array([[True, False], [False, False]]))
    assert encoder.names == ["2 of float"]
    assert batch.values.tolist() == [[1, 0], [0, 0]]


@given(st.integers(-(2**52), 2**52).filter(lambda n: n % 2), st.integers(0, 200))
def test_fractional_bits_are_counted(odd, bits):
    assert fractional_bits(np.array([odd * 2.0**-bits]))[0] == bits


@pytest.mark.parametrize(("number", "bits"), [(0.0, 0), (4.0, 0), (0.5, 1), (0.1, 55), (5e-324, 1074), (2.0**60, 0)])
def test_some_fractional_bits(number, bits):
    assert fractional_bits(np.array([number]))[0] == bits


def test_what_is_not_finite_has_none():
    assert np.isnan(fractional_bits(np.array([math.nan, math.inf]))).all()


def test_features_of_answers_without_numbers_are_nan_without_warnings(recwarn):
    batch = Encoder().encode([None, [1.0, 3.0], [2.0]])
    table = {feature.name: feature.of(batch) for feature in features(2)}
    assert np.isnan(table["the place of the largest number of the answer"][0])
    assert table["the place of the largest number of the answer"][1] == 2
    assert table["how many numbers the answer has"].tolist() == [0, 2, 1]
    assert table["the spread of the answer"][1] == 2
    assert not recwarn.list


class Defiant:
    """An object of others that raises whatever it is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


class Unlistable(list):
    def __iter__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "make",
    [
        Defiant, lambda: {Defiant(): 1}, lambda: {Defiant(), 2}, lambda: Unlistable([1]), lambda: Decimal(10**5000),
        lambda: {10**5000: 1}, lambda: {10**5000, 1}, lambda: pandas.DataFrame,
    ],
)  # fmt: skip
def test_an_answer_that_raises_when_it_is_looked_at_is_one_that_cannot_be_looked_into(make):
    """Beside what can be seen; it was a mistake of ours, and no finding."""
    encoder, answer = Encoder(), make()
    batch = encoder.encode([(1.5, answer), (2.5, answer)])
    assert encoder.opaque == {type(answer).__name__}
    assert batch.values[:, 0].tolist() == [1.5, 2.5]


def test_answers_that_are_no_floats_have_no_fixed_noise():
    for answer in (10**5000, [10**5000, 1], -(10**400), Defiant()):
        refuse_fixed_noise([answer] * 50, [1.5] * 50)


class Panic(BaseException):
    """As libraries in Rust raise it: no Exception."""


@pytest.mark.parametrize("kind", [Panic, asyncio.CancelledError, GeneratorExit, SystemExit, RecursionError])
def test_whatever_a_run_raises_is_an_answer(kind):
    def raises(_):
        raise kind

    def yields(x):
        yield x
        raise kind

    assert answered(raises, 1) == Raised(kind.__name__)
    assert answered(yields, 1) == [1, Raised(kind.__name__)]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, TimeIsUp, pytest.fail.Exception])
def test_but_not_what_is_said_to_the_audit_while_it_runs(kind):
    def raises(_):
        raise kind

    with pytest.raises(kind):
        answered(raises, 1)
