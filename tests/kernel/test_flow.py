"""Evidence of flow is examined, not believed: forged certificates and damaged witnesses are rejected."""

import dataclasses
from fractions import Fraction
from pathlib import Path

import pytest

from lapwing.decide.texts import check_flow
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.flow import (
    Answers,
    Chances,
    Composition,
    Enumeration,
    Fact,
    FlowCertificate,
    FlowWitness,
    Typing,
    flow_from_json,
)
from lapwing.kernel.flow import Confirmed
from lapwing.kernel.flow.derived_labels import derive
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.search.flow import composition
from lapwing.search.flow.decide import analyse
from lapwing.search.flow.typing import typed
from lapwing.source.parse import parse_text
from tests.search.flow.generate import programs

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "flow"
NAMED = {"kind": "flow-certificate", "file": "f.py", "function": "f", "source": "0"}
HEAD = "from lapwing import flip, flow, match\n\n\n@flow(s='secret', p='public', result='public')\n"


def corpus(expect):
    paths = sorted(FOLDER.glob("*.py"))
    return [path for path in paths if path.read_text().startswith(f"#: expect {expect}\n")]


def certificate(text, name, proof, match=False):
    return FlowCertificate("f.py", name, fingerprint(parse_text(text), name), match, proof)


def guessed(module, name):
    """Every fact that a searcher might suggest, whether it holds or not."""
    return tuple(fact for fact in composition.guessed(module[name]) if fact.kind == "same")


@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("path", corpus("leak"), ids=lambda path: path.stem)
def test_no_forged_certificate_of_a_leak_is_accepted(path, match):
    text, name = path.read_text(), path.stem
    module = parse_text(text)
    proofs = [
        typed(module, name, match=match).proof,
        Typing(
            tuple((variable, "public", "public") for variable, _, _ in typed(module, name, match=False).proof.labels)
        ),
        Composition(()),
        Composition(guessed(module, name)),
        Enumeration((False, True)),
        Enumeration(()),
    ]
    for proof in proofs:
        assert isinstance(check_flow(certificate(text, name, proof, match), text, milliseconds=500), Rejected), proof


@pytest.mark.parametrize("path", corpus("only by match"), ids=lambda path: path.stem)
def test_a_flow_by_match_is_not_passed_off_as_no_flow(path):
    text, name = path.read_text(), path.stem
    module = parse_text(text)
    for proof in (typed(module, name, match=True).proof, Composition(()), Composition(guessed(module, name))):
        assert isinstance(check_flow(certificate(text, name, proof, match=False), text), Rejected)


def test_hidden_lists_differ_between_the_runs():
    text = f"{HEAD}def f(s: list[int], p: int) -> int:\n    return s[p]\n"
    assert isinstance(check_flow(certificate(text, "f", Composition(())), text), Rejected)


def test_facts_are_demanded_before_the_first_round_and_after_each():
    text = f"{HEAD}def f(s: int, p: int) -> int:\n    x = s\n    for _ in range(p):\n        x = p\n    return x\n"
    assert isinstance(check_flow(certificate(text, "f", Composition((Fact(1, "same", "x"),))), text), Rejected)
    text = f"{HEAD}def f(s: int, p: int) -> int:\n    x = 0\n    for _ in range(p):\n        x = s\n    return x\n"
    assert isinstance(check_flow(certificate(text, "f", Composition((Fact(1, "same", "x"),))), text), Rejected)
    zero = Composition((Fact(1, "equals", "x", Fraction(0)),))
    assert isinstance(check_flow(certificate(text, "f", zero), text), Rejected)


@pytest.mark.parametrize(
    "fact",
    [Fact(2, "same", "x"), Fact(1, "same", "nothing"), Fact(1, "at most", "b", Fraction(1)), Fact(1, "same", "s")],
)
def test_facts_about_nothing_are_rejected(fact):
    body = "    x = 0\n    b = True\n    for _ in range(p):\n        x += 1\n    return x + s * 0\n"
    text = f"{HEAD}def f(s: int, p: int) -> int:\n{body}"
    good = (Fact(1, "same", "x"),)
    assert isinstance(check_flow(certificate(text, "f", Composition(good)), text), Confirmed)
    assert isinstance(check_flow(certificate(text, "f", Composition((*good, fact))), text), Rejected)


def test_whether_a_loop_ends_must_be_shown():
    body = "    while s > 0:\n        x = 1\n    return 0\n"
    text = f"{HEAD}def f(s: int, p: int) -> int:\n    x = 0\n{body}"
    facts = Composition((Fact(1, "same", "x"), Fact(1, "at least", "x", Fraction(0))))
    assert isinstance(check_flow(certificate(text, "f", facts), text), Rejected)


def test_another_source_is_rejected():
    text = f"{HEAD}def f(s: int, p: int) -> int:\n    return p\n"
    good = certificate(text, "f", Typing(()))
    assert isinstance(check_flow(good, text), Confirmed)
    assert isinstance(check_flow(good, text.replace("return p", "return s")), Rejected)
    assert isinstance(check_flow(good, text.replace("p='public'", "p='secret'")), Rejected)


@pytest.mark.parametrize("match", [False, True])
def test_two_derivations_of_labels_agree(match):
    for text in programs(120, loops=True, noise=True, match=True):
        module = parse_text(text)
        found, derived = typed(module, "f", match=match), derive(module, "f", match=match)
        assert found.labels == derived.labels, text
        assert found.holds == (derived.problem is None), text
        assert found.checks == derived.checks, text


