"""Mechanisms run: on exact numbers, with real noise, totally on private data."""

import inspect
import math
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.errors import InvalidInput
from lapwing.kernel.program.ir import Boolean, Integer, List, PureClaim, Real
from lapwing.kernel.run.extent import BITS, BOUND
from lapwing.kernel.run.inputs import private, public
from lapwing.source import added, each, exponential, flow, laplace, load, match, mechanism, one, replaced, within
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from lapwing.source.run import Runnable
from tests.algebra.test_exact import LIARS

SCALE = 3


@mechanism(x=within(1), claim="1 / 3")
def noisy(x: float) -> float:
    """One noisy number."""
    return x + laplace(SCALE)


@mechanism(q=each(1))
def identity(q: list[float]) -> list[float]:
    return q


@mechanism(q=each("d"))
def at_distance(q: list[float], d: float) -> list[float]:
    return [x + 0 * d for x in q]


@mechanism(n=within(1))
def whole(n: int) -> int:
    return n


@mechanism(x=within(1))
def shifted(x: float, k: int) -> float:
    return twice_noisy(x) + k


@mechanism(x=within(1))
def twice_noisy(x: float) -> float:
    return noisy(x) + noisy(x)


@flow(password="secret", guess="public", result="public")  # noqa: S106  # a label, not a password
def login(password: int, guess: int) -> bool:
    return match(password, guess)


def test_is_a_function_to_look_at_and_to_call():
    assert isinstance(noisy, Runnable)
    assert noisy.__name__ == "noisy"
    assert noisy.__doc__ == "One noisy number."
    assert list(inspect.signature(noisy).parameters) == ["x"]
    assert noisy.neighbours == {"x": within(1)}
    assert isinstance(noisy.claim, PureClaim)
    assert noisy.ir.name == "noisy"


def test_answers_are_lattice_points():
    for _ in range(50):
        answer = noisy(0.3)
        assert (answer * 2**BITS).is_integer()
        assert (noisy.run({"x": 0.3}, bits=2) * 4).is_integer()
    assert len({noisy(0) for _ in range(50)}) > 40


def test_answers_leave_by_floor():
    assert identity.run({"q": [0.3, -0.3, 2, Fraction(1, 3)]}, bits=2) == [0.25, -0.5, 2.0, 0.25]
    assert whole(2.9) == 2
    assert whole(-0.5) == -1


@given(st.fractions(-(10**9), 10**9), st.fractions(0, 10))
def test_private_numbers_are_taken_as_they_are(x, distance):
    left, right = (private(value, Real(), "x") for value in (x, x + distance))
    assert (left, right - left) == (x, distance)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_float_is_the_number_it_shows(x):
    assert private(x, Real(), "x") == Fraction(repr(x))


@given(st.floats(-1e6, 1e6), st.integers(0, 60))
def test_an_answer_is_the_floor_on_multiples_of_the_fineness(x, bits):
    (answer,) = identity.run({"q": [x]}, bits=bits)
    floor = Fraction((Fraction(repr(x)) * 2**bits).__floor__(), 2**bits)
    assert answer == float(floor)


def test_a_noisy_answer_is_floored_not_rounded():
    @mechanism(x=within(1))
    def around(x: float, scale: float) -> tuple[float, float]:
        return (x + exponential(scale), x - exponential(scale))

    assert around(0.5, Fraction(1, 2**200)) == (0.5, 0.5 - 2**-20)
    assert around.run({"x": 0.5, "scale": Fraction(1, 2**200)}, bits=3) == (0.5, 0.375)


@pytest.mark.parametrize(("bits", "code"), [(-1, "A108"), (1.5, "A108"), (1075, "P215"), (10**9, "P215")])
def test_a_fineness_that_is_none(bits, code):
    with pytest.raises(InvalidInput, match=code):
        noisy.run({"x": 0}, bits=bits)


ODD = [math.nan, math.inf, -math.inf, 1e300, None, "text", object(), [1], 10**400, np.float32("nan"), np.array([1]), 1j]


@pytest.mark.parametrize("value", ODD, ids=[f"{type(value).__name__}{i}" for i, value in enumerate(ODD)])
def test_no_private_number_makes_a_run_fail(value):
    (answer,) = identity([value])
    assert isinstance(answer, float)
    assert not math.isnan(answer)
    assert -BOUND <= private(value, Real(), "x") <= BOUND
    assert isinstance(whole(value), int)
    assert isinstance(private(value, Boolean(), "x"), bool)
    assert private([value], List(List(Integer())), "x") is not None


def test_bug_15_not_a_number_counts_as_zero_and_does_not_void_the_noise():
    assert identity([math.nan]) == [0.0]
    assert math.isfinite(noisy(math.nan))
    assert identity([np.float32("inf")]) == [math.inf]  # 2^1024, which no float holds
    assert identity([math.inf, -math.inf]) == [math.inf, -math.inf]
    assert private(math.inf, Real(), "x") == BOUND


