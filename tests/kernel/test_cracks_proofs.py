"""What once got through, each as a test: one order of neighbours only, text that lies, files that never end."""

import time

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.decide.texts import check_certificate as check_text
from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.accuracy.certificate import Shown, check_accuracy
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, Site
from lapwing.kernel.evidence.certificate import Branch, Certificate, Cost, Sensitivity
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.flow.composition import Composed
from lapwing.kernel.formulas.reading import formula, printed
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.certificate import check_certificate as check_module
from lapwing.kernel.solver import Terms
from lapwing.search.accuracy import attempts as accuracies
from lapwing.search.privacy import Failed, attempts
from lapwing.source import expressions
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_text
from lapwing.source.run import load
from tests.kernel.certificates import certify, coupling

EXPONENTIAL = """from lapwing import exponential, mechanism, {relation}
@mechanism(q={relation}(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> list[float]:
    return [x + exponential(1 / epsilon) for x in q]
"""
NOISY_MAX = """from lapwing import exponential, mechanism, {relation}
@mechanism(q={relation}(1), claim="epsilon")
def f(q: list[float], epsilon: float) -> int:
    best = 0
    largest = 0
    for i, x in enumerate(q):
        noisy = x + exponential(1 / epsilon)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best
"""
ADDED = """from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""
LOOP = """from lapwing import each, laplace, mechanism
@mechanism(q=each(1))
def f(q: list[float], t: float, epsilon: float) -> list[bool]:
    out = []
    u = 0.0
    for x in q:
        u = x + laplace(1 / epsilon)
        out.append(u > t)
    return out
"""


def proved(text, name="f"):
    module = parse_text(text, "p.py")
    for found in attempts(module, name, "p.py"):
        if not isinstance(found, Failed) and isinstance(check_module(found, module), Proved):
            return found
    return None


# --- neighbours in both orders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["rises", "falls", "monotone"])
def test_one_sided_noise_is_private_in_neither_order(relation):
    text = EXPONENTIAL.format(relation=relation)
    assert proved(text) is None
    for shift in ("-hat(x)", "1 - hat(x)", "-hat(x) if rising(q) else hat(x)", "abs(hat(x))"):
        proof = coupling([(shift, "len(q)")], ["cost(1) <= round(1)"])
        assert isinstance(check_text(certify("p.py", text, proof, "len(q) * epsilon"), text), Rejected)


@pytest.mark.parametrize("relation", ["rises", "falls", "monotone"])
def test_noisy_max_with_one_sided_noise_is_private_in_both(relation):
    found = proved(NOISY_MAX.format(relation=relation))
    assert found is not None
    assert found.bound == "epsilon"


def test_a_proof_of_one_order_is_no_proof_of_the_other():
    """To level the answer and raise it by 1 costs 1 at most where answers rise, and 2 where they fall."""
    text = NOISY_MAX.format(relation="rises")
    certificate = proved(text)
    invariants = [each.formula for each in certificate.proof.invariants]
    for leaf in ("1 - hat(x)", "-hat(x)"):
        proof = coupling([(Branch("i == output()", leaf, "0"), "1")], invariants, "output")
        assert isinstance(check_text(certify("p.py", text, proof, "epsilon"), text), Rejected)


def test_several_lists_rise_together():
    """With q and r both rising, their difference moves by 1; if each went its own way, it would move by 2."""
    text = """from lapwing import laplace, mechanism, rises
@mechanism(q=rises(1), r=rises(1), claim="epsilon")
def f(q: list[float], r: list[float], epsilon: float) -> float:
    d = q[0] - r[0]
    return d + laplace(1 / epsilon)
"""
    proof = coupling([("-hat(d)", "1")])
    assert isinstance(check_text(certify("p.py", text, proof, "epsilon"), text), Proved)
    apart = text.replace("r=rises(1)", "r=falls(1)").replace("rises\n", "rises, falls\n")
    assert isinstance(check_text(certify("p.py", apart, proof, "epsilon"), apart), Rejected)
    loose = text.replace("r=rises(1)", "r=monotone(1)").replace("rises\n", "rises, monotone\n")
    assert isinstance(check_text(certify("p.py", loose, proof, "epsilon"), loose), Rejected)


# --- integer noise --------------------------------------------------------------------------------------------------

DISCRETE = """from lapwing import discrete_laplace, mechanism, within
@mechanism(x=within(1), claim="epsilon")
def f(x: {kind}, epsilon: float) -> {kind}:
    return x + discrete_laplace(1 / epsilon)
