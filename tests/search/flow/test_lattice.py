"""Lattices of labels: the laws of join and meet, and orders that are none."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program.labels import TWO_LABELS
from lapwing.source.lattices import read_lattice
from lapwing.source.parse import parse_text

DIAMOND = read_lattice("low < mid < high, low < left < high")
CUBE = read_lattice("o < a < ab < abc, o < b < bc < abc, o < c < ac < abc, a < ac, b < ab, c < bc")
LATTICES = [TWO_LABELS, DIAMOND, CUBE, read_lattice("a < b < c < d")]


@given(st.sampled_from(LATTICES), st.data())
def test_laws(lattice, data):
    a, b, c = (data.draw(st.sampled_from(lattice.labels)) for _ in range(3))
    assert lattice.join(a, b) == lattice.join(b, a)
    assert lattice.meet(a, b) == lattice.meet(b, a)
    assert lattice.join(a, lattice.join(b, c)) == lattice.join(lattice.join(a, b), c) == lattice.join(a, b, c)
    assert lattice.meet(a, lattice.meet(b, c)) == lattice.meet(lattice.meet(a, b), c)
    assert lattice.join(a, lattice.meet(a, b)) == a == lattice.meet(a, lattice.join(a, b))
    assert lattice.below(a, b) == (lattice.join(a, b) == b) == (lattice.meet(a, b) == a)
    assert lattice.below(lattice.bottom, a)
    assert lattice.below(a, lattice.top)


def test_the_diamond_has_two_labels_that_do_not_compare():
    assert not DIAMOND.below("mid", "left")
    assert not DIAMOND.below("left", "mid")
    assert DIAMOND.join("mid", "left") == "high"
    assert DIAMOND.meet("mid", "left") == "low"
    assert (DIAMOND.bottom, DIAMOND.top) == ("low", "high")


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), min_size=1, max_size=8))
def test_whatever_is_accepted_is_a_lattice(pairs):
    try:
        lattice = read_lattice(", ".join(f"{low} < {high}" for low, high in pairs))
    except InvalidInput as error:
        assert error.code in ("W101", "W102", "W103")  # noqa: PT017  # either outcome is right, but not any error
        return
    for a, b in itertools.product(lattice.labels, repeat=2):
        assert not (a != b and lattice.below(a, b) and lattice.below(b, a))
        above = [each for each in lattice.labels if lattice.below(a, each) and lattice.below(b, each)]
        assert all(lattice.below(lattice.join(a, b), each) for each in above)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "W101"),
        ("low", "W101"),
        ("low < ", "W101"),
        ("low <= high", "W101"),
        ("low < hi gh", "W101"),
        (" < ".join(f"l{i}" for i in range(50)), "W101"),
        ("a < b < a", "W102"),
        ("a < a", "W102"),
        ("a < b < c, c < d < b", "W102"),
        ("a < b, c < d", "W103"),
        ("a < b, a < c", "W103"),
        ("o < a < t, o < b < t, o < u, a < u, b < u, t < z, u < z", "W103"),
    ],
)
def test_orders_that_are_no_lattice(text, code):
    with pytest.raises(InvalidInput) as caught:
        read_lattice(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("decorator", "code"),
    [
        ("@flow(x='hidden')", "W104"),
        ("@flow(lattice='low < high', x='secret')", "W104"),
        ("@flow(lattice='low < high < low', x='low')", "W102"),
        ("@flow(lattice=3, x='low')", "W101"),
        ("@flow(lattice='low < high', lattice_='low')", "P162"),
        ("@flow(y='secret')", "P162"),
        ("@flow(lattice='low < high')", "P169"),
    ],
)
def test_refusals_show_the_place(decorator, code):
    with pytest.raises(InvalidProgram) as caught:
        parse_text(f"from lapwing import flow\n\n\n{decorator}\ndef f(x: int) -> int:\n    return x\n")
    assert caught.value.code == code
    assert "4:" in str(caught.value)


def test_a_parameter_cannot_be_called_lattice_where_there_is_one():
    with pytest.raises(InvalidProgram) as caught:
        parse_text("from lapwing import flow\n@flow(lattice='a < b')\ndef f(lattice: int) -> int:\n    return 0\n")
    assert caught.value.code == "W105"


def test_labels_that_nobody_wrote():
    text = "from lapwing import flow, mechanism, each\n@mechanism(q=each(1))\n@flow(x='secret')\n"
    labels = policy(parse_text(f"{text}def f(q: list[int], x: int, y: int) -> int:\n    return 0\n")["f"])
    assert labels.labels == {"q": "secret", "x": "secret", "y": "public"}
    assert labels.result == "public"
    assert labels.length_visible("q")
    assert not labels.visible("q")


def test_the_answer_is_no_parameter():
    """One label would be said of both: of the parameter, and of what anybody may see."""
    with pytest.raises(InvalidProgram, match="P170"):
        parse_text(
            'from lapwing import flow\n\n@flow(result="secret")\ndef f(result: int) -> int:\n    return result\n'
        )
