"""Where leaks hide: each of these answers tells the two inputs apart, and none may pass for seen when it is not."""

import json
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow
import pytest

import lapwing
from lapwing.audit.finding import REFUTED, TOO_FEW
from lapwing.audit.recheck import Recounted, recheck_json

pandas = pytest.importorskip("pandas")
RANDOM = random.SystemRandom()
NAMES = ("Ada", "Bo", "Cyd", "Dee", "Eve", "Fay", "Gus", "Hal")


def noise(scale=20):
    return round(RANDOM.expovariate(1 / scale) - RANDOM.expovariate(1 / scale))


def token(length):
    return "".join(RANDOM.choice("abcdefghijklmnop") for _ in range(length))


class Answer:
    def __init__(self, secret):
        self.noisy, self._secret = noise(), secret


class Slotted:
    __slots__ = ("secret",)

    def __init__(self, secret):
        self.secret = secret


def order(x):
    names = {"a": noise(), "b": noise(), "c": noise()}
    return names if x else dict(reversed(names.items()))


LEAKS = {
    "a number in a text": lambda x: f"about {noise() + 500 * x} people",
    "a word in a text": lambda x: f"{token(30)} {'Ada' if x else 'Bob'} {token(30)}",
    "the end of a long text": lambda x: f"{token(200)}{'y' if x else 'n'}",
    "a letter of a token": lambda x: f"{token(17)}{'y' if x else 'n'}{token(12)}",
    "the digits of a number in a text": lambda x: f"{noise():+06d}" if x else f"{noise():+07d}",
    "a large whole number": lambda x: 2**60 + 2 * abs(noise(10**6)) + x,
    "a very large whole number": lambda x: (10**40 + abs(noise(10**6))) * 10**20 + 5 * x,
    "a large number in a list": lambda x: [noise(), 2**55 + 4 * abs(noise()) + x],
    "parity": lambda x: 2 * noise() + x,
    "the remainder by 3": lambda x: 3 * noise() + x,
    "the remainder by 4, one bit up": lambda x: 4 * noise() + 2 * x + RANDOM.randrange(2),
    "the last digit": lambda x: 10 * noise() + (3 if x else 7),
    "the index of a frame": lambda x: pandas.DataFrame({"n": [noise(), noise()]}, index=[0, 7 if x else 8]),
    "the name of a series": lambda x: pandas.Series([noise()], name="yes" if x else "no"),
    "the type of a series": lambda x: pandas.Series([float(noise())], dtype="float32" if x else "float64"),
    "the type of a frame's column": lambda x: pandas.DataFrame({"n": np.array([noise()], dtype=f"int{32 + 32 * x}")}),
    "a column of categories": lambda x: pandas.Series([token(1)], dtype="category" if x else None),
    "the type of a column without rows": lambda x: pandas.DataFrame({"n": np.array([], dtype="int64" if x else float)}),
    "an array of objects": lambda x: np.array([float(noise())], dtype=object if x else float),
    "the type of a table's column": lambda x: pyarrow.table({"n": pyarrow.array([noise()], f"int{32 + 32 * x}")}),
    "the type of a column": lambda x: np.array([1.0, 2.0], dtype="float32" if x else "float64"),
    "the 65th number": lambda x: [noise() for _ in range(64)] + [noise() + 500 * x] + [noise() for _ in range(9)],
    "the 700th number": lambda x: [0.0] * 699 + [noise() + 500.0 * x] + [RANDOM.random()] * 200,
    "the order of keys": order,
    "the last digit of a decimal": lambda x: Decimal(f"0.{RANDOM.randrange(10**9)}0000000000000000000{x}"),
    "a fraction": lambda x: Fraction(2 * noise() + x, 2**70),
    "a name in a random list": lambda x: [*RANDOM.sample(NAMES, 4), "Zoe" if x else "Yan", *RANDOM.sample(NAMES, 2)],
    "a number in a random set": lambda x: {*RANDOM.sample(range(50), 12), 77 if x else 78},
    "a key among random ones": lambda x: dict.fromkeys([*RANDOM.sample(NAMES, 4), *(["Zoe"] if x else ["Yan"])], 1),
    "an attribute": lambda x: Answer(x),
    "a slot": lambda x: Slotted(x),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_what_hides_is_found(leak):
    finding = lapwing.audit(leak, 0, 1, epsilon=1, seconds=20, replay=False)
    assert finding.verdict == REFUTED, str(finding)


OPAQUE = {
    "an object without attributes": lambda _: object(),
    "a function": lambda x: lambda: x,
    "an iterator": lambda x: iter([x]),
    "more numbers than are looked at": lambda _: [0.0] * 3000,
    "a longer text than is looked at": lambda _: "a" * 3000,
    "opaque now and then": lambda x: iter([x]) if RANDOM.random() < 0.1 else 0.5,
    "something opaque in a dict": lambda x: {"a": noise(), "b": iter([x])},
}


@pytest.mark.parametrize("function", OPAQUE.values(), ids=OPAQUE)
def test_what_was_not_looked_at_does_not_pass_for_seen(function):
    finding = lapwing.audit(function, 0, 1, epsilon=1, seconds=1, replay=False)
    assert finding.verdict == TOO_FEW
    assert finding.could_reach == 0
    assert "not looked into" in str(finding)
    assert isinstance(recheck_json(json.loads(json.dumps(finding.to_json())))[1], Recounted)


FAIR = {
    "a text": lambda _: f"about {noise()} people called {RANDOM.choice(NAMES)}",
    "a large whole number": lambda _: 2**60 + noise(10**6),
    "a list of names": lambda _: RANDOM.sample(NAMES, 5),
    "a long list": lambda _: [RANDOM.random() for _ in range(80)],
    "a frame": lambda _: pandas.DataFrame({"n": [noise()]}, index=[RANDOM.randrange(3)]),
}


@pytest.mark.parametrize("function", FAIR.values(), ids=FAIR)
def test_what_is_the_same_on_both_sides_is_not_refuted(function):
    finding = lapwing.audit(function, 0, 1, epsilon=1, seconds=2, confidence="0.999999", replay=False)
    assert not finding.refuted, str(finding)
