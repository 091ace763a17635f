"""How long deriving the accuracy of every program of the corpus takes, each bound checked; and how loose bounds are.

Programs of ``corpus/accurate`` state a condition; of the others the usual one for their types is tried. The factor is
β over the exact probability that the condition fails on the worst small input found (n up to 4): what a union bound
gives away.
"""

import multiprocessing
import re
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lapwing.decide.accuracy import readings
from lapwing.decide.time_limits import computed
from lapwing.decide.verdict import Verdict

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
ALL_SECONDS = 60.0
#: Programs whose looseness is measured besides.
MEASURED = ("noisy_max", "sparse_vector", "exponential_mechanism", "histogram", "laplace", "randomized_response")
#: What the method does not cover: calls of other mechanisms, answers without a usual condition, noise that comes back.
NOT_COVERED = {
    "adaptive_sparse_vector",
    "exponential_response",
    "many_counts",
    "noisy_descent",
    "sampled_count",
    "top_k_peeling",
    "two_counts",
}


def main() -> bool:
    """Derive everything once, on all cores; print bounds, times and factors."""
    folders = (CORPUS / "accurate", CORPUS / "proved", CORPUS / "refuted")
    programs = [(path, _meant(path)) for folder in folders for path in sorted(folder.rglob("*.py"))]
    start = time.perf_counter()
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(_read, [(str(path), name) for path, name in programs]))
    whole = time.perf_counter() - start
    right, derived = True, 0
    print(f"{'program':40}{'verdict':>9}{'seconds':>9}  bound")
    for (path, _), (reading, spent) in zip(programs, results, strict=True):
        label = str(path.relative_to(CORPUS).with_suffix(""))
        expected = path.parent.name if "accurate" in label else "unknown" if path.stem in NOT_COVERED else "proved"
        right &= reading.verdict == expected
        derived += reading.verdict == "proved"
        bound = reading.gamma or (reading.statement if reading.witness else reading.reason) or f"beta = {reading.total}"
        print(f"{label:40}{reading.verdict:>9}{spent:>9.2f}  {bound[:110]}")
    seconds = [spent for _, spent in results]
    print(f"{derived} of {len(programs)} bounds derived; median {statistics.median(seconds):.2f} s of processor time")
    cores = multiprocessing.cpu_count()
    print(f"all of it {whole:.1f} s on {cores} cores (target {ALL_SECONDS}), {sum(seconds):.1f} s of processor time")
    _factors()
    print("every verdict is the known one" if right else "some verdict is not the known one")
    return right and whole < ALL_SECONDS


def _factors() -> None:
    """How many times the exact failure the stated β is."""
    print(f"\n{'beta over the exact failure':40}" + "".join(f"{f'n = {n}':>10}" for n in (1, 2, 3, 4)))
    for name in MEASURED:
        path = CORPUS / "accurate" / "proved" / f"{name}.py"
        (reading,) = readings(str(path), _meant(path), exact=True)
        found = {each.n or 1: each.factor for each in reading.exact}
        print(f"{name:40}" + "".join(f"{found[n]:>10.3g}" if n in found else f"{'':>10}" for n in (1, 2, 3, 4)))


def _read(program: tuple[str, str]) -> tuple[Verdict, float]:
    start = computed()
    (reading,) = readings(*program)
    return reading, computed() - start


def _meant(path: Path) -> str:
    """The mechanism a corpus program is about: the one it names, or its last."""
    text = path.read_text()
    named = re.search(r"^#: mechanism (\w+)", text, re.MULTILINE)
    return named[1] if named else re.findall(r"^def (\w+)", text, re.MULTILINE)[-1]