"""


def test_integer_noise_hides_whole_numbers_only():
    sensitivity = Sensitivity((Cost(1, "1", "epsilon"),))
    shifted = coupling([("-hat(x)", "1")])
    for kind, verdict in (("int", Proved), ("float", Rejected)):
        text = DISCRETE.format(kind=kind)
        for proof in (sensitivity, shifted):
            assert isinstance(check_text(certify("p.py", text, proof, "epsilon"), text), verdict), (kind, proof)
    text = DISCRETE.format(kind="int")
    for leaf in ("0.5", "-hat(x) / 1", "-hat(x) * 0.5"):
        assert isinstance(check_text(certify("p.py", text, coupling([(leaf, "1")]), "epsilon"), text), Rejected)


def test_discrete_gaussian_noise_costs_what_gaussian_noise_does():
    text = """from lapwing import discrete_gaussian, mechanism, within, zcdp
@mechanism(x=within(2), claim=zcdp("2 / (sigma * sigma)"))
def f(x: int, sigma: float) -> int:
    return x + discrete_gaussian(sigma)
"""
    assert proved(text).bound == "2 / (sigma * sigma)"
    assert proved(text.replace("x: int", "x: float").replace("-> int", "-> float")) is None


# --- what is shown is what was read ---------------------------------------------------------------------------------


def changed(**fields):
    certificate = certify("p.py", ADDED, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon")
    return {**certificate.to_json(), **fields}


@pytest.mark.parametrize(
    "text",
    ["epsilon#\x1b[1D/1000", "epsilon # / 1000", "epsilon\n/ 1000", "epsilon\r", "\x1b[8mepsilon", "epsilon\u200b",
     "\u03b5psilon", "epsilo\uff4e", "epsilon\t* 1", "epsilon \\", "1_0.0 * epsilon / 0x1",
     "0.99999999999999999999 * epsilon"],
)  # fmt: skip
def test_text_that_shows_something_else_is_refused(text):
    with pytest.raises(InvalidInput):
        Certificate.from_json(changed(bound=text))
    certificate = certify("p.py", ADDED, Sensitivity((Cost(1, "1", "epsilon"),)), text)
    assert isinstance(check_certificate(certificate, ADDED), Rejected)


@pytest.mark.parametrize("text", ["  epsilon ", "(epsilon)", "((  epsilon))", "1*epsilon"])
def test_what_is_shown_is_printed_from_what_was_read(text):
    shown = printed(text)
    certificate = Certificate.from_json(changed(bound=text))
    assert certificate.bound == shown
    verdict = check_certificate(certify("p.py", ADDED, Sensitivity((Cost(1, "1", "epsilon"),)), text), ADDED)
    assert isinstance(verdict, Proved)
    assert verdict.bound == shown
    assert verdict.statement.endswith(f"ε = {shown}")


@pytest.mark.parametrize(
    "text",
    ["1 - hat(x) if rising(q) else 0", "-(a + b) * 2 / len(q)", "not (a or b) and c", "0 <= round(1) <= len(q)",
     "other(found) == output()", "max(1, min(x, 2)) - abs(hat(x))", "cost(1) + 2 * cost(2) <= 0.5", "q[where(q)] > -1"],
)  # fmt: skip
def test_a_formula_reads_back_as_it_is_printed(text):
    assert formula(printed(text)) == formula(text)
    assert printed(printed(text)) == printed(text)


def test_a_certificate_of_the_time_of_the_lattice_says_what_to_do():
    old = changed()
    del old["format"]
    with pytest.raises(InvalidInput, match="real-valued") as refused:
        Certificate.from_json(old)
    assert refused.value.code == "C105"
    for number in (1, 3, "2", True):
        with pytest.raises(InvalidInput):
            Certificate.from_json(changed(format=number))


# --- files that would keep the checker busy -------------------------------------------------------------------------


def nested(depth, inner="hat(u)", step="max({0}, -{0}) - ({0} if x > t else t)"):
    for _ in range(depth):
        inner = step.format(f"({inner})")
    return inner


HOSTILE = {
    "doubled terms": nested(6),
    "products": " * ".join(["(u * t + hat(u))"] * 30) + " <= epsilon * t * t",
    "tests in tests": nested(30, "u", "(1 if {0} > t else 2)"),
    "magnitudes": nested(40, "hat(u)", "abs({0} - t)"),
    "a long list": " and ".join(f"u * u * t > {n} * epsilon * u" for n in range(80)),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_certificate_ends_within_seconds(kind):
    text = HOSTILE[kind]
    test = text if kind in ("products", "a long list") else f"{text} > 0"
    tree = "-hat(x)"
    for _ in range(6):
        tree = Branch(test, tree, "0")
    module = parse_text(LOOP, "p.py")
    start = time.monotonic()
    for proof in (
        coupling([(tree, "len(q)")], [f"cost(1) <= round(1) and ({test} or True)"]),
        coupling([("-hat(x)", "len(q)")], [f"({test}) or cost(1) <= round(1)"]),
    ):
        verdict = check_module(certify("p.py", LOOP, proof, "len(q) * epsilon"), module, seconds=3)
        assert isinstance(verdict, Rejected | Proved)
    assert time.monotonic() - start < 20


def test_a_spent_limit_rejects():
    certificate = certify("p.py", ADDED, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon")
    verdict = check_module(certificate, parse_text(ADDED, "p.py"), seconds=0)
    assert isinstance(verdict, Rejected)
    assert "seconds" in verdict.reason


# --- a reader of Python that misreads -------------------------------------------------------------------------------


def test_a_misreading_reader_cannot_make_a_leak_private(monkeypatch, tmp_path, request):
    """The noise is overlooked: what runs leaks, and it is what runs that is checked."""
    file = tmp_path / "p.py"
    file.write_text(ADDED)
    honest = proved(ADDED)
    assert honest is not None

    def overlooked(frame, node, out):
        return expressions.lower(frame, node.left, out)

    monkeypatch.setattr(expressions.written_operators, "lower_arithmetic", overlooked)
    parse_text.cache_clear()  # what was read before is read again, and what is misread here is not kept
    request.addfinalizer(parse_text.cache_clear)
    leaking = load(file, "f")
    assert {leaking(5, 1) for _ in range(20)} == {5}, "without noise"
    assert proved(ADDED) is None
    assert isinstance(check_module(honest, leaking.module), Rejected)
    misread = certify("p.py", ADDED, coupling([]), "0")
    assert isinstance(check_module(misread, leaking.module), Rejected)


def test_noise_that_is_only_read_runs_too(monkeypatch, tmp_path):
    """The other way round: Python would leak, the reader sees noise; then noise is what runs."""
    file = tmp_path / "p.py"
    file.write_text(ADDED.replace("x + laplace(1 / epsilon)", "x - 0"))
    read = parse_text(ADDED, "p.py")
    monkeypatch.setattr("lapwing.source.parse.parse_text", lambda *_a, **_k: read)
    runnable = load(file, "f")
    if runnable.ir == read["f"]:
        assert len({runnable(5, 1) for _ in range(20)}) > 1


# --- lists are values -----------------------------------------------------------------------------------------------

ALIASED = """from lapwing import {words}


