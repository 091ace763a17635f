"""Random queries of our own SQL under audit, on awkward neighbours of made-up tables: none may be refuted.

Each query is asked under one of four policies (by unit and by row, added and replaced) and at one of three prices. What
carries noise, the answer as it is shown and the whole road are attacked; pairs of runs end an attack, not time, so that
a busy machine attacks no less. Each audit is wrong at most once in a million.
"""

import random
from collections import Counter
from fractions import Fraction

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit.blackbox import Claim
from lapwing.audit.pipeline import Stamina, audit_policy
from lapwing.errors import LapwingError
from tests.audit.queries import policy, query

WAYS = [(neighbours, unit) for neighbours in Neighbours for unit in ("person", None)]
PRICES = (Fraction(1), Fraction(1, 2), Fraction(2))
#: Pairs of runs in each step. The whole road takes most of the time: every so many queries it is attacked as well.
MOST, ROAD, EVERY = (2000, 70), 130, 20


def campaign(count, seed=0, tables=2):
    """The verdicts on so many queries; a refutation, or an audit that could not have refuted, is a contradiction."""
    chance, found = random.Random(seed), Counter()
    for number in range(count):
        neighbours, unit = WAYS[number % len(WAYS)]
        claim = Claim(PRICES[number % len(PRICES)], Fraction(0), Fraction(1, 10**6))
        effort = Stamina(3600, tables, (*MOST, ROAD if number % EVERY == EVERY - 1 else 0))
        finding = None
        while finding is None:
            sql = query(chance)
            try:
                finding = audit_policy(policy(neighbours, unit), sql, claim, effort, seed=seed + number)
            except LapwingError as refused:  # for every table alike
                found[f"refused, another taken ({refused.code})"] += 1
        found[finding.verdict] += 1
        found["pairs of runs"] += finding.pairs
        if finding.verdict != "not refuted":
            found["CONTRADICTION"] += 1
            print(f"{neighbours.value} by {unit or 'row'}: {sql}\n{finding}", flush=True)
        if (number + 1) % EVERY == 0:
            print(f"{number + 1} queries: {found['not refuted']} not refuted", flush=True)
    return found
