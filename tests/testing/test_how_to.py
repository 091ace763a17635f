"""The page on proofs in tests is true: its tests pass, or fail, as it says."""

import re
import subprocess
import sys
from pathlib import Path

from lapwing.decide.privacy import decide
from lapwing.kernel.evidence.certificate import write_certificate
from lapwing.library import certified

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "prove-in-your-tests.md").read_text()
PASSES, FAILS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(STORY,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def _pytest(folder, text):
    file = folder / "test_wards.py"
    file.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120, check=False)


def _shape(text):
    """The words without the numbers: which of many violations is found first is up to the search."""
    return re.sub(r"[ ]+", " ", re.sub(r"-?\d[\d.]*", "N", text)).strip()


def test_the_example_passes(tmp_path):
    run = _pytest(tmp_path, PASSES)
    assert run.returncode == 0, run.stdout
    assert "2 passed" in run.stdout


def test_the_weak_example_fails_with_the_story(tmp_path):
    run = _pytest(tmp_path, FAILS)
    assert run.returncode == 1
    assert "AssertionError" in run.stdout
    for line in STORY.splitlines():
        assert _shape(line) in _shape(run.stdout), line
    assert "Proved instead: 2 * epsilon" in run.stdout
    assert "testing.py" not in run.stdout, "the failure points into Lapwing"


def test_the_mechanism_of_the_example_can_be_certified(tmp_path):
    """As ``lapwing prove --certificates`` does, without starting a process."""
    (tmp_path / "wards.py").write_text(PASSES)
    decision = decide(str(tmp_path / "wards.py"), "noisy_visits")
    (tmp_path / "proof.json").write_text(write_certificate(decision.certificate))
    made = certified(f"{tmp_path / 'wards.py'}::noisy_visits", tmp_path / "proof.json")
    assert repr(made.guarantee.at(epsilon="0.1")) == "PureDP(epsilon=Fraction(1, 10))"
    assert repr(made.guarantee.at(epsilon="0.1")) in PAGE
    assert len(made([12, 7, 31], epsilon="0.1")) == 3
