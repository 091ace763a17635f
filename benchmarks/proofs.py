"""How long deciding takes, proof or refutation, each checked: of the corpus and the peers' programs, beside CheckDP.

CheckDP [WDKZ20] proves for lists of length 5, epsilon = 1 and integers in [-10, 10]; Lapwing for every length, limit
and epsilon. The peer's figures are CPU seconds, measured once on the same class of machine (None: no answer in 240 s);
so are ours, but for the time of the whole corpus, which is by the clock.
"""

import multiprocessing
import re
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.peers import PROGRAMS
from lapwing.decide.privacy import decide
from lapwing.decide.time_limits import computed
from lapwing.decide.verdict import Verdict

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
#: Seconds: the median of all, what 95 % of them stay within, the slowest of the corpus, and the corpus by the clock.
MEDIAN, NEARLY_ALL, SLOWEST, WHOLE = 0.5, 10.0, 7.0, 25.0
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
    corpus = [(path, _meant(path), path.parent.name) for paths in folders for path in paths]
    among = {(path, name) for path, name, _ in corpus}
    named = dict.fromkeys(
        (CORPUS / f"{file}.py", name, truth) for many in PROGRAMS.values() for _, file, name, truth, _ in many
    )
    others = [each for each in named if each[:2] not in among]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        start = time.perf_counter()
        results = list(pool.map(_decided, [(str(path), name) for path, name, _ in corpus]))
        whole = time.perf_counter() - start
        results += pool.map(_decided, [(str(path), name) for path, name, _ in others])
    right, seconds, ratios = True, [], []
    print(f"{'program':42}{'verdict':>9}{'seconds':>9}{'CheckDP s':>11}{'ratio':>8}  bound")
    for (path, name, truth), (decision, spent) in zip([*corpus, *others], results, strict=True):
        label = f"{path.parent.name}/{path.stem if len(seconds) < len(corpus) else name}"
        right &= decision.verdict == truth
        seconds.append(spent)
        row = f"{label:42}{decision.verdict:>9}{spent:>9.2f}"
        if label in CHECKDP:
            peer = CHECKDP[label]
            ratios.append((peer or 240.0) / spent)
            over = "> " if peer is None else ""
            row += f"{over + str(peer or 240.0):>11}{f'{over}{ratios[-1]:.0f}':>8}"
        else:
            row += " " * 19
        print(f"{row}  {decision.bound or ''}")
    median, nearly_all = statistics.median(seconds), sorted(seconds)[int(0.95 * len(seconds))]
    slowest = max(seconds[: len(corpus)])
    print(
        f"{len(seconds)} programs: median {median:.2f} s (target {MEDIAN}),"
        f" 95 % within {nearly_all:.2f} s ({NEARLY_ALL})"
    )
    print(
        f"the corpus: median {statistics.median(seconds[: len(corpus)]):.2f} s, slowest {slowest:.2f} s (target"
        f" {SLOWEST}), {whole:.1f} s by the clock ({WHOLE}), {multiprocessing.cpu_count()} cores"
    )
    print(f"CheckDP takes {statistics.median(ratios):.0f} times as long, in the median of {len(ratios)} programs")
    print("every verdict is the known one" if right else "some verdict is not the known one")
    return right and median <= MEDIAN and nearly_all <= NEARLY_ALL and slowest < SLOWEST and whole < WHOLE


def _decided(program: tuple[str, str]) -> tuple[Verdict, float]:
    start = computed()
    return decide(*program), computed() - start


def _meant(path: Path) -> str:
    """The mechanism a corpus program is about: the one it names, or its last."""
    text = path.read_text()
    named = re.search(r"^#: mechanism (\w+)", text, re.MULTILINE)
    return named[1] if named else re.findall(r"^def (\w+)", text, re.MULTILINE)[-1]
