"""How long refuting every wrong program of the corpus takes, and how many samples a statistical test would need.

The peer is the test of StatDP [DWWZK18] on the very event that refutes: count it in runs on both inputs, thin the
left count by e^-epsilon, and ask Fisher's exact test whether it is still larger. Counts are simulated from the exact
probabilities, so the peer gets its event, its inputs and its parameters for free; its seconds are what that many
runs of the mechanism take here. Like is compared with like: the ratio is to computing that event's two
probabilities exactly, not to the search, which the peer would need as well.
"""

import re
import statistics
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.witness import Accepted
from lapwing.kernel.program import ir
from lapwing.kernel.run.interpret import STEPS, Meter, program
from lapwing.search.violation.findings import Finding
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "refuted"
MEDIAN_SECONDS, MOST_SECONDS = 1.0, 10.0
LEVEL = 0.01
EXPERIMENTS = 60
MOST_SAMPLES = 2**40


def main() -> bool:
    """Refute everything once, from the source text on; print times, samples and ratios."""
    seconds = []
    ratios = []
    accepted = True
    words = ("loss", "refute s", "check s", "event s", "samples", "sampling s", "ratio")
    print(f"{'program':24}{'n':>3}" + "".join(f"{word:>11}" for word in words))
    for path in sorted(CORPUS.glob("*.py")):
        name = _meant(path)
        start = time.process_time()
        module = parse_file(path)
        subject = Subject(module, module[name])
        outcome = refute(subject)
        spent = time.process_time() - start
        seconds.append(spent)
        finding = outcome.violation
        witness = outcome.witness(subject, str(path))
        if finding is None or witness is None:
            accepted = False
            print(f"{path.stem:26} not refuted")
            continue
        start = time.process_time()
        accepted &= isinstance(check_witness(witness, path.read_text()), Accepted)
        checked = time.process_time() - start
        row = f"{path.stem:24}{finding.n:>3}{finding.loss:>11.3f}{spent:>11.3f}{checked:>11.3f}"
        if outcome.claim is None or outcome.claim.kind is not ir.PureClaim:
            print(row)  # Fisher's test is about a ratio
            continue
        event = _seconds_per_event(subject, finding)
        needed = samples_needed(float(finding.left), float(finding.right), float(outcome.claim.value))
        sampling = needed * _seconds_per_run(subject, finding.pair.left)
        ratios.append(sampling / event)
        print(row + f"{event:>11.4f}{needed:>11.2g}{sampling:>11.3g}{ratios[-1]:>11.3g}")
    median, most = statistics.median(seconds), max(seconds)
    print(f"median {median:.3f} s (target {MEDIAN_SECONDS}), slowest {most:.2f} s (target {MOST_SECONDS})")
    print(f"sampling for the same event, at level {LEVEL}: median {statistics.median(ratios):.3g} times as long")
    print("the checker accepted every witness" if accepted else "some program was not refuted, or its witness rejected")
    return accepted and median < MEDIAN_SECONDS and most < MOST_SECONDS


def samples_needed(left: float, right: float, epsilon: float) -> int:
    """Runs, both inputs together, after which the test rejects the claim at the level in half of all experiments."""
    generator = np.random.default_rng(0)
    count = 16
    while count < MOST_SAMPLES:
        hits = generator.binomial(count, left, EXPERIMENTS)
        others = generator.binomial(count, right, EXPERIMENTS)
        thinned = generator.binomial(hits, np.exp(-epsilon))
        values = hypergeom.sf(thinned - 1, 2 * count, count, thinned + others)
        if np.mean(values < LEVEL) >= 0.5:
            return 2 * count
        count = int(count * 1.25)
    return MOST_SAMPLES


def _seconds_per_event(subject: Subject, finding: Finding) -> float:
    start = time.process_time()
    for side in (finding.pair.left, finding.pair.right):
        subject.chance(side, finding.event)
    return time.process_time() - start


def _seconds_per_run(subject: Subject, inputs: dict) -> float:
    run = program(subject.module, subject.mechanism.name)
    arguments = {name: _whole(value) for name, value in inputs.items()}
    runs = 300
    start = time.process_time()
    for _ in range(runs):
        run(dict(arguments), Meter(STEPS))
    return (time.process_time() - start) / runs


def _whole(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_whole, value))
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _meant(path: Path) -> str:
    """The mechanism a corpus program is about: the one it names, or its last."""
    text = path.read_text()
    named = re.search(r"^#: mechanism (\w+)", text, re.MULTILINE)
    return named[1] if named else re.findall(r"^def (\w+)", text, re.MULTILINE)[-1]
