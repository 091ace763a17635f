"""The programs that other tools show, decided: verdict, bound and seconds beside the peers' own figures.

``python -m benchmarks peers`` prints the table and compares verdicts with what is known; with LAPWING_WRITE_PEERS set,
it writes ``docs/reference/peers.md``. Peers are CheckDP [WDKZ20] and StatDP [DWWZK18].
"""

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lapwing.decide.privacy import decide
from lapwing.decide.time_limits import computed
from lapwing.decide.verdict import Verdict

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "peers.md"
#: Of all programs, at least so many are to be decided; none wrongly.
DECIDED = 0.9
P, R = "proved", "refuted"
#: By source: the program there, the file and the mechanism here, the truth, and the peer's seconds.
PROGRAMS: dict[str, list[tuple[str, str, str, str, str]]] = {
    "CheckDP": [
        ("noisymax", "proved/noisy_max", "noisy_max", P, "110"),
        ("badnoisymax", "refuted/bad_noisy_max", "bad_noisy_max", R, ""),
        ("sparsevector", "proved/sparse_vector", "sparse_vector", P, "9"),
        ("badsparsevector1", "refuted/lyu_5", "lyu_5", R, "5.4"),
        ("badsparsevector2", "refuted/lyu_6", "lyu_6", R, "> 240"),
        ("badsparsevector3", "refuted/lyu_4", "lyu_4", R, "> 240"),
        ("svt_increasing", "proved/sparse_vector_rises", "sparse_vector", P, ""),
        ("svt_decreasing", "proved/sparse_vector_falls", "sparse_vector", P, ""),
        ("gapsparsevector", "proved/gap_sparse_vector", "gap_sparse_vector", P, "17"),
        ("badgapsparsevector", "refuted/bad_gap", "bad_gap", R, ""),
        ("numsparsevector", "proved/numeric_sparse_vector", "numeric_sparse_vector", P, "34"),
        ("adaptivesparsevector", "peers/checkdp", "adaptive_gap", P, "156"),
        ("badadaptivesparsevector", "peers/checkdp", "adaptive_value", R, ""),
        ("partialsum", "proved/partial_sum", "partial_sum", P, "2.6"),
        ("badpartialsum", "refuted/bad_partial_sum", "partial_sum", R, ""),
        ("smartsum", "proved/smart_sum", "smart_sum", P, "7.7"),
        ("badsmartsum", "refuted/bad_smart_sum", "smart_sum", R, ""),
    ],
    "StatDP": [
        ("noisy_max_v1a", "peers/statdp", "noisy_max_index", P, "20–58"),
        ("noisy_max_v1b", "peers/statdp", "noisy_max_value", R, "20–58"),
        ("noisy_max_v2a", "peers/statdp", "exponential_max_index", P, "20–58"),
        ("noisy_max_v2b", "peers/statdp", "exponential_max_value", R, "20–58"),
        ("histogram", "peers/statdp", "first_count", P, "20–58"),
        ("histogram_eps", "peers/statdp", "first_count_upside_down", R, "20–58"),
        ("SVT", "peers/statdp", "sparse_noes", P, "20–58"),
        ("iSVT1", "peers/statdp", "unlike_halves_without_noise", R, "20–58"),
        ("iSVT2", "peers/statdp", "unlike_halves_without_limit", R, "20–58"),
        ("iSVT3", "peers/statdp", "unlike_halves_with_little_noise", R, "20–58"),
        ("iSVT4", "peers/statdp", "noes_and_last", R, "20–58"),
    ],
    "Albarghouthi and Hsu": [
        ("PartialSum", "proved/noisy_sum_1", "noisy_sum_1", P, ""),
        ("PrefixSum", "proved/prefix_sum", "prefix_sum", P, ""),
        ("SmartSum", "proved/smart_sum", "smart_sum", P, ""),
        ("ReportNoisyMax", "proved/noisy_max", "noisy_max", P, ""),
        ("ExpMech", "proved/exponential_mechanism", "exponential_mechanism", P, ""),
        ("AboveThreshold", "peers/couplings", "above_threshold_once", P, ""),
        ("AboveThresholdN", "proved/sparse_vector", "sparse_vector", P, ""),
        ("NumericSparse", "peers/couplings", "numeric_once", P, ""),
        ("NumericSparseN", "proved/numeric_sparse_vector", "numeric_sparse_vector", P, ""),
    ],
    "Programming Differential Privacy": [
        ("counting query", "peers/textbook", "count_of_adults", P, ""),
        ("sequential composition", "peers/textbook", "two_counts", P, ""),
        ("histogram", "peers/textbook", "histogram_by_age", P, ""),
        ("summation with clipping", "peers/textbook", "clipped_sum", P, ""),
        ("average", "peers/textbook", "average", P, ""),
        ("summation without clipping", "peers/textbook", "unclipped_sum", R, ""),
        ("Gaussian mechanism, zCDP", "peers/textbook", "gaussian_sum", P, ""),
        ("report noisy max", "peers/textbook", "noisy_maximum", P, ""),
        ("exponential mechanism", "peers/textbook", "most_common", P, ""),
        ("above threshold", "peers/textbook", "above_threshold", P, ""),
        ("sparse", "peers/textbook", "sparse", P, ""),
        ("clipping bound by sparse vector", "peers/textbook", "clipping_bound", P, ""),
        ("randomized response", "peers/textbook", "randomized_response", P, ""),
        ("unary encoding, one bit", "peers/textbook", "noisy_bit", P, ""),
        ("two sums at the price of one", "peers/textbook", "summed_twice", R, ""),
        ("sample and aggregate, mean of sums", "peers/textbook", "mean_of_pieces", P, ""),
        ("sample and aggregate", "peers/textbook", "sample_and_aggregate", P, ""),
        ("post-processing", "peers/textbook", "never_negative", P, ""),
        ("parallel composition", "peers/textbook", "two_groups", P, ""),
        ("Gaussian mechanism, (ε, δ)", "peers/textbook", "gaussian_clipped_sum", P, ""),
        ("Gaussian mechanism, vectors", "peers/textbook", "gaussian_vector", P, ""),
        ("advanced composition", "proved/many_counts", "many_counts", P, ""),
        ("propose-test-release", "peers/textbook", "tested_average", P, ""),
        ("noisy gradient descent", "proved/noisy_descent", "noisy_descent", P, ""),
        ("clipping bound, from rows", "peers/textbook", "clipping_bound_of_rows", P, ""),
        ("unary encoding, all bits", "peers/textbook", "unary_encoding", P, ""),
        ("two-way marginal", "peers/textbook", "two_way_marginal", P, ""),
    ],
}
Program = tuple[str, str, str, str, str]
INTRODUCTION = [
    "# Beside the peers",
    "",
    "The examples of CheckDP's and StatDP's repositories, the table of Albarghouthi and Hsu, and the",
    "mechanisms of *Programming Differential Privacy*, written anew in [the language](language.md) ([the",
    "programs](../../corpus/peers/README.md)). A proof is for every length, limit and epsilon, and checked by",
    "the kernel; a refutation is two inputs and an answer whose probabilities the kernel has recomputed.",
    "*Bound* is the smallest that was proved, for a refuted claim too.",
    "",
    "Seconds are of computing, on one core of a busy machine. CheckDP's are for lists of length 5, epsilon = 1",
    "and whole numbers in [-10, 10], measured once on the same class of machine (> 240: no answer by then);",
    "StatDP's, for a statistical answer, lie between 20 and 58 for each of its programs. `python -m benchmarks",
    "peers` measures this table again.",
]