# --- witnesses -------------------------------------------------------------------------------------------


def witness(body="    return s + p\n"):
    text = f"{HEAD}def f(s: int, p: int) -> int:\n{body}"
    return text, analyse(parse_text(text), "f", "f.py").evidence


def test_damaged_witnesses_are_rejected():
    text, good = witness()
    assert isinstance(good, FlowWitness)
    assert isinstance(check_flow(good, text), Confirmed)
    one = Fraction(1)
    damaged = [
        {"left": good.right, "right": good.left},
        {"left": good.right},
        {"right": {**good.right, "p": good.right["p"] + 1}},
        {"right": {"s": good.right["s"]}},
        {"right": {**good.right, "s": True}},
        {"right": {**good.right, "s": one / 3}},
        {"right": {**good.right, "s": Fraction(2**60)}},
        {"observed": Answers(good.observed.left, None)},
        {"observed": Answers(good.observed.left, good.observed.left)},
        {"observed": Answers(good.observed.left + 1, good.observed.right)},
        {"observed": Chances(good.observed.left, one, Fraction(0)), "left": good.right},
        {"source": "0" * 64},
    ]
    for change in damaged:
        assert isinstance(check_flow(dataclasses.replace(good, **change), text), Rejected), change


def test_true_is_not_one():
    text = f"{HEAD}def f(s: bool, p: int) -> bool:\n    return s\n"
    good = analyse(parse_text(text), "f", "f.py").evidence
    wrong = dataclasses.replace(good, observed=Answers(Fraction(0), Fraction(1)))
    assert isinstance(check_flow(good, text), Confirmed)
    assert isinstance(check_flow(wrong, text), Rejected)


def test_what_match_may_tell_is_no_leak():
    text = f"{HEAD}def f(s: int, p: int) -> bool:\n    return match(s, p)\n"
    source = fingerprint(parse_text(text), "f")
    sides = [{"s": Fraction(value), "p": Fraction(1)} for value in (0, 1)]
    told = FlowWitness("f.py", "f", source, *sides, Answers(False, True))
    assert "authorisation check" in check_flow(told, text).reason


def test_a_run_that_takes_long_is_not_taken_for_endless():
    text = f"{HEAD}def f(s: int, p: int) -> int:\n    x = 0\n    while s > 0:\n        x += 1\n    return 0\n"
    source = fingerprint(parse_text(text), "f")
    sides = [{"s": Fraction(value), "p": Fraction(0)} for value in (0, 1)]
    forged = FlowWitness("f.py", "f", source, *sides, Answers(Fraction(0), None))
    assert isinstance(check_flow(forged, text), Rejected)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "flow-certificate"},
        {"kind": "flow-witness", "file": 1},
        {**NAMED, "match": 1, "method": "typing", "proof": {"labels": []}},
        {**NAMED, "match": True, "method": "other", "proof": {}},
        {**NAMED, "match": True, "method": "typing", "proof": {"labels": [["x", "public"]]}},
        {
            **NAMED,
            "match": False,
            "method": "composition",
            "proof": {"facts": [{"loop": 0, "fact": "same", "of": "x"}]},
        },
        {**NAMED, "match": False, "method": "composition", "proof": {"facts": [{"loop": 1, "fact": "odd", "of": "x"}]}},
    ],
)
def test_malformed_evidence_is_refused(data):
    with pytest.raises(InvalidInput) as caught:
        flow_from_json(data)
    assert caught.value.code == "W110"


def test_other_evidence_is_left_to_others():
    assert flow_from_json({"kind": "witness"}) is None
    assert flow_from_json([]) is None


@pytest.mark.parametrize("name", ["match_unseen_guess", "match_sideways"])
def test_a_guess_that_the_reader_may_not_see_is_no_guess(name):
    text = (FOLDER / f"{name}.py").read_text()
    module = parse_text(text)
    assert not derive(module, name, match=True).checks
    assert not typed(module, name, match=True).checks
    for proof in (Composition(()), Typing(())):
        assert isinstance(check_flow(certificate(text, name, proof, match=True), text), Rejected)


# --- witnesses of runs that never end, and of questions -------------------------------------------------------

LOOPS = {
    "turns back and forth": ("    i = 0\n    while s == 1:\n        i = 1 - i\n    return p\n", True),
    "turns in threes": ("    i = 0\n    while s == 1:\n        i = (i + 1) % 3\n    return p\n", True),
    "grows": ("    xs = [p]\n    while s == 1:\n        xs.append(p)\n    return p\n", False),
    "counts": ("    i = 0\n    while s == 1:\n        i = i + 1\n    return p\n", False),
    "is long": ("    i = 0\n    while i < 9000 * (s + 1):\n        i = i + 1\n    return p\n", False),
    "comes back inside": (
        "    n = 0\n    while n < 5 * s:\n        i = 0\n"
        "        while i < 3:\n            i = i + 1\n        n = n + 1\n    return p\n",
        False,
    ),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_only_a_state_that_comes_back_shows_that_a_run_never_ends(loop):
    body, endless = LOOPS[loop]
    text = f"{HEAD}def f(s: int, p: int) -> int:\n{body}"
    left, right = ({"s": Fraction(s), "p": Fraction(1)} for s in (0, 1))
    witness = FlowWitness("f.py", "f", fingerprint(parse_text(text), "f"), left, right, Answers(Fraction(1), None))
    assert isinstance(check_flow(witness, text), Confirmed if endless else Rejected)
