"""Feasible sets: the definition of Fredrikson, lecture 18, by hand; its example, and a PIN checker."""

from fractions import Fraction
from math import log2
from pathlib import Path

import pytest

from lapwing.errors import InvalidInput
from lapwing.search.flow import paths
from lapwing.search.flow.attack import Attack, efforts
from lapwing.search.flow.feasible import Domain, feasible, logarithm, secrets
from lapwing.search.flow.paths import formula
from lapwing.source.parse import parse_file, parse_text

FOLDER = Path(__file__).resolve().parents[3] / "corpus" / "flow"
PINS = {"pin": Domain(0, 10_000)}


def program(name):
    return parse_file(FOLDER / f"{name}.py")


def text(body, head="s='secret'"):
    return parse_text(f"from lapwing import flip, flow, match\n@flow({head})\ndef f({body}")


def test_seeds_000_randomized_response():
    # "in terms of feasible sets … the attacker must be completely uncertain": Ω is everything, and yet 3/4 against 1/4
    module = program("randomized_response")
    for seen in (False, True):
        found = feasible(module, "randomized_response", {}, seen, secrets(module["randomized_response"], {}))
        assert found.agreeing == {(seen,): Fraction(3, 4), (not seen,): Fraction(1, 4)}
    assert found.vulnerability == Fraction(3, 2)
    entropy = -(3 / 4) * log2(3 / 4) - (1 / 4) * log2(1 / 4)
    assert float(found.shannon) == pytest.approx(1 - entropy, abs=1e-12)
    assert float(found.left) == pytest.approx(log2(4 / 3), abs=1e-12)


@pytest.mark.parametrize("p", ["1 / 3", "1 / 2", "4 / 5"])
def test_seeds_000_tradeoff(p):
    # Pr[RandResp(0) = 0] = p + (1-p)^2, Pr[RandResp(1) = 1] = 2p - p^2
    body = f"s: bool) -> bool:\n    if flip({p}):\n        o = s\n    else:\n        o = flip({p})\n    return o\n"
    module, q = text(body), Fraction(p.replace(" ", ""))
    zero = feasible(module, "f", {}, False, secrets(module["f"], {}))
    one = feasible(module, "f", {}, True, secrets(module["f"], {}))
    assert zero.agreeing[False,] == q + (1 - q) ** 2
    assert one.agreeing[True,] == 2 * q - q**2


def test_the_definition_on_a_pin():
    module = program("pin_guess")
    domain = secrets(module["pin_guess"], PINS)
    missed = feasible(module, "pin_guess", {"guess": Fraction(1234)}, False, domain)
    assert len(missed.agreeing) == 9999
    assert (Fraction(1234),) not in missed.agreeing
    hit = feasible(module, "pin_guess", {"guess": Fraction(1234)}, True, domain)
    assert list(hit.agreeing) == [(Fraction(1234),)]
    assert hit.left.lower == hit.left.upper == 0
    told = log2(10_000) - (9999 / 10_000) * log2(9999)
    assert float(hit.shannon) == pytest.approx(told, abs=1e-9)
    assert hit.min_entropy_leakage.lower == 1  # two answers: one bit, exactly


def test_a_program_without_flow_tells_nothing():
    module = program("balanced_loop")
    found = feasible(
        module,
        "balanced_loop",
        {"n": Fraction(3)},
        Fraction(3),
        secrets(module["balanced_loop"], {"hidden": Domain(-9, 9)}),
    )
    assert len(found.agreeing) == found.secrets == 18
    assert found.shannon.lower == found.shannon.upper == found.min_entropy_leakage.upper == 0


def test_an_explicit_flow_tells_everything():
    module = program("explicit_flow")
    found = feasible(
        module, "explicit_flow", {}, Fraction(4), secrets(module["explicit_flow"], {"salary": Domain(0, 8)})
    )
    assert list(found.agreeing) == [(Fraction(3),)]
    assert float(found.shannon) == pytest.approx(3, abs=1e-12)
    assert found.min_entropy_leakage.lower == 3


def test_a_run_that_never_ends_is_an_observation():
    module = program("termination")
    found = feasible(module, "termination", {}, None, secrets(module["termination"], {"hidden": Domain(-2, 3)}))
    assert sorted(found.agreeing) == [(Fraction(1),), (Fraction(2),)]


