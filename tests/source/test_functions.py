"""Functions among the parameters: how they are read, and how a run asks them."""

import pytest

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.source.original import Source
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from lapwing.source.run import Runnable
from tests.search.privacy.adaptive import RIGHT, program


def runnable(text):
    return Runnable("m", Source(text, "m.py"))


@pytest.mark.parametrize("name", RIGHT)
def test_it_reads_back(name):
    module = parse_text(RIGHT[name], "m.py")
    assert parse_text(show_module(module), "m.py") == module


def test_the_function_is_told_floors_in_lists_of_its_own():
    told = []

    def ask(out):
        told.append(list(out))
        out.append("changed")
        return 0

    answer = runnable(RIGHT["laplace_each"])(ask, 3, 1.0)
    assert told == [answer[:0], answer[:1], answer[:2]]
    assert all(each * 2**20 == int(each * 2**20) for each in answer)


def test_it_is_asked_once_for_each_question():
    seen = []
    text = program("x = ask([1.0])\ny = ask([1.0])\nreturn x - y", claim="None")
    assert runnable(text)(lambda out: seen.append(out) or len(seen), 1.0) == -1


class Odd:
    def __call__(self, _out):
        raise RuntimeError("what it knows")


@pytest.mark.parametrize(
    "ask", [Odd(), lambda _: "no number", lambda _: float("nan"), lambda _: None, lambda _: [1, 2]]
)
def test_a_private_function_cannot_fail(ask):
    assert runnable(program("return ask([1.0])", claim="None"))(ask, 1.0) == 0


GUESS = program("return guess([1.0])", more="guess: Callable[[list[float]], float], epsilon: float", claim="None")


@pytest.mark.parametrize(("guess", "code"), [(lambda _: 1 / 0, "P218"), (lambda _: "no", "A001")])
def test_a_public_function_fails_in_public(guess, code):
    with pytest.raises(InvalidInput) as refused:
        runnable(GUESS)(lambda _: 0, guess, 1.0)
    assert refused.value.code == code


@pytest.mark.parametrize("ask", [7, None, lambda: 0, lambda _a, _b: 0])
def test_what_cannot_be_asked_is_refused_first(ask):
    with pytest.raises(InvalidInput) as refused:
        runnable(program("return ask([1.0])", claim="None"))(ask, 1.0)
    assert refused.value.code == "P205"


HEAD = "from collections.abc import Callable\nfrom lapwing import answers, each, laplace, mechanism\n"
FUNCTION = "Callable[[list[float]], float]"


@pytest.mark.parametrize(
    ("relation", "kind", "body", "code"),
    [
        ("answers(1)", "list[float]", "return 0.0", "P166"),
        ("answers(1)", "Callable[[list[float]], bool]", "return 0.0", "P166"),
        ("each(1)", FUNCTION, "return 0.0", "P166"),
        ("answers(1)", "Callable[..., float]", "return 0.0", "P130"),
        ("answers(1)", "Callable", "return 0.0", "P130"),
        ("answers(1)", "Callable[[list[float]], list[float]]", "return 0.0", "P130"),
        ("answers()", FUNCTION, "return 0.0", "P165"),
        ("answers(1)", FUNCTION, "return ask(1)", "P141"),
        ("answers(1)", FUNCTION, "return ask([1], 2)", "P140"),
        ("answers(1)", FUNCTION, "return ask", "P139"),
        ("answers(1)", FUNCTION, "return laplace(ask([1.0]))", "P183"),
    ],
)
def test_what_is_refused(relation, kind, body, code):
    text = f"{HEAD}@mechanism(ask={relation})\ndef m(ask: {kind}, epsilon: float) -> float:\n    {body}\n"
    with pytest.raises(InvalidProgram) as refused:
        parse_text(text, "m.py")
    assert refused.value.code == code


@pytest.mark.parametrize("released", ["bool", "int", "float"])
def test_a_bare_callable_is_given_what_is_released(released):
    def text(kind):
        rounds = (
            "    out = []\n    for _ in range(3):\n        out.append(ask(out) + laplace(1) >= 0)\n    return out\n"
        )
        body = (
            rounds if released == "bool" else rounds.replace(" >= 0", "") if released == "float" else "    return []\n"
        )
        return f"{HEAD}@mechanism(ask=answers(1))\ndef m(ask: {kind}, epsilon: float) -> list[{released}]:\n{body}"

    assert parse_text(text("Callable"), "m.py") == parse_text(text(f"Callable[[list[{released}]], float]"), "m.py")
