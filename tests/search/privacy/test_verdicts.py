"""A decision says what was proved, what was found and what stands between the two; and never both of two opposites."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lapwing.decide import privacy as verdicts
from lapwing.decide import proof_search
from lapwing.decide.privacy import decide, decide_text
from lapwing.decide.time_limits import OutOfTime
from lapwing.kernel.distribution.witness import Rejected
from lapwing.kernel.evidence.certificate import Certificate, Fold
from lapwing.kernel.program.printer import fingerprint
from lapwing.source.parse import parse_text

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
HEAD = "from lapwing import each, laplace, mechanism, one, within\n\n\n"
#: Private at 0, which nothing here proves: two noises of one law, drawn in different branches.
EITHER_WAY = (
    HEAD
    + """@mechanism(x=within(1), claim="0")
def either_way(x: float) -> float:
    noise = 0.0
    if x > 0:
        wide = laplace(8)
        noise = (wide + wide) / 16
    else:
        noise = laplace(1)
    return 1 if noise > 1 else 0
"""
)
#: Its claim is too small by a little.
TIGHT = (
    HEAD
    + """@mechanism(q=each(1), claim="99 * len(q) * epsilon / 100")
def tight(q: list[float], epsilon: float) -> list[bool]:
    out = []
    for x in q:
        out.append(x + laplace(1 / epsilon) > 0)
    return out
"""
)
#: Where n is 0 it leaks more than its claim, and the bound that is proved without a claim divides by 0.
REST = (
    HEAD
    + """@mechanism(x=within(1), claim="epsilon")
def rest(x: int, n: int, epsilon: float) -> float:
    assert epsilon > 0
    assert n >= 0
    a = x
    if n != 0:
        a = x % n
    return a + laplace(n / epsilon) if n > 0 else a + laplace(0.1)
"""
)


def test_an_unknown_says_the_reason_and_the_line_and_tells_no_loss_of_nothing():
    decision = decide_text(EITHER_WAY, "either_way")
    assert (decision.verdict, decision.blocked, decision.certificate, decision.witness) == ("unknown", 7, None, None)
    assert decision.reason.endswith("(line 7)")
    found = json.loads(json.dumps(decision.to_json()))
    assert found["blocked_line"] == 7
    assert found["largest_loss"] is None


def test_a_loss_that_the_checker_does_not_confirm_is_not_told(monkeypatch):
    monkeypatch.setattr(verdicts, "check_witness", lambda *_: Rejected("no"))
    assert decide_text(EITHER_WAY, "either_way").loss is None


def test_a_bound_that_has_no_value_where_a_loss_is_found_contradicts_nothing():
    assert decide_text(REST, "rest").verdict == "refuted"


def test_a_claim_that_is_too_small_is_refuted_and_the_proved_bound_told():
    decision = decide(str(CORPUS / "refuted" / "lyu_4.py"), "lyu_4")
    assert (decision.verdict, decision.bound) == ("refuted", "(1 + 6 * limit) / 4 * epsilon")
    assert decision.witness is not None
    assert decision.to_json()["largest_loss"] is None


@pytest.mark.parametrize(("claim", "verdict"), [("0.9", "unknown"), ("0.8", "refuted")])
def test_a_loss_of_a_coarse_lattice_alone_refutes_nothing(claim, verdict):
    text = f"""from lapwing import laplace, mechanism, replaced
@mechanism(b=replaced(), claim="{claim}")
def above(b: bool) -> bool:
    return (2 if b else 0) + laplace(2) > 1
"""
    decision = decide_text(text, "above")
    assert (decision.verdict, decision.bound) == (verdict, "1")
    if verdict == "unknown":
        assert float(decision.loss.log_ratio.lower) == pytest.approx(0.8318, abs=1e-4)


def test_a_bound_is_derived_where_the_answer_is_the_test_itself():
    decision = decide_text(TIGHT, "tight")
    assert (decision.verdict, decision.bound) == ("refuted", "len(q) * epsilon")


def test_an_unknown_has_the_best_proved_bound():
    text = (CORPUS / "proved" / "between_thresholds.py").read_text()
    twice = text.replace("noisy_high = high + u", "noisy_high = high + laplace(2 / epsilon)")
    decision = decide_text(twice, "between_thresholds", limit=4)
    assert (decision.verdict, decision.bound) == ("unknown", "len(q) * epsilon / 6")


def test_what_was_learnt_before_the_time_ran_out_is_kept(monkeypatch):
    attempts = verdicts.attempts

    def then_forever(*words):
        yield from attempts(*words)
        while True:
            pass

    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "attempts", then_forever)
    decision = decide_text(EITHER_WAY, "either_way", limit=1.0)
    assert (decision.verdict, decision.blocked) == ("unknown", 7)


def test_a_proof_and_a_larger_loss_together_are_no_verdict(monkeypatch):
    attempts = verdicts.attempts

    def too_cheap(*words):
        for each in attempts(*words):
            yield replace(each, bound="epsilon / 8") if hasattr(each, "bound") else each

    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "attempts", too_cheap)
    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "check_certificate", _Gullible())
    text = (
        HEAD
        + """@mechanism(x=within(1), claim="epsilon / 2")
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""
    )
    decision = decide_text(text, "f")
    assert (decision.verdict, decision.bound, decision.witness) == ("unknown", None, None)
    assert "please report" in decision.reason


class _Gullible:
    """Rejects the proof of the claim, so that it is refuted, and then believes what is said of the bound."""

    def __init__(self):
        self.asked = 0

    def __call__(self, certificate, module):
        self.asked += 1
        claimed = module[certificate.function].claim is not None
        return Rejected("no") if claimed else verdicts.Proved("f", certificate.bound, 1)


def test_threads_may_decide():
    text = (CORPUS / "proved" / "histogram.py").read_text()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(decide_text, text, "histogram").result().verdict == "proved"


def test_a_proof_by_sums_that_small_inputs_contradict_is_taken_back(monkeypatch):
    text = (
        "from lapwing import added, laplace, mechanism\n\n\n"
        '@mechanism(xs=added(), claim="epsilon")\n'
        "def total(xs: list[float], epsilon: float) -> float:\n"
        "    assert epsilon > 0\n"
        "    return sum(clip(x, 0, 2) for x in xs) + laplace(1 / epsilon)\n"
    ).replace("import added,", "import added, clip,")
    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "check_certificate", lambda each, _: verdicts.Proved("f", each.bound, 1))
    for room in (verdicts, proof_search):
        monkeypatch.setattr(room, "attempts", lambda *_: iter([_by_sums(text, "total", "epsilon")]))
    looks = []
    held_against = verdicts._Deciding._held_against

    def only_once(self, decision, certificate):
        looks.append(certificate)
        if len(looks) > 1:  # as where the time is over before the second look ends
            raise OutOfTime
        return held_against(self, decision, certificate)

    def too_slow(_self, _decision):
        raise OutOfTime

    # as where nothing shows at first sight
    monkeypatch.setattr(verdicts._Deciding, "glimpsed", lambda _self, decision, *_: decision)
    monkeypatch.setattr(verdicts._Deciding, "_held_against", only_once)
    monkeypatch.setattr(verdicts._Deciding, "refuted", too_slow)
    decision = decide_text(text, "total")
    assert (decision.verdict, decision.certificate, decision.witness) == ("unknown", None, None)
    assert "please report" in decision.reason
    assert len(looks) == 1


def _by_sums(text, name, bound):
    module = parse_text(text)
    return Certificate("<text>", name, fingerprint(module, name), "epsilon", bound, None, Fold())
