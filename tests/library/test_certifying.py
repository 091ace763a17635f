"""A guarantee is handed out, and a call made, only when the certificate is of the program that runs."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from lapwing import PureDP, laplace, library, mechanism, one
from lapwing.decide.privacy import decide
from lapwing.decide.texts import check_certificate
from lapwing.errors import InvalidInput
from lapwing.kernel import confined as confining
from lapwing.kernel.evidence.certificate import Cost, Sensitivity, write_certificate
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational import certificate as proofs
from lapwing.kernel.relational.certificate import Proved
from lapwing.library import Certified, certified
from lapwing.library.shelf import certificate_file, source_file
from lapwing.source import Runnable, load
from tests.kernel.certificates import certify


@pytest.fixture
def copy(tmp_path):
    def make(change=lambda text: text):
        path = tmp_path / "sparse_vector.py"
        path.write_text(change(source_file("sparse_vector").read_text()))
        return f"{path}::sparse_vector"

    return make


def test_layout_and_comments_do_not_matter(copy):
    target = copy(lambda text: text.replace("    found = 0\n", "    # nothing yet\n    found   =   0\n"))
    assert certified(target, certificate_file("sparse_vector")).guarantee == library.sparse_vector.guarantee


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"4 \* limit", "2 * limit"),
        ("found < limit", "found <= limit"),
        (r"found \+= 1", "found += 0"),
        ('claim="epsilon"', 'claim="epsilon / 2"'),
        (r"\beach\b", "one"),
        ("assert limit >= 1", "assert limit >= 0"),
    ],
)
def test_another_program_has_no_guarantee_and_does_not_run(copy, old, new):
    target = copy(lambda text: re.sub(old, new, text))
    made = certified(target, certificate_file("sparse_vector"))
    for use in (lambda: made.guarantee, lambda: made([0], threshold=0, limit=1, sensitivity=1, epsilon=1)):
        with pytest.raises(InvalidInput, match="Y105 the certificate of sparse_vector does not hold"):
            use()


def test_a_certificate_that_says_more_than_it_shows_is_refused(tmp_path):
    good = library.histogram.certificate
    path = tmp_path / "better.json"
    path.write_text(write_certificate(replace(good, bound="epsilon / 2")))
    with pytest.raises(InvalidInput, match="Y105"):
        _ = certified(library.histogram.runnable, path).guarantee


def test_a_fingerprint_alone_is_not_enough(copy, tmp_path):
    """The certificate names the weaker program's fingerprint: it is still checked step by step."""
    target = copy(lambda text: text.replace("4 * limit", "2 * limit"))
    weak = load(*target.split("::"))
    path = tmp_path / "forged.json"
    forged = replace(library.sparse_vector.certificate, source=fingerprint(weak.module, "sparse_vector"))
    path.write_text(write_certificate(forged))
    with pytest.raises(InvalidInput, match="Y105"):
        _ = certified(weak, path).guarantee


def test_what_is_no_certificate_of_it_is_refused_at_once(tmp_path):
    runnable = library.histogram.runnable
    torn = tmp_path / "torn.json"
    torn.write_text("{")
    for path, reason in (
        (certificate_file("sparse_vector"), "it is about sparse_vector"),
        (tmp_path / "none.json", "No such file"),
        (torn, "not JSON"),
    ):
        with pytest.raises(InvalidInput, match=f"Y104 .*{reason}"):
            certified(runnable, path)


@pytest.mark.parametrize("target", ["no_name.py", 7, len])
def test_what_is_no_mechanism_is_refused(target):
    with pytest.raises(InvalidInput, match="Y106"):
        certified(target, certificate_file("histogram"))


class Another(Runnable):
    """Runs something else than what it shows."""

    def __call__(self, *arguments: object, **keywords: object) -> object:
        return arguments, keywords


def test_a_subclass_is_no_mechanism():
    honest = library.histogram.runnable
    other = Another(honest.name, honest.source)
    for make in (certified, Certified):
        with pytest.raises(InvalidInput, match="Y106"):
            make(other, certificate_file("histogram"))


