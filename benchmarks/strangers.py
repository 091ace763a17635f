"""Mechanisms as strangers write them: how many are decided, none wrongly, and how long that takes.

The programs are in corpus/strangers; ``LAPWING_STRANGERS=responses,sums`` takes some of its shelves.
"""

import multiprocessing
import os
import statistics
from concurrent.futures import ProcessPoolExecutor

from tests.strangers import Stranger, strangers

from lapwing.decide.privacy import decide_text
from lapwing.decide.time_limits import computed
from lapwing.errors import LapwingError

SHARE, SLOW = 0.95, 30.0
MEANT = {"right": "proved", "wrong": "refuted", "outside": "refused"}


def main() -> bool:
    """Decide the shelf, print what is not decided, and say whether enough is and nothing wrongly."""
    shelves = os.environ.get("LAPWING_STRANGERS", "")
    chosen = [each for each in strangers() if not shelves or each.shelf in shelves.split(",")]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(_decided, chosen))
    wrong = [each.name for each, (verdict, _, _) in zip(chosen, found, strict=True) if _is_wrong(each, verdict)]
    for each, (verdict, seconds, reason) in zip(chosen, found, strict=True):
        if verdict != MEANT[each.truth] or seconds > SLOW:
            print(f"{verdict:8} {each.truth:8} {each.shelf}/{each.name} {seconds:.1f} s: {reason[:120]}")
    for shelf in sorted({each.shelf for each in chosen}):
        own = [
            MEANT[each.truth] == verdict
            for each, (verdict, _, _) in zip(chosen, found, strict=True)
            if each.shelf == shelf
        ]
        print(f"{shelf:12} {sum(own):4} of {len(own)} decided")
    times = [seconds for _, seconds, _ in found]
    decided = sum(MEANT[each.truth] == verdict for each, (verdict, _, _) in zip(chosen, found, strict=True))
    print(f"{decided} of {len(chosen)} decided, {len(wrong)} wrong {wrong}")
    print(f"median {statistics.median(times):.2f} s of computing, at most {max(times):.1f} s")
    return not wrong and decided >= SHARE * len(chosen) and max(times) <= SLOW


def _is_wrong(program: Stranger, verdict: str) -> bool:
    return verdict in ("proved", "refuted") and verdict != MEANT[program.truth]


def _decided(program: Stranger) -> tuple[str, float, str]:
    begun = computed()
    try:
        verdict = decide_text(program.text, program.name)
    except LapwingError as error:
        return "refused", computed() - begun, str(error.problem)
    return verdict.verdict, computed() - begun, verdict.reason or ""


if __name__ == "__main__":
    main()