{decorator}
def f(x: float) -> float:
    out = [1.0]
    seen = {copied}
    out.append(x)
    return {answer}
"""


def aliased(answer, copied, decorator, words):
    """The program, or None where the reader refuses it."""
    try:
        return parse_text(ALIASED.format(words=words, decorator=decorator, copied=copied, answer=answer), "p.py")
    except InvalidProgram:
        return None


@pytest.mark.parametrize("copied", ["(out, 1)[0]", "out[:]"])
def test_flow_takes_lists_for_values(copied):
    for answer, stays in (("seen[-1]", True), ("out[-1]", False)):
        module = aliased(answer, copied, '@flow(x="secret", result="public")', "flow")
        if module is None:
            assert copied != "out[:]"
            continue
        composed = Composed(module["f"], (), frozenset(), Terms())
        if stays and copied != "out[:]":
            composed.check()
        else:
            with pytest.raises(Unproved):
                composed.check()


@pytest.mark.parametrize("copied", ["(out, 1)[0]", "out[:]"])
def test_accuracy_takes_lists_for_values(copied):
    """What was copied before does not hold what was appended since, so this condition fails wherever x is not 1."""
    module = aliased("seen[-1]", copied, "@mechanism(x=within(1))", "mechanism, within")
    if module is None:
        assert copied != "out[:]"
        return
    claim = read_condition(module["f"], "result == x", "1 / 10")
    found = [each for each in accuracies(module, "f", "p.py", claim) if isinstance(each, AccuracyCertificate)]
    assert not any(isinstance(check_accuracy(each, module, claim), Shown) for each in found)


@pytest.mark.parametrize("step", ["abs({0} - 1)", "max({0}, 1 - {0})", "({0} if {0} > 1 else 0)"])
def test_a_hostile_certificate_of_accuracy_ends_within_seconds(step):
    text = """from lapwing import laplace, mechanism, one
@mechanism(q=one(1))
def f(q: list[float], epsilon: float) -> float:
    s = 0.0
    for x in q:
        s += x + laplace(1 / epsilon)
    return s
"""
    module = parse_text(text, "p.py")
    claim = read_condition(module["f"], "result >= 0", "beta")
    start = time.monotonic()
    for depth in (6, 9, 40) if step.count("{0}") == 1 else (6, 9):
        invariant = Invariant(1, f"{nested(depth, 's', step)} >= 0")
        site = Site(1, "margin", "len(q)", "beta / len(q)")
        source = fingerprint(module, "f")
        evidence = AccuracyCertificate("p.py", "f", source, "result >= 0", "beta", "beta", (site,), (), (invariant,))
        assert isinstance(check_accuracy(evidence, module, claim), Rejected)
    assert time.monotonic() - start < 25