def test_numpy_inputs():
    assert identity(np.array([1.5, 2.0])) == [1.5, 2.0]
    assert whole(np.int64(7)) == 7
    assert at_distance([1], np.float64(0.5)) == [1.0]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "P211"),
        (([1], 1, 2), "P211"),
        ((3, 1), "P205"),
        (("abc", 1), "P205"),
        (([1], math.nan), "A001"),
        (([1], "x"), "A001"),
    ],
)
def test_bad_public_inputs_and_shapes(arguments, code):
    with pytest.raises(InvalidInput, match=code):
        at_distance(*arguments)


def test_unknown_and_doubled_keywords():
    for keywords in ({"y": 1}, {"x": 1, "z": 2}):
        with pytest.raises(InvalidInput, match="P211"):
            noisy(**keywords)
    with pytest.raises(InvalidInput, match="P211"):
        noisy(1, x=1)


def test_public_types_are_checked():
    with pytest.raises(InvalidInput, match="P205"):
        shifted(1, 2.5)
    with pytest.raises(InvalidInput, match="A001"):
        shifted(1, True)


@pytest.mark.parametrize("distance", ["0.1", "1/3", 0, 10**20])
def test_any_distance_of_0_or_more_will_do(distance):
    assert at_distance([1], distance) == [1]


def test_a_distance_below_0_is_refused():
    with pytest.raises(InvalidInput, match="P212"):
        at_distance([1], -1)


def test_whole_numbers_are_a_whole_distance_apart():
    @mechanism(n=within("d"))
    def counted(n: int, d: float) -> int:
        return n + 0 * len([d])

    assert counted(3, 2) == 3
    with pytest.raises(InvalidInput, match="P212"):
        counted(3, 0.5)
    # two numbers half apart, whose floors are further apart than that
    left, right = (private(each, Integer(), "n") for each in (0.75, 1.25))
    assert right - left > 0.5


def test_mechanisms_call_mechanisms():
    assert shifted.module["shifted"].body[0].mechanism == "twice_noisy"
    assert [each.name for each in shifted.module] == ["noisy", "twice_noisy", "shifted"]
    assert isinstance(shifted(1, 2), float)


def test_mechanisms_inside_functions():
    @mechanism(x=replaced())
    def inner(x: bool) -> bool:
        return not x

    @mechanism(x=replaced())
    def outer(x: bool) -> bool:
        return inner(x)

    assert outer(False) is True


def test_flow_labels_make_parameters_private():
    assert login(1234, 1234) is True
    assert login(math.nan, 5) is False
    with pytest.raises(InvalidInput, match="A001"):
        login(5, math.nan)


def test_a_run_that_goes_on_too_long(tmp_path):
    path = tmp_path / "loops.py"
    path.write_text("@mechanism(x=within(1))\ndef f(x: float) -> float:\n    while True:\n        x += 1\n")
    with pytest.raises(InvalidInput, match="P206"):
        load(path, "f").run({"x": 1}, steps=1000)


def test_loading_runs_nothing_in_the_file(tmp_path):
    path = tmp_path / "danger.py"
    path.write_text(
        "raise SystemExit\n@mechanism(x=within(1))\ndef f(x: float) -> float:\n    'Doc.'\n    return x + 1\n"
    )
    runnable = load(path, "f")
    assert runnable(1) == 2
    assert runnable.__doc__ == "Doc."


def test_sums_are_exact_in_any_order():
    @mechanism(q=one(1))
    def total(q: list[float]) -> float:
        return sum(q)

    values = [0.5, 1e15, -1e15, 0.25] * 3
    assert total(values) == total(values[::-1]) == 2.25


def test_answers_too_large_for_a_float():
    @mechanism(x=within(1))
    def huge(x: float, k: int) -> float:
        i = 0
        while i < k:
            x = x * x
            i += 1
        return x

    assert huge(10, 12) == math.inf


def test_lengths_under_added_may_differ():
    @mechanism(rows=added())
    def count(rows: list[bool]) -> int:
        return len(rows)

    assert count([]) == 0
    assert count([True, 0, None]) == 3


def test_source_that_is_not_there():
    space = {"mechanism": mechanism, "within": within}
    with pytest.raises(InvalidInput, match="P107"):
        exec("@mechanism(x=within(1))\ndef f(x: float) -> float:\n    return x\n", space)  # noqa: S102  # no source file


def test_decorators_on_something_else():
    with pytest.raises(InvalidInput, match="P213"):
        mechanism(x=within(1))(print)
    with pytest.raises(InvalidInput, match="P165"):
        mechanism(x=1)