def main() -> bool:
    """Decide every program once; print the table, and write it if asked to."""
    programs = [(source, each) for source, many in PROGRAMS.items() for each in many]
    distinct = list(dict.fromkeys((file, name) for _, (_, file, name, _, _) in programs))
    cores = int(os.environ.get("LAPWING_CORES", "0")) or None
    with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = dict(zip(distinct, pool.map(_decided, distinct), strict=True))
    rows = [(source, each, *found[each[1], each[2]]) for source, each in programs]
    wrong = [each[0] for _, each, verdict, _ in rows if verdict.verdict not in (each[3], "unknown")]
    decided = sum(verdict.verdict != "unknown" for *_, verdict, _ in rows)
    page = _page(rows, decided)
    print(page)
    if os.environ.get("LAPWING_WRITE_PEERS"):
        PAGE.write_text(page)
    print(f"decided {decided} of {len(rows)} (target {DECIDED:.0%}); wrong: {', '.join(wrong) or 'none'}")
    return not wrong and decided >= DECIDED * len(rows)


def _decided(program: tuple[str, str]) -> tuple[Verdict, float]:
    file, name = program
    start = computed()
    verdict = decide(str(ROOT / "corpus" / f"{file}.py"), name)
    return verdict, computed() - start


def _page(rows: list[tuple[str, Program, Verdict, float]], decided: int) -> str:
    lines = [*INTRODUCTION, "", f"Decided: {decided} of {len(rows)}."]
    last = ""
    for source, (name, _, mechanism, _, peer), verdict, seconds in rows:
        if source != last:
            head = "| there | here | verdict | bound | s |" + (" there, s |" if any(_peers(source)) else "")
            lines += ["", f"## {source}", "", head, "|---|---|---|---|---|" + ("---|" if any(_peers(source)) else "")]
            last = source
        bound = f"`{verdict.bound}`" if verdict.bound else "–"
        told = f" {peer or '–'} |" if any(_peers(source)) else ""
        lines.append(f"| {name} | `{mechanism}` | {verdict.verdict} | {bound} | {seconds:.1f} |{told}")
    return "\n".join(lines) + "\n"


def _peers(source: str) -> list[str]:
    return [peer for *_, peer in PROGRAMS[source]]