def test_lists_and_several_secrets():
    module = text("s: list[int], t: bool) -> int:\n    return s[0] + s[1] if t else 0\n", "s='secret', t='secret'")
    found = feasible(module, "f", {}, Fraction(2), secrets(module["f"], {"s": Domain(0, 3, 2)}))
    assert found.secrets == 18
    assert len(found.agreeing) == 3  # (0, 2), (1, 1), (2, 0), with t


@pytest.mark.parametrize(
    ("domains", "code"),
    [({}, "W121"), ({"s": Domain(0, 10**6)}, "W123"), ({"s": Domain(0, 10, 3)}, "W125"), ({"s": Domain(3, 3)}, "W123")],
)
def test_domains_that_cannot_be_counted(domains, code):
    with pytest.raises(InvalidInput) as caught:
        secrets(text("s: int) -> int:\n    return s\n")["f"], domains)
    assert caught.value.code == code


def test_nothing_hidden():
    with pytest.raises(InvalidInput) as caught:
        secrets(text("s: int) -> int:\n    return s\n", "s='public'")["f"], {})
    assert caught.value.code == "W122"


@pytest.mark.parametrize("number", [Fraction(1), Fraction(8), Fraction(1, 4), Fraction(3), Fraction(10, 7)])
def test_logarithm(number):
    found = logarithm(number)
    assert float(found) == pytest.approx(log2(number), abs=1e-12)
    assert found.lower <= found.upper


# --- formulas --------------------------------------------------------------------------------------------

COUNTING = "    k = 0\n    for i in range({count}):\n        if {test}:\n            k += 1\n    return k\n"
BODIES = [
    ("s: int, p: int) -> bool:\n    return match(s, p)\n", (False, True)),
    ("s: int, p: int) -> bool:\n    return s >= p and s < p + 3\n", (False, True)),
    ("s: int, p: int) -> int:\n    return abs(s - p)\n", range(4)),
    ("s: int, p: int) -> int:\n    return clip(s, 0, p)\n", range(4)),
    (f"s: int, p: int) -> int:\n{COUNTING.format(count='p', test='s > i')}", range(4)),
    (
        "s: int, p: int) -> int:\n    for i in range(3):\n        if i * i == s:\n            return i\n    return p\n",
        range(4),
    ),
]


@pytest.mark.parametrize(("body", "answers"), BODIES)
def test_a_formula_says_what_counting_says(body, answers):
    module = parse_text(f"from lapwing import clip, flow, match\n@flow(s='secret')\ndef f({body}")
    domain = secrets(module["f"], {"s": Domain(-6, 9)})
    for p in (0, 1, 3):
        for seen in answers:
            value = seen if isinstance(seen, bool) else Fraction(seen)
            counted = feasible(module, "f", {"p": Fraction(p)}, value, domain).agreeing
            text = formula(module["f"], {"p": Fraction(p)}, value)
            described = {(s,) for (s,) in domain if eval(text, {"s": s, "abs": abs})}  # noqa: S307  # our own formula
            assert described == set(counted), text


def test_a_formula_is_short():
    module = text(f"s: float, n: int) -> int:\n{COUNTING.format(count='n', test='s >= 1000 * i')}")
    assert formula(module["f"], {"n": Fraction(5)}, Fraction(3)) == "s >= 2000 and s < 3000"
    assert formula(module["f"], {"n": Fraction(5)}, Fraction(9)) == "False"


def test_no_formula_where_paths_do_not_end():
    with pytest.raises(InvalidInput) as caught:
        formula(
            text("s: int) -> int:\n    k = s\n    while k > 0:\n        k -= 1\n    return k\n")["f"], {}, Fraction(0)
        )
    assert caught.value.code == "W128"


def test_no_formula_where_there_is_noise():
    with pytest.raises(InvalidInput) as caught:
        formula(text("s: bool) -> bool:\n    return s != flip(1 / 2)\n")["f"], {}, True)
    assert caught.value.code == "W128"


def test_an_input_that_a_run_refuses_has_no_feasible_set():
    module = text("s: int, q: list[int], k: int) -> int:\n    return q[k] + s * 0\n")
    public = {"q": (Fraction(1),), "k": Fraction(5)}
    with pytest.raises(InvalidInput, match="P202"):
        feasible(module, "f", public, Fraction(0), secrets(module["f"], {"s": Domain(0, 3)}))
    with pytest.raises(InvalidInput, match="P202"):
        formula(module["f"], public, Fraction(0))
    assert formula(module["f"], {**public, "k": Fraction(-1)}, Fraction(1)) == "True"


