"""Random queries of our own SQL under audit, on awkward neighbours of made-up tables: none may be refuted.

Each query is asked under one of four policies (by unit and by row, added and replaced) and at one of three prices. What
carries noise, the answer as it is shown and the whole road are attacked; pairs of runs end an attack, not time, so that
a busy machine attacks no less. Each audit is wrong at most once in a million.
"""

import random
from collections import Counter
from fractions import Fraction

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit.betting import pairs_needed
from lapwing.audit.finding import NOT_REFUTED
from lapwing.audit.pair_attack import Claim
from lapwing.audit.pipeline import SHARES, Stamina, audit_policy
from lapwing.errors import LapwingError
from tests.audit.queries import policy, query

WAYS = [(neighbours, unit) for neighbours in Neighbours for unit in ("person", None)]
PRICES = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
#: Pairs of runs in which what carries noise is attacked. Quantiles are chosen group by group and run by run, so that
#: where there are groups, there are fewer.
NOISE, CHOSEN, FEWER = 2000, ("MEDIAN", "QUANTILE", "MAX"), 400
#: Pairs from which an event is learnt, where all are few; and what is enough to refute, as a multiple of the least.
LEARNT, AMPLE = 30, 1.2
#: The whole road takes most of the time: every so many queries it is attacked as well.
EVERY = 20


def campaign(count, seed=0, tables=2):
    """The verdicts on so many queries; a refutation, or an audit that could not have refuted, is a contradiction."""
    chance, found = random.Random(seed), Counter()
    for number in range(count):
        neighbours, unit = WAYS[number % len(WAYS)]
        claim = Claim(PRICES[number % len(PRICES)], Fraction(0), Fraction(1, 10**6))
        enough = LEARNT + round(AMPLE * pairs_needed(claim.level, 0.0, float(claim.alpha * SHARES[1])))
        finding = None
        while finding is None:
            sql = query(chance)
            is_slow = "GROUP BY" in sql and any(word in sql for word in CHOSEN)
            most = FEWER if is_slow else NOISE, enough, enough if number % EVERY == EVERY - 1 else 0
            try:
                finding = audit_policy(
                    policy(neighbours, unit), sql, claim, Stamina(3600, tables, most), seed=seed + number
                )
            except LapwingError as refused:  # for every table alike
                found[f"refused, another taken ({refused.code})"] += 1
        found[finding.verdict] += 1
        found["pairs of runs"] += finding.pairs
        steps = finding.shown.get("steps", ())
        found["attacks on the whole road"] += len(steps) == len(SHARES)
        if any(step.verdict != NOT_REFUTED for step in (finding, *steps)):
            found["CONTRADICTION"] += 1
            print(f"{neighbours.value} by {unit or 'row'}: {sql}\n{finding}", flush=True)
        if (number + 1) % EVERY == 0:
            print(f"{number + 1} queries: {found['not refuted']} not refuted", flush=True)
    return found
