"""Choosing one event to bet on, from runs that will not be bet on.

The one idea: an event is worth as much as it promises *at worst*: its rates are taken at the far ends of an interval
around what was seen, and the event whose money would still grow fastest wins. Judging by the rates as seen, or by how
many standard errors they are apart, picks rare accidents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lapwing.audit.betting import Rates, growth
from lapwing.audit.features import Floats
from lapwing.audit.finding import LEFT, RIGHT
from lapwing.audit.quiet_arithmetic import quietly
from lapwing.audit.scores import Score, fitted_scores, plain_scores, positions
from lapwing.audit.seen_answers import Batch, Encoder

#: How many standard errors a rate is moved to the side that is worse for the event; less where a bound is squeezed.
CAUTION, LESS = 2.5, 2.2
#: The same for the first stakes on the event that was chosen: too much caution would keep them at 0 for long.
FIRST = 1.0
#: What was seen while choosing counts at most as so many pairs when stakes are set; and as this share of them, where a
#: bound is squeezed: then the rates of rare events are to be known well before much is staked.
_BELIEVED, _TRUSTED = 200.0, 0.5
#: More runs than this change neither a fit nor the order of events by much; a fit where a bound is squeezed takes more.
_ENOUGH, _MORE = 20_000, 100_000
#: Events that are looked at again in all runs, those that a person can read and those that are learnt.
_FINALISTS = 3
#: An event that a person can read is taken at this share of the worth of a learnt one.
_READABLE = 0.85
#: Halvings of the stake while events are compared: a hundredth of the best stake is near enough.
_ROUGHLY = 10
#: The logarithm of the money that events are compared by, where the largest bound is wanted.
_BAR = 8.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """An event: when it holds, on which side it is likelier, and the rates it is believed to have, at worst."""

    text: str
    likelier: str
    holds: Callable[[Batch], np.ndarray]
    rates: Rates
    #: the rates as they were seen; a rate of 0 counts as half an occurrence
    often: float = 1.0
    seldom: float = 1.0
    #: where a bound is squeezed: the other thresholds of the same score, and the event's own (at least it, or at most)
    ladder: Ladder | None = None
    rung: tuple[bool, float] | None = None
    #: the number that the event is a threshold of
    score: Callable[[Batch], Floats] | None = None

    def seen(self, left: Batch, right: Batch) -> tuple[np.ndarray, np.ndarray]:
        """In which runs it held, left and right; these teach the ladder, if there is one."""
        if self.ladder is None or self.rung is None:
            return self.holds(left), self.holds(right)
        scores = self.ladder.score.of(left), self.ladder.score.of(right)
        self.ladder.see(*scores)
        return _meets(scores[0], *self.rung), _meets(scores[1], *self.rung)

    def reachable(self, pairs: float, delta: float, bar: float) -> float:
        """The level that so many pairs would reject if the rates were as seen."""
        often, seldom = np.array([self.often]), np.array([self.seldom])
        level = np.log(np.maximum(often - delta, 1e-12) / seldom)
        return float(_level_in_reach(often, seldom, level, delta, pairs, bar)[0])


@dataclass(frozen=True, slots=True)
class _Candidate:
    worth: tuple[float, float]
    score: Score
    up: bool
    threshold: float
    likelier: str
    seen: tuple[float, float, int]

    def chosen(self) -> Chosen:
        often, seldom, n = self.seen
        p, q = np.array(often), np.array(seldom)
        rates = Rates(float(lowest(p, n, FIRST)), float(highest(q, n, FIRST)), min(float(n), _BELIEVED))
        text = self.score.words(self.up, self.threshold)
        return Chosen(text, self.likelier, self.holds, rates, often, max(seldom, 0.5 / n), score=self.score.of)

    def holds(self, batch: Batch) -> np.ndarray:
        return _meets(self.score.of(batch), self.up, self.threshold)


@dataclass(slots=True)
class Ladder:
    """The thresholds of one score, and how often each was met, on either side, in all runs that it was not fitted on.

    The rates of a rare event are hardly known when it is chosen. Here they are counted while it is bet on, so that the
    next bets go to the threshold that has turned out best.
    """

    score: Score
    rungs: Floats
    #: how many runs were at least, and at most, at each rung: left and right
    up: tuple[Floats, Floats]
    down: tuple[Floats, Floats]
    runs: int = 0

    @classmethod
    def of(cls, score: Score, left: Batch, right: Batch) -> Ladder:
        """A ladder with these runs on it."""
        here, there = score.of(left), score.of(right)
        rungs = positions(np.concatenate([here, there]))
        up, down = ((np.zeros(len(rungs)), np.zeros(len(rungs))) for _ in range(2))
        made = cls(score, rungs, up, down)
        made.see(here, there)
        return made

    def see(self, *sides: Floats) -> None:
        """More runs: their scores on the left and on the right."""
        for values, up, down in zip(sides, self.up, self.down, strict=True):
            some, most = values[~np.isnan(values)], len(self.rungs)
            below = np.bincount(np.searchsorted(self.rungs, some, "right"), minlength=most + 1)
            up += len(some) - np.cumsum(below)[:most]
            down += np.cumsum(np.bincount(np.searchsorted(self.rungs, some, "left"), minlength=most + 1))[:most]
        self.runs += len(sides[0])

    def best(self, epsilon: float, delta: float, reach: int) -> Chosen:
        """The threshold whose event would show most in so many pairs."""
        counted = ((True, self.up), (False, self.down))
        rates = [(up, (left / self.runs, right / self.runs)) for up, (left, right) in counted]
        found = _best_of(self.score, self.rungs, rates, self.runs, epsilon, delta, reach, 0.0)
        assert found is not None  # noqa: S101  # there was one at first
        chosen = found.chosen()
        believed = replace(chosen.rates, weight=max(chosen.rates.weight, _TRUSTED * self.runs))
        return replace(chosen, rates=believed, ladder=self, rung=(found.up, found.threshold))


def choose(
    left: Batch, right: Batch, encoder: Encoder, epsilon: float, delta: float, *, models: bool = True, reach: int = 0
) -> Chosen:
    """The most promising event; half of the runs (or enough of them) fit the scores, the others choose thresholds.

    With ``reach`` the event is for the largest bound that so many pairs could give, not for the quickest refutation.
    """
    n = min(len(left), len(right))
    places = np.arange(n)
    fit = (places % 2 == 0) & (places < 2 * (_MORE if reach and n > 2 * _MORE else _ENOUGH))
    left, right = left.take(slice(0, n)), right.take(slice(0, n))
    picked = left.take(~fit), right.take(~fit)
    scores = plain_scores(left, right, encoder)
    simple = _finalists(scores, (left, right), epsilon, delta, reach)
    fitted = fitted_scores(left.take(fit), right.take(fit), encoder, models=models)
    learnt = _finalists(fitted, picked, epsilon, delta, reach)
    if not simple and not learnt:  # all answers are alike
        return Chosen("there is an answer", LEFT, lambda batch: np.ones(len(batch), dtype=bool), Rates(1, 1, 1))
    best, plain = (max(each, key=lambda one: one.worth, default=None) for each in (learnt, simple))
    if best is None or (plain is not None and plain.worth >= (best.worth[0] * _READABLE, best.worth[1] * _READABLE)):
        best = plain
    assert best is not None  # noqa: S101  # one of the two lists has an entry
    if not reach:
        return best.chosen()
    return Ladder.of(best.score, *((left, right) if best is plain else picked)).best(epsilon, delta, reach)


def promise(left: Batch, right: Batch, encoder: Encoder, epsilon: float, delta: float) -> tuple[float, float]:
    """How promising a pair of inputs is, from a few runs: orders pairs, accuses nobody."""
    found = _candidates(plain_scores(left, right, encoder), left, right, epsilon, delta, 0)
    return max((each.worth for each in found), default=(0.0, -math.inf))


def _finalists(
    scores: Iterable[Score], sides: tuple[Batch, Batch], epsilon: float, delta: float, reach: int
) -> list[_Candidate]:
    """The best events of some runs, looked at again in all of them."""
    some = slice(0, _ENOUGH)
    found = _candidates(scores, sides[0].take(some), sides[1].take(some), epsilon, delta, reach)
    if len(sides[0]) <= _ENOUGH:
        return found
    best = sorted(found, key=lambda each: each.worth, reverse=True)[:_FINALISTS]
    return _candidates([each.score for each in best], *sides, epsilon, delta, reach)


def _candidates(
    scores: Iterable[Score], left: Batch, right: Batch, epsilon: float, delta: float, reach: int
) -> list[_Candidate]:
    """The best event of each score."""
    found: list[_Candidate] = []
    for score in scores:
        here, there = score.of(left), score.of(right)
        least = max((each.worth[0] for each in found), default=0.0)
        best = _best(score, here, there, epsilon, delta, reach, least)
        if best is not None:
            found.append(best)
    return found


def _best(
    score: Score, left: Floats, right: Floats, epsilon: float, delta: float, reach: int, least: float
) -> _Candidate | None:
    n = min(len(left), len(right))
    thresholds = positions(np.concatenate([left, right]))
    if not len(thresholds) or not n:
        return None
    a, b = np.sort(left[~np.isnan(left)]), np.sort(right[~np.isnan(right)])
    hits = [(up, (_hits(a, thresholds, up) / len(left), _hits(b, thresholds, up) / len(right))) for up in (True, False)]
    return _best_of(score, thresholds, hits, n, epsilon, delta, reach, least)


def _best_of(
    score: Score,
    thresholds: Floats,
    hits: Sequence[tuple[bool, tuple[Floats, Floats]]],
    n: int,
    epsilon: float,
    delta: float,
    reach: int,
    least: float,
) -> _Candidate | None:
    """The best threshold of a score, from the rates at which each was met on the left and on the right."""
    best: _Candidate | None = None
    for up, (left, right) in hits:
        for likelier, often, seldom in ((LEFT, left, right), (RIGHT, right, left)):
            first, second = _worth(often, seldom, n, epsilon, delta, reach, least)
            at = int(np.lexsort((second, first))[-1])
            worth = (float(first[at]), float(second[at]))
            if best is None or worth > best.worth:
                best = _Candidate(
                    worth, score, up, float(thresholds[at]), likelier, (float(often[at]), float(seldom[at]), n)
                )
    return best


def _meets(scores: Floats, up: bool, threshold: float) -> np.ndarray:
    with quietly():
        return scores >= threshold if up else scores <= threshold


def _hits(values: Floats, thresholds: Floats, up: bool) -> Floats:
    if up:
        return (len(values) - np.searchsorted(values, thresholds, "left")).astype(np.float64)
    return np.searchsorted(values, thresholds, "right").astype(np.float64)


def _worth(
    often: Floats, seldom: Floats, n: int, epsilon: float, delta: float, reach: int, least: float
) -> tuple[Floats, Floats]:
    """First by how fast money would grow against the claim at worst, then by the level at worst.

    With ``reach`` by the level alone: the highest whose growth would do in so many pairs. What cannot pass ``least``,
    the best so far, is not computed.
    """
    caution = LESS if reach else CAUTION
    low, high = lowest(often, n, caution), highest(seldom, n, caution)
    level = np.log(np.maximum(low - delta, 1e-12) / high)
    apart = (often - seldom) / np.sqrt((often * (1 - often) + seldom * (1 - seldom)) / n + 1 / n**2)
    level = np.where(level > 0, level, -1 / (1 + np.maximum(apart, 0)))  # nothing is certain yet: what looks most apart
    if reach:
        worth, able = np.zeros(np.shape(level)), level > least
        if able.any():
            worth[able] = _level_in_reach(low[able], high[able], level[able], delta, reach, _BAR)
        return worth, level
    odds = np.full(np.shape(often), math.exp(epsilon))
    return growth(low, high, odds, delta, _ROUGHLY)[1], level


def _level_in_reach(low: Floats, high: Floats, level: Floats, delta: float, pairs: float, bar: float) -> Floats:
    """The highest level at which money grows to e^bar in so many pairs, by halving."""
    bottom, top = np.zeros(np.shape(low)), np.maximum(level, 0.0)
    for _ in range(8):
        middle = (bottom + top) / 2
        enough = growth(low, high, np.exp(middle), delta, _ROUGHLY)[1] * pairs >= bar
        bottom, top = np.where(enough, middle, bottom), np.where(enough, top, middle)
    return bottom


def lowest(rate: Floats, n: int, caution: float = CAUTION) -> Floats:
    """A rate that is hardly above the true one (Wilson's interval)."""
    return np.maximum(_wilson(np.asarray(rate), n, -caution), 0.0)


def highest(rate: Floats, n: int, caution: float = CAUTION) -> Floats:
    """A rate that is hardly below the true one (Wilson's interval)."""
    return np.minimum(_wilson(np.asarray(rate), n, caution), 1.0)


def _wilson(rate: Floats, n: int, z: float) -> Floats:
    square = z * z / n
    return (rate + square / 2 + z * np.sqrt(rate * (1 - rate) / n + square / (4 * n))) / (1 + square)
