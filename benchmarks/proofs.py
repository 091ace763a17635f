"""How long deciding every program of the corpus takes, proof or refutation, each checked; beside CheckDP's times.

CheckDP [WDKZ20] proves for lists of length 5, epsilon = 1 and integers in [-10, 10]; Lapwing for every length, limit
and epsilon. The peer's figures are CPU seconds, measured once on the same class of machine (None: no answer in 240 s);
so are ours, but for the time of the whole, which is by the clock.
"""

import multiprocessing
import re
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lapwing.decide.privacy import decide
from lapwing.decide.verdict import Verdict

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
MEDIAN_SECONDS, MOST_SECONDS, ALL_SECONDS = 1.0, 10.0, 60.0
CHECKDP = {
    "proved/partial_sum": 2.6,
    "proved/smart_sum": 7.7,
    "proved/sparse_vector": 9.0,
    "proved/gap_sparse_vector": 17.0,
    "proved/numeric_sparse_vector": 34.0,
    "proved/adaptive_sparse_vector": 156.0,
    "proved/noisy_max": 110.0,
    "refuted/lyu_5": 5.4,
    "refuted/lyu_4": None,
    "refuted/lyu_6": None,
}


def main() -> bool:
    """Decide everything once, on all cores; print verdicts, times and ratios."""
    folders = [sorted((CORPUS / verdict).glob("*.py")) for verdict in ("proved", "refuted")]
    programs = [(path, _meant(path)) for paths in folders for path in paths]
    start = time.perf_counter()
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(_decided, [(str(path), name) for path, name in programs]))
    whole = time.perf_counter() - start
    right, seconds, ratios = True, [], []
    print(f"{'program':34}{'verdict':>9}{'seconds':>9}{'CheckDP s':>11}{'ratio':>8}  bound")
    for (path, _), (decision, spent) in zip(programs, results, strict=True):
        label = f"{path.parent.name}/{path.stem}"
        right &= decision.verdict == path.parent.name
        seconds.append(spent)
        row = f"{label:34}{decision.verdict:>9}{spent:>9.2f}"
        if label in CHECKDP:
            peer = CHECKDP[label]
            ratios.append((peer or 240.0) / spent)
            over = "> " if peer is None else ""
            row += f"{over + str(peer or 240.0):>11}{f'{over}{ratios[-1]:.0f}':>8}"
        else:
            row += " " * 19
        print(f"{row}  {decision.bound or ''}")
    median, most = statistics.median(seconds), max(seconds)
    print(f"median {median:.2f} s (target {MEDIAN_SECONDS}), slowest {most:.2f} s (target {MOST_SECONDS})")
    computed = f"{sum(seconds):.1f} s of computing"
    print(
        f"all of it {whole:.1f} s by the clock (target {ALL_SECONDS}), {computed}, {multiprocessing.cpu_count()} cores"
    )
    print(f"CheckDP takes {statistics.median(ratios):.0f} times as long, in the median of {len(ratios)} programs")
    print("every verdict is the known one" if right else "some verdict is not the known one")
    return right and median < MEDIAN_SECONDS and most < MOST_SECONDS and whole < ALL_SECONDS


def _decided(program: tuple[str, str]) -> tuple[Verdict, float]:
    start = time.process_time()
    return decide(*program), time.process_time() - start


def _meant(path: Path) -> str:
    """The mechanism a corpus program is about: the one it names, or its last."""
    text = path.read_text()
    named = re.search(r"^#: mechanism (\w+)", text, re.MULTILINE)
    return named[1] if named else re.findall(r"^def (\w+)", text, re.MULTILINE)[-1]
