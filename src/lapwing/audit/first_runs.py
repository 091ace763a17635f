"""First runs: what a callable answers in a process in which it never ran before.

The one idea: noise that is kept (in a cache, in an input, from the import of a module) is the same in all runs of one
process, and passes for an answer without noise. So a process is split off before the callable runs at all. When a claim
is about to be refuted, that one splits off a new process for each of some pairs of runs. If the event that refutes is
rarer there, or more frequent, then later runs are no fresh draws, and nobody is accused.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapwing.audit.choosing_events import Chosen
from lapwing.audit.finding import LEFT, Finding
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.one_answer import Glance
from lapwing.audit.reseeding import generators_of, reseed
from lapwing.audit.sampling import answered, fresh
from lapwing.audit.seen_answers import Encoder
from lapwing.audit.separate_process import Unheard, apart, end, heard, split, told
from lapwing.errors import InvalidInput

Call = Callable[[object], object]
#: Pairs of first runs: so many for each e^ε, and limits; seconds for all of them, and for one.
PER_ODDS, FEWEST, MOST, SECONDS, ONE = 30, 40, 200, 4.0, 2.0
#: The logarithm of a probability that is no chance.
_UNHEARD_OF = math.log(1e-7)
#: A process that nobody asks anything ends by itself after a day.
_DAY = 86_400.0


@dataclass(slots=True)
class FirstRuns:
    """The process that was split off, and the pipes to it and from it."""

    child: int
    asking: int
    hearing: int

    @classmethod
    def kept_for(cls, call: Call, function: object, pairs: Sequence[Pair]) -> FirstRuns | None:
        """Split it off, before anything ran; None where that is not possible."""
        question, asking = os.pipe()
        hearing, answer = os.pipe()

        def serve() -> None:
            os.close(asking)
            os.close(hearing)
            generators = None
            while True:
                number, count = json.loads(heard(question, time.monotonic() + _DAY)[0])
                generators = generators_of(function) if generators is None else generators
                found: object = ()
                for place in range(count):
                    if found is not None:  # where one gives no answer in time, no other is waited for
                        found = _one(call, generators, pairs[number], right_first=bool(place % 2))
                    told(answer, found)

        try:
            child = split(serve, _DAY)
        except Unheard:
            for pipe in (question, asking, hearing, answer):
                os.close(pipe)
            return None
        os.close(question)
        os.close(answer)
        return cls(child, asking, hearing)

    def draw(self, number: int, count: int) -> tuple[list[Glance], list[Glance]]:
        """The answers of first runs on a pair, left and right; raises Unheard where they do not come."""
        told(self.asking, [number, count])
        lines = heard(self.hearing, time.monotonic() + SECONDS + ONE * count, count)
        found = [json.loads(line) for line in lines]
        if any(each is None for each in found):
            raise Unheard("a first run gave no answer")
        left, right = ([_look(each[side]) for each in found] for side in (0, 1))
        return left, right

    def close(self) -> None:
        """End the process."""
        end(self.child)
        os.close(self.asking)
        os.close(self.hearing)


def refuse_kept_noise(first: FirstRuns, number: int, finding: Finding) -> None:
    """Refuse to accuse where the event does not happen as often in first runs; raises Unheard where nobody can tell."""
    chosen, encoder = finding.shown["chosen"], finding.shown["encoder"]
    assert isinstance(chosen, Chosen)  # noqa: S101  # a refutation has an event
    assert isinstance(encoder, Encoder)  # noqa: S101  # and an encoder
    began, wanted = time.monotonic(), math.ceil(PER_ODDS * math.exp(min(5.0, float(finding.epsilon))))
    left: list[Glance] = []
    right: list[Glance] = []
    while len(left) < FEWEST or (len(left) < min(MOST, wanted) and time.monotonic() < began + SECONDS):
        for side, more in zip((left, right), first.draw(number, FEWEST // 2), strict=True):
            side += more
    events = [_independent(looks, chosen.holds(encoder.of_looks(looks))) for looks in (left, right)]
    seen = finding.counts[:2], finding.counts[2]
    sides = [(event, hits) for event, hits in zip(events, seen[0], strict=True)]
    (here, k), (there, j) = sides if chosen.likelier == LEFT else sides[::-1]
    n, m = seen[1], min(len(here), len(there))
    each_side = [(sum(event), len(event), hits, n) for event, hits in ((here, k), (there, j))]
    # as expected: there on one side, not there on the other; of equally many, as they were when they were bet on
    together = (sum(here[:m]) + m - sum(there[:m]), 2 * m, k + n - j, 2 * n)
    if any(_chance(*each) < _UNHEARD_OF for each in (*each_side, together)):
        raise InvalidInput(
            "Y204",
            "the callable keeps its noise: in a process in which it never ran, the event comes at another rate",
            "Make a fresh object in every run, or take the cache, pool or fixed noise out",
        )


def _one(call: Call, generators: Sequence[object], pair: Pair, *, right_first: bool) -> object:
    """One pair of first runs, in a process of its own."""

    def run() -> object:
        reseed(generators)
        sides = (1, 0) if right_first else (0, 1)
        found: dict[int, Glance] = {
            side: Glance.at(answered(call, fresh(pair.right if side else pair.left))) for side in sides
        }
        return [[found[side].tag, found[side].values, sorted(found[side].marks)] for side in (0, 1)]

    try:
        return apart(run, ONE)
    except Unheard:
        return None


def _look(data: Sequence[Any]) -> Glance:
    tag, values, marks = data
    return Glance(tag, values, set(marks))


def _independent(looks: Sequence[Glance], event: np.ndarray) -> list[bool]:
    """The event in first runs; where all runs of one order are alike to the last bit, they count as one.

    A library with a generator of its own has the same state in all processes that were split from one.
    """
    found: list[bool] = []
    for order in (0, 1):
        own = [(look.tag, look.values) for look in looks[order::2]]
        hits = event[order::2].tolist()
        found += hits[:1] if all(repr(each) == repr(own[0]) for each in own) and own[0][1] else hits
    return found


def _chance(hits: int, runs: int, others: int, pairs: int) -> float:
    """The logarithm of how likely such rates are if first runs are like all others (Fisher's exact test)."""
    if not runs or not pairs:
        return 0.0
    total = hits + others

    def log_chance(count: int) -> float:
        return _choose(runs, count) + _choose(pairs, total - count) - _choose(runs + pairs, total)

    possible = range(max(0, total - pairs), min(runs, total) + 1)
    above = _log_sum([log_chance(count) for count in possible if count >= hits])
    below = _log_sum([log_chance(count) for count in possible if count <= hits])
    return min(0.0, min(above, below) + math.log(2))


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + math.log(sum(math.exp(each - top) for each in logs))