@pytest.mark.parametrize(
    ("returns", "value"),
    [
        ("bool", "([] if x > 0 else [False])[0]"),
        ("int", "len(([] if x > 0 else [[1.0]])[0])"),
        ("bool", "([[]] if x > 0 else [[False]])[0][0]"),
        ("bool", "(([] if x > 0 else [(0.5, False)])[0])[1]"),
        ("bool", "([] if x > 0 else [not b for b in [True]])[0]"),
        ("bool", "(nothing if x > 0 else [False])[0]"),
    ],
)
def test_reading_outside_a_list_that_may_be_empty(returns, value):
    text = f"@mechanism(x=within(1))\ndef f(x: float) -> {returns}:\n    nothing = []\n    return {value}\n"
    runnable = Runnable("f", Source(text))
    assert parse_text(show_module(runnable.module)) == runnable.module
    inside, outside = runnable(-1), runnable(1)
    assert type(inside) is type(outside) is (bool if returns == "bool" else int)
    assert outside == 0


def test_unpacking_a_tuple_read_outside_a_list():
    @mechanism(x=within(1))
    def unpacked(x: float) -> tuple[float, bool]:
        a, b = ([] if x > 0 else [(1.5, True)])[0]
        return (a, b)

    assert unpacked(-1) == (1.5, True)
    assert unpacked(1) == (0, False)


def test_long_work_is_given_up():
    @mechanism(x=within(1))
    def squares(x: float) -> float:
        for _ in range(45):
            x = x * x
        return x

    @mechanism(x=within(1))
    def rounds(x: float) -> int:
        return sum([1 for i in range(1000000000 if x > 0 else 1)])

    for long in (squares, rounds):
        long(0)
        with pytest.raises(InvalidInput, match="P206"):
            long.run({"x": 3.5}, steps=100_000)


def test_private_numbers_of_every_size_are_read():
    large = [
        "inf",
        Decimal("Infinity"),
        Decimal("1E+999999"),
        "1e999999",
        "9" * 6000,
        np.longdouble("inf"),
        2**1024,
        10**400,
    ]
    for value in large:
        assert private(value, Real(), "x") == BOUND, str(value)[:20]
    for value in ("-inf", Decimal("-Infinity"), "-1e999999", -math.inf):
        assert private(value, Real(), "x") == -BOUND
    for value in ("nan", Decimal("NaN"), Decimal("sNaN"), "1/0", "x", "", object(), None):
        assert private(value, Real(), "x") == 0
    # floor: what is just below a lattice point goes down, however many digits say so
    assert private("0." + "9" * 3000, Integer(), "x") == 0
    assert private("-0." + "0" * 3000 + "1", Integer(), "x") == -1
    assert private(Decimal("-1E-999999"), Integer(), "x") == -1


def test_arrays_inside_private_lists_are_lists():
    rows = [np.array([1.0, 2.0]), (3,), 4, np.array(5.0)]
    assert private(rows, List(List(Real())), "rows") == ((1, 2), (3,), (), ())


def test_a_public_number_that_is_none_names_its_parameter():
    for value in (Decimal("Infinity"), "x", None, True):
        with pytest.raises(InvalidInput, match=r"A001 k is"):
            shifted(1, value)
    with pytest.raises(InvalidInput, match=r"P190 a str that is no finite number") as caught:
        within(1).broken("secret", 1)
    assert "secret" not in str(caught.value)


class LyingList(list):
    """Says that it holds another number."""

    def __iter__(self):
        return iter([10**9])

    def __len__(self):
        return 1

    def tolist(self):
        return [10**9]


class LyingTuple(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter([10**9])


@pytest.mark.parametrize("read", [public, private])
def test_subclasses_are_read_as_what_they_hold(read):
    for liar in (LyingList([1, 2]), LyingTuple((1, 2))):
        assert read(liar, List(Integer()), "q") == (1, 2)
    for liar in LIARS:
        (found,) = read([liar], List(Real()), "q")
        assert type(found) in (int, Fraction)
        assert found == (3 if isinstance(liar, int) else Fraction(3, 4))


def test_an_index_too_long_to_print_is_refused_like_any_other(tmp_path):
    path = tmp_path / "far.py"
    path.write_text(
        "from lapwing import flow\n\n@flow(s='secret')\ndef f(s: int, q: list[int], k: int) -> int:\n    return q[k]\n"
    )
    with pytest.raises(InvalidInput, match="P202 index 1e5000… is outside a list of 1"):
        load(path, "f")(1, [1], 10**5000)


def test_threads_share_a_mechanism():
    @mechanism(q=each(1))
    def compared(q: list[float]) -> list[bool]:
        drawn = [x + laplace(1) for x in q]
        return [x > 0 for x in drawn]

    answers = []
    threads = [threading.Thread(target=lambda: answers.append(compared([100, -100] * 50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[True, False] * 50] * 8
