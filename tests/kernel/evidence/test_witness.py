"""Witnesses as JSON: the contract's fields, a round trip that only ever widens, and refusal of everything else."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.event import AnyOf, Anything, Between, Prefix, event_from_json, event_to_json
from lapwing.kernel.evidence.values import value_from_json, value_to_json
from lapwing.kernel.evidence.witness import LogRatio, Witness, read_json

THIRD = Fraction(1, 3)
WITNESS = Witness(
    file="corpus/refuted/coin_toss.py",
    function="coin_toss",
    source="ab" * 32,
    left={"rows": (True, False), "epsilon": Fraction(1, 2)},
    right={"rows": (False, False), "epsilon": Fraction(1, 2)},
    output=(True, True),
    probability_left=Interval.point(Fraction(3, 8)),
    probability_right=Interval(Fraction(1, 8), Fraction(1, 8) + Fraction(1, 3 * 10**9)),
    log_ratio=LogRatio(Fraction("1.09"), Fraction("1.11")),
    claim_value=Interval.point(Fraction(1, 2)),
)


def read_witness(text):
    return Witness.from_json(read_json(text))


def test_the_json_has_the_fields_and_forms_of_the_contract():
    data = WITNESS.to_json()
    assert data["left"] == {"rows": [True, False], "epsilon": "1/2"}
    assert data["output"] == [True, True]
    assert data["probability_left"] == "3/8"
    assert data["probability_right"] == ["0.125", "0.125000000333333333333334"]
    assert data["log_ratio"] == ["1.09", "1.11"]
    assert data["claim_value"] == "1/2"
    assert "claim_delta" not in data
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize("older", [{"lattice": "1"}, {"format": 1}, {"format": "2"}])
def test_an_older_format_is_refused_with_what_to_do(older):
    with pytest.raises(InvalidInput, match="C105") as refusal:
        Witness.from_json({**WITNESS.to_json(), **older})
    assert "Search again" in str(refusal.value)


def test_a_round_trip_widens_and_then_stands_still():
    again = read_witness(json.dumps(WITNESS.to_json()))
    assert again.probability_right.lower <= WITNESS.probability_right.lower
    assert again.probability_right.upper >= WITNESS.probability_right.upper
    assert replace(again, probability_right=WITNESS.probability_right) == WITNESS
    assert read_witness(json.dumps(again.to_json())) == again


def test_every_optional_field_travels():
    full = replace(
        WITNESS,
        claim_delta=Interval.point(Fraction(1, 10**6)),
        order=Fraction(3, 2),
        closed_form="ln(3)",
        log_ratio=LogRatio(None, None),
        probability_right=Interval.point(0),
    )
    assert read_witness(json.dumps(full.to_json())) == full
    half = replace(full, log_ratio=LogRatio(Fraction(7, 2), None), claim_value=None, claim_delta=None)
    assert read_witness(json.dumps(half.to_json())) == half


def test_long_exact_numbers_become_intervals_around_them():
    number = Fraction(1, 3**200)
    again = read_witness(json.dumps(replace(WITNESS, probability_left=Interval.point(number)).to_json()))
    assert number in again.probability_left
    assert again.probability_left.width < number / 10**20


@pytest.mark.parametrize("field", [name for name in WITNESS.to_json() if name != "kind"])
def test_a_missing_field_is_refused(field):
    data = WITNESS.to_json()
    del data[field]
    with pytest.raises(InvalidInput, match=f"C102.*{field}"):
        Witness.from_json(data)


def test_an_unknown_field_is_refused():
    with pytest.raises(InvalidInput, match=r"C102.*surprise"):
        Witness.from_json({**WITNESS.to_json(), "surprise": 1})
    with pytest.raises(InvalidInput, match="C102"):
        Witness.from_json({**WITNESS.to_json(), "kind": "certificate"})


@pytest.mark.parametrize("field", list(WITNESS.to_json()))
@pytest.mark.parametrize("wrong", [1, 0.5, {}, {"x": None}, [None], "", [[[]], 3], {"from": 1}])
def test_a_field_of_the_wrong_type_is_refused(field, wrong):
    if (field, wrong) in [("left", {}), ("right", {})]:
        pytest.skip("no arguments at all is an object of the right type; check refuses it")
    with pytest.raises(InvalidInput, match=r"C10|A001"):
        Witness.from_json({**WITNESS.to_json(), field: wrong})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("probability_left", ["0.5", "0.4"]),
        ("probability_left", "3/2"),
        ("probability_left", "-1"),
        ("probability_left", ["0.1"]),
        ("log_ratio", ["2", "1"]),
        ("log_ratio", ["inf", "1"]),
        ("order", "1"),
        ("claim_value", "nan"),
        ("claim_value", "1/0"),
        ("claim_value", "1e999999"),
        ("claim_value", "1e4999"),
    ],
)
def test_a_number_without_meaning_is_refused(field, wrong):
    with pytest.raises(InvalidInput, match=r"C10|A001"):
        Witness.from_json({**WITNESS.to_json(), field: wrong})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '"witness"',
        "[" * 100_000,
        '{"a": NaN}',
        '{"a": 1, "a": 1}',
        "1" * 10_000,
        '{"file": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_what_is_not_a_witness_is_refused_without_a_traceback(text):
    with pytest.raises(InvalidInput, match="C10"):
        read_witness(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(WITNESS.to_json())), json_values)
def test_any_json_in_any_field_is_read_or_refused(field, value):
    try:
        again = Witness.from_json({**WITNESS.to_json(), field: value})
    except InvalidInput:
        return
    assert Witness.from_json(again.to_json()) == again


@given(json_values)
def test_any_json_at_all_is_refused(value):
    with pytest.raises(InvalidInput):
        Witness.from_json(value)


# --- values and events -------------------------------------------------------------------------------------------

values = st.recursive(
    st.booleans() | st.fractions(max_denominator=100),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)
events = st.recursive(
    st.booleans()
    | st.fractions(max_denominator=10)
    | st.just(Anything())
    | st.builds(Between, st.fractions(max_denominator=3), st.none() | st.fractions(max_denominator=3)),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(lambda each: Prefix(tuple(each)))
        | st.lists(inner, max_size=3).map(lambda each: AnyOf(tuple(each)))
    ),
    max_leaves=6,
)


@given(values)
def test_values_travel(value):
    data = json.loads(json.dumps(value_to_json(value)))
    assert repr(value_from_json(data, "value")) == repr(value)  # True is not 1


@given(events)
def test_events_travel(event):
    assert repr(event_from_json(json.loads(json.dumps(event_to_json(event))))) == repr(event)
