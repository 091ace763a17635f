"""Random queries of our own SQL under audit, on awkward neighbours: none may be refuted.

    python benchmarks/audit_queries.py [--queries 200] [--seconds 8] [--seed 1]

Each query is asked of made-up tables of one policy, by unit and by row, added and replaced in turn; what is refused for
every table alike is counted and another is drawn. Each audit is wrong at most once in a million.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit.blackbox import Claim
from lapwing.audit.pipeline import audit_policy
from lapwing.errors import LapwingError

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.audit.queries import policy, query  # the queries of the test suite

CLAIM = Claim(Fraction(1), Fraction(0), Fraction(1, 10**6))
WAYS = [(neighbours, unit) for neighbours in Neighbours for unit in ("person", None)]


def main(queries: int = 40, seconds: float = 8.0, seed: int = 1) -> bool:
    """Audit random queries; whether none is refuted."""
    generator = random.Random(seed)
    verdicts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    pairs, began = 0, time.perf_counter()
    while sum(verdicts.values()) < queries:
        number = sum(verdicts.values())
        neighbours, unit = WAYS[number % len(WAYS)]
        sql = query(generator)
        try:
            finding = audit_policy(policy(neighbours, unit), sql, CLAIM, seconds=seconds, seed=number, pairs=5)
        except LapwingError as error:
            refused[error.code] += 1
            continue
        verdicts[finding.verdict] += 1
        pairs += finding.pairs
        if finding.refuted:
            print(f"REFUTED {neighbours.value} by {unit or 'row'}: {sql}\n{finding}\n", flush=True)
        elif number % 20 == 19:
            print(f"{number + 1} queries, {dict(verdicts)}, {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{dict(verdicts)}; {pairs:,} pairs bet on or learnt from; refused for every table alike: {dict(refused)}")
    return not verdicts["refuted"]


if __name__ == "__main__":
    words = argparse.ArgumentParser()
    words.add_argument("--queries", type=int, default=200)
    words.add_argument("--seconds", type=float, default=8.0)
    words.add_argument("--seed", type=int, default=1)
    sys.exit(0 if main(**vars(words.parse_args())) else 1)