def test_a_formula_is_not_looked_for_without_end(monkeypatch):
    monkeypatch.setattr(paths, "SECONDS", 0.0)
    with pytest.raises(InvalidInput, match=r"W128 .*the time limit passed"):
        formula(text("s: int) -> int:\n    return 1 if s > 3 else 0\n")["f"], {}, Fraction(1))


# --- guessing --------------------------------------------------------------------------------------------


def test_theorem_1_match_takes_exponentially_many_guesses():
    module = program("pin_guess")
    table = efforts(Attack(module, "pin_guess", "guess", 0, 2, {}), "pin", range(1, 7))
    for effort in table:
        secrets_of_size = 2**effort.bits
        assert effort.worst == effort.worst_matches == secrets_of_size - 1
        assert (
            effort.mean
            == effort.mean_matches
            == Fraction((secrets_of_size - 1) * (secrets_of_size + 2), 2 * secrets_of_size)
        )
    assert [effort.least for effort in table] == [1, 3, 7, None, None, None]  # of all strategies, tried one by one


def test_an_ordering_takes_as_many_guesses_as_bits():
    for name in ("pin_higher", "match_of_a_bit"):
        module = program(name)
        secret = "pin" if name == "pin_higher" else "passcode"
        table = efforts(Attack(module, name, "guess", 0, 2, {}), secret, range(1, 7))
        assert [effort.worst for effort in table] == [1, 2, 3, 4, 5, 6]
        assert [effort.least for effort in table[:3]] == [1, 2, 3]


def test_transfer_evaluates_match_exponentially_often():
    # Theorem 1: a program that always moves the secret to its result
    module = program("transfer")
    attack = Attack(module, "transfer", "limit", 0, 2, {})
    table = efforts(attack, "hidden", range(1, 6))
    assert all(effort.worst_matches >= 2 ** (effort.bits - 1) for effort in table)


def test_the_set_shrinks_by_one_or_by_half():
    domain = secrets(program("pin_guess")["pin_guess"], PINS)
    slowly = Attack(program("pin_guess"), "pin_guess", "guess", 0, 10_000, {}).shrinking(domain, 5)
    assert [asked.left for asked in slowly] == [9999, 9998, 9997, 9996, 9995]
    fast = Attack(program("pin_higher"), "pin_higher", "guess", 0, 10_000, {}).shrinking(domain, 99)
    assert len(fast) == 14
    assert fast[-1].left == 1


def test_questions_that_tell_nothing():
    module = text("s: int, p: int) -> int:\n    return p + s * 0\n")
    attack = Attack(module, "f", "p", 0, 8, {})
    assert attack.shrinking(secrets(module["f"], {"s": Domain(0, 8)}), 5) == []
    assert attack.effort(3, secrets(module["f"], {"s": Domain(0, 8)})).worst is None


@pytest.mark.parametrize(("guess", "code"), [("s", "W126"), ("nobody", "W126")])
def test_what_an_attacker_cannot_choose(guess, code):
    with pytest.raises(InvalidInput) as caught:
        Attack(text("s: int, p: int) -> int:\n    return p\n"), "f", guess, 0, 8, {})
    assert caught.value.code == code


def test_noise_splits_no_set():
    with pytest.raises(InvalidInput) as caught:
        Attack(text("s: bool, p: int) -> bool:\n    return s != flip(1 / 2)\n"), "f", "p", 0, 8, {})
    assert caught.value.code == "W127"


def test_a_guess_that_a_run_refuses_tells_nothing():
    text = (
        "from lapwing import flow\n\n\n@flow(pin='secret')\ndef f(pin: int, guess: int, steps: list[int]) -> bool:\n"
        "    return pin >= steps[guess]\n"
    )
    attack = Attack(parse_text(text), "f", "guess", 0, 6, {"steps": (Fraction(1), Fraction(2), Fraction(3))})
    domain = [(Fraction(each),) for each in range(4)]
    assert [asked.left for asked in attack.shrinking(domain, 10)] == [2, 1]
    assert attack.effort(2, domain).worst == 2