@mechanism(values=one(1), claim="2 * epsilon")
def own_sum(values: list[float], epsilon: float) -> float:
    """A user's own."""
    return sum(values) + laplace(1 / epsilon)


def test_a_users_mechanism_with_the_certificate_that_prove_writes(tmp_path):
    path = tmp_path / "own_sum.json"
    path.write_text(write_certificate(decide(__file__, "own_sum").certificate))
    for target in (own_sum, f"{__file__}::own_sum"):
        made = certified(target, path)
        assert made.guarantee.at(epsilon="1/3") == PureDP(Fraction(1, 3))
        assert isinstance(made([1, 2], epsilon=1), float)
        assert made.__doc__ == "A user's own."
        assert "def own_sum" in made.source


def test_a_mechanism_inside_a_function_is_checked_as_it_runs(tmp_path):
    """Its source cannot be found by name in the file, where the one outside has another program."""

    def inner():
        @mechanism(values=one(1), claim="2 * epsilon")
        def own_sum(values: list[float], epsilon: float) -> float:
            return sum(values) + laplace(1 / (8 * epsilon))

        return own_sum

    path = tmp_path / "own_sum.json"
    path.write_text(write_certificate(decide(__file__, "own_sum").certificate))
    with pytest.raises(InvalidInput, match="Y105"):
        _ = certified(inner(), path).guarantee


def test_the_checker_is_asked_once(monkeypatch):
    asked = []
    real = confining.confined
    monkeypatch.setattr(confining, "confined", lambda check: asked.append(check) or real(check))
    made = Certified(library.histogram.runnable, certificate_file("histogram"))
    for _ in range(3):
        made([1, 2], sensitivity=1, epsilon=1)
    assert len(asked) == 1


def test_a_certificate_whose_check_does_not_end_is_refused(monkeypatch):
    def endless(*_):
        while True:
            pass

    monkeypatch.setattr(proofs, "check_certificate", endless)
    monkeypatch.setattr(confining, "SECONDS", 0.2)
    with pytest.raises(InvalidInput, match="takes more than"):
        _ = Certified(library.histogram.runnable, certificate_file("histogram")).guarantee


def test_importing_the_library_loads_neither_solver():
    script = (
        "import sys, lapwing.library\n"
        "lapwing.library.sparse_vector.private\n"
        "assert not {'z3', 'cvc5'} & set(sys.modules), 'a solver was loaded'\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_wheel_holds_sources_proofs_and_certificates():
    builder = pytest.importorskip("hatchling.builders.wheel").WheelBuilder
    root = source_file("x").parents[4]
    shipped = {included.distribution_path for included in builder(str(root)).recurse_included_files()}
    for name in library.NAMES:
        assert f"lapwing/library/mechanisms/{name}.py" in shipped
        assert f"lapwing/library/certificates/{name}.json" in shipped
    assert "lapwing/library/mechanisms/tree_counter.tree_counter.json" in shipped


def test_certificates_name_no_machine():
    for name in library.NAMES:
        assert json.loads(certificate_file(name).read_text())["file"] == f"../mechanisms/{name}.py"


def test_a_bound_means_to_the_guarantee_what_it_means_to_the_checker():
    """Exactly epsilon digit by digit, and 0 in doubles: whoever charged that would charge nothing."""
    text = (
        "from lapwing import laplace, mechanism, within\n\n\n@mechanism(x=within(1))\n"
        "def f(x: float, epsilon: float) -> float:\n    assert epsilon > 0\n    return x + laplace(1 / epsilon)\n"
    )
    bound = "1e20 * 1.00000000000000000001 * epsilon - 1e20 * epsilon"
    certificate = certify("f.py", text, Sensitivity((Cost(1, "1", "epsilon"),)), bound)
    assert isinstance(check_certificate(certificate, text), Rejected)
    honest = certify("f.py", text, Sensitivity((Cost(1, "1", "epsilon"),)), "epsilon")
    assert isinstance(check_certificate(honest, text), Proved)
