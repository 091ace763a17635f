"""The attack on one pair of inputs: learn an event from some runs, bet on it with the next ones, learn again.

The one idea: nothing is wasted. Every run that was bet on may teach the next event, because an event only has to be
fixed *before* the runs it is bet on. So the first event is learnt from few runs (which finds large leaks at once), and
a better one each time the number of runs has grown fourfold.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import numpy as np

from lapwing.audit.betting import AGAINST_THE_CLAIM, HIGHEST, WHEN_SQUEEZING, Accounts, Rates, Tally, bound_so_far
from lapwing.audit.choosing_events import Chosen, choose
from lapwing.audit.finding import LEFT, RIGHT, Chunk, Watched
from lapwing.audit.order_of_runs import Order, Stretches
from lapwing.audit.quiet_arithmetic import quietly
from lapwing.audit.run_limits import TimeIsUp
from lapwing.audit.sampling import Sampler
from lapwing.audit.sanity import always_raised, refuse_fixed_noise, refuse_memory
from lapwing.audit.seen_answers import Batch, joined

#: Pairs for the first event: at most, at least, and as a share of the time.
FIRST, FEWEST, SHARE = 1000, 30, 0.1
#: An event is learnt again when there are so many times more pairs; never from more pairs than these.
AGAIN, LEARNT = 4, 400_000
#: Where a bound is squeezed: pairs to learn from, as all of them help to choose a threshold later; how many times more
#: there must be for another threshold; and the share of all pairs, or of the time, after which all money is bet.
SQUEEZED, RUNG, _MATERIAL, _PATIENT = 240_000, 1.4, 0.05, 0.15
#: Numbers that are kept to learn from, on each side: long answers fill memory.
CELLS = 8_000_000
#: Pairs in a chunk: a share of those so far, and limits; and the seconds that one may take.
CHUNK, SMALLEST, LARGEST, PATIENCE = 0.05, 25, 250_000, 0.5
#: The same as a share of all seconds, so that a long audit makes no more chunks than are quickly checked.
FEW = 0.004
#: The wealth is looked at more closely when it seems to be above the bar by this much.
_MARGIN = 1e-6
#: An event that was never seen on the other side is taken to have been seen there this often.
_DOUBT = 0.15
#: Levels beside the claim, as parts of the way to the one that the event may show; what splitting the money costs.
_PARTS, _SPLIT = (0.4, 0.65, 0.85, 1.0, 1.1), 4.0
#: The same where the event shows less than the claim.
_BELOW = (0.7, 0.85, 0.93, 0.97, 1.0)
#: Learning is put off when it would take more than this share of the time that is left.
_AFFORDABLE = 0.4


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed of the callable on neighbouring inputs, and the error that an accusation may have."""

    epsilon: Fraction
    delta: Fraction
    alpha: Fraction

    @property
    def level(self) -> float:
        """ε for the search, which computes in floats: what is as good as infinite is a large number."""
        return min(float(min(self.epsilon, Fraction(10**6))), HIGHEST)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an audit is, for whoever watches."""

    phase: str
    pairs: int
    rate: float
    event: str
    #: the logarithm of the wealth against the claim, and the one that refutes it
    wealth: float
    bar: float
    seconds_left: float
    #: the claim; and the bound so far, roughly, for whoever asks: it takes a moment
    claim: float = 0.0
    at_least: Callable[[], float] = lambda: 0.0


Listener = Callable[[Progress], None]


@dataclass(slots=True)
class Trail:
    """What an attack did: its events, its accounts, its chunks; and a few answers for the report."""

    events: list[Watched] = field(default_factory=list)
    accounts: list[Fraction] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    #: by event: in which order it came, where it is likelier and on the other side
    orders: list[tuple[Order, Order]] = field(default_factory=list)
    #: the order of all answers, left and right
    stretches: tuple[Stretches, Stretches] = field(default_factory=lambda: (Stretches(), Stretches()))
    pairs: int = 0
    raised: str | None = None
    interrupted: KeyboardInterrupt | None = None
    samples: tuple[Batch, Batch] | None = None
    watched: list[Chosen] = field(default_factory=list)

    @property
    def chosen(self) -> Chosen | None:
        """The event that was last bet on; an event that was learnt when the time was up is none."""
        if not self.chunks:
            return self.watched[-1] if self.watched else None
        return self.watched[self.chunks[-1].event]

    @property
    def staked(self) -> int:
        """Pairs that were bet on."""
        return sum(chunk.pairs for chunk in self.chunks)


@dataclass(slots=True)
class Attack:
    """An attack under way. ``run`` ends at a refutation (unless it is to squeeze), when time is up, or by Ctrl-C."""

    sampler: Sampler
    claim: Claim
    seconds: float
    squeeze: bool = False
    #: seconds to go on after a refutation, for a bound that says more than the claim's
    afterwards: float = 0.0
    listen: Listener = lambda _: None
    most: int | None = None
    #: an event to bet on from the first pair, where it is known beforehand
    known: Chosen | None = None
    trail: Trail = field(default_factory=Trail)
    _began: float = field(default_factory=time.monotonic)
    _memory: list[tuple[Batch, Batch]] = field(default_factory=list)
    _rate: float = 100.0
    _won: float | None = None
    _learning: float = 0.0
    _learnt: int = 0

    def run(self) -> Trail:
        """Attack until there is nothing more to do; what was found so far stands whenever it ends."""
        try:
            with quietly():
                self._all()
        except TimeIsUp:
            pass
        except KeyboardInterrupt as interruption:
            self.trail.interrupted = interruption  # held on to, so that whoever rings sees that it was heard
        return self.trail

    @property
    def _deadline(self) -> float:
        return self._began + self.seconds

    def _all(self) -> None:
        if self.known is None:
            self._warm_up()
        delta, epsilon = float(self.claim.delta), self.claim.level
        accounts = Accounts(delta)
        accounts.open([epsilon], WHEN_SQUEEZING if self.squeeze else AGAINST_THE_CLAIM)
        tally = Tally(epsilon, delta)
        chosen: Chosen | None = None
        while not self._is_over(tally):
            chosen = self._next(chosen, epsilon, delta)
            self._aim(accounts, self._levels(chosen, epsilon))
            self.trail.accounts = list(accounts.first)
            self._bet(chosen, accounts, tally)

    def _next(self, before: Chosen | None, epsilon: float, delta: float) -> Chosen:
        """The event to bet on next: learnt anew, or the best threshold of a score that was learnt before."""
        if self.known is not None:
            return self._watch(self.known)
        if before is None or before.ladder is None or self._is_time_to_learn():
            return self._learn(epsilon, delta)
        best = before.ladder.best(epsilon, delta, self._in_all())
        is_the_same = (best.rung, best.likelier) == (before.rung, before.likelier)
        return best if is_the_same else self._watch(best)

    def _aim(self, accounts: Accounts, levels: list[float]) -> None:
        """Open accounts beside the claim's. Where a bound is squeezed, all money waits until the event is a good one.

        What is bet on events of the first few runs is often lost; later events take the accounts over.
        """
        if not self.squeeze:
            accounts.open_set(levels)
        elif self._is_material():
            accounts.retarget(levels)

    def _is_material(self) -> bool:
        """Whether there were enough runs for an event that is worth betting on, where a bound is squeezed."""
        waited = time.monotonic() - self._began >= _PATIENT * self.seconds
        return waited or self.trail.pairs >= _MATERIAL * self._expected()

    def _is_time_for_another(self, chosen: Chosen, accounts: Accounts, began: int) -> bool:
        """Whether another event may be better by now, if only by its threshold, or the money is to come into play."""
        if self._is_time_to_learn():
            return True
        if chosen.ladder is None or not self._is_material():
            return False
        return not accounts.sets or self.trail.pairs >= RUNG * began

    def _is_over(self, tally: Tally) -> bool:
        now = time.monotonic()
        if self._won is None and tally.peak >= self._bar + _MARGIN:
            self._won = now
        won = self._won is not None and not self.squeeze and now >= self._won + self.afterwards
        enough = self.most is not None and self.trail.pairs >= self.most
        return won or enough or now >= self._deadline or self.trail.raised is not None

    @property
    def _bar(self) -> float:
        return -math.log(self.claim.alpha)

    # --- the first runs --------------------------------------------------------------------------------

    def _warm_up(self) -> None:
        """The first pairs: how fast it runs, whether it is fit to be audited, and something to learn from."""
        started = time.monotonic()
        left, right = self.sampler.raw(16, self._deadline)
        refuse_fixed_noise(left, right)
        encoder = self.sampler.encoder
        self._keep(encoder.encode(left), encoder.encode(right))
        self._timed(16, started)
        few = FIRST if self.most is None else self.most // 4
        wanted = int(min(FIRST, max(FEWEST, min(few, self._rate * self.seconds * SHARE))))
        while self.trail.pairs < wanted:
            self._draw(min(wanted - self.trail.pairs, max(16, int(self._rate * PATIENCE))), "learning")
        left_runs, right_runs = self._remembered()
        if self.sampler.call is not None:
            for runs, side in ((left_runs, LEFT), (right_runs, RIGHT)):
                refuse_memory(runs, np.zeros(len(runs), dtype=bool), encoder, side)
        self.trail.raised = always_raised(left_runs, right_runs, encoder)

    def _draw(self, pairs: int, phase: str) -> tuple[Batch, Batch]:
        started = time.monotonic()
        left, right = self.sampler.draw(pairs, self._deadline)
        if self.sampler.call is not None:
            for batch, side, first in ((left, LEFT, ~self.sampler.first), (right, RIGHT, self.sampler.first)):
                refuse_memory(batch, first, self.sampler.encoder, side)
        self._timed(pairs, started)
        self._keep(left, right)
        self._say(phase)
        return left, right

    def _timed(self, pairs: int, started: float) -> None:
        self._rate = pairs / max(time.monotonic() - started, 1e-6)

    def _keep(self, left: Batch, right: Batch) -> None:
        self.trail.pairs += len(left)
        for stretches, batch in zip(self.trail.stretches, (left, right), strict=True):
            stretches.see(batch)
        self._memory.append((left, right))
        enough = min(LEARNT, CELLS // max(1, left.values.shape[1]))
        while len(self._memory) > 1 and sum(len(each) for each, _ in self._memory[1:]) >= enough:
            self._memory.pop(0)

    def _remembered(self) -> tuple[Batch, Batch]:
        return joined([left for left, _ in self._memory]), joined([right for _, right in self._memory])

    # --- learning and betting --------------------------------------------------------------------------

    def _learn(self, epsilon: float, delta: float) -> Chosen:
        started, self._learnt = time.monotonic(), self.trail.pairs
        left, right = self._remembered()
        self.trail.samples = left.take(slice(0, 4000)), right.take(slice(0, 4000))
        most = SQUEEZED if self.squeeze else LEARNT
        left, right = left.take(slice(0, most)), right.take(slice(0, most))
        reach = self._in_all() if self.squeeze else 0
        chosen = choose(left, right, self.sampler.encoder, epsilon, delta, models=len(left) >= 200, reach=reach)
        self._learning = time.monotonic() - started
        return self._watch(chosen)

    def _watch(self, chosen: Chosen) -> Chosen:
        self.trail.watched.append(chosen)
        self.trail.events.append(Watched(chosen.text, chosen.likelier, 0, 0, 0))
        self.trail.orders.append((Order(), Order()))
        return chosen

    def _expected(self) -> float:
        """How many pairs there is time for."""
        in_time = max(100.0, self._rate * max(0.0, self._deadline - time.monotonic()))
        return in_time if self.most is None else min(in_time, max(1.0, float(self.most - self.trail.pairs)))

    def _in_all(self) -> int:
        """How many pairs there will have been in the end."""
        return int(self.trail.pairs + self._expected())

    def _levels(self, chosen: Chosen, epsilon: float) -> list[float]:
        """Levels to bet against beside the claim: around what the event may show in the time there is."""
        pairs = self._in_all() if self.squeeze else min(self._expected(), 1e5)
        top = chosen.reachable(pairs, float(self.claim.delta), self._bar + _SPLIT)
        if top > epsilon + 0.001:
            return [epsilon + (top - epsilon) * part for part in _PARTS]
        return [top * part for part in _BELOW] if top > 0.001 else []

    def _bet(self, chosen: Chosen, accounts: Accounts, tally: Tally) -> None:
        """Bet on an event, chunk by chunk, until it is time to learn again."""
        often, seldom, weight = chosen.rates.often, chosen.rates.seldom, chosen.rates.weight
        seen_often, seen_seldom, seen = often * weight, seldom * weight, weight
        began = self.trail.pairs
        while not self._is_over(tally) and not self._is_time_for_another(chosen, accounts, began):
            stakes = accounts.stakes(Rates(seen_often / seen, (seen_seldom + _DOUBT) / (seen + 1), seen))
            left, right = self._draw(self._size(), "betting")
            on_left, on_right = chosen.seen(left, right)
            a, b = (on_left, on_right) if chosen.likelier == LEFT else (on_right, on_left)
            chunk = Chunk(
                len(self.trail.events) - 1,
                int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()),
                stakes,
            )  # fmt: skip
            tally.settle(chunk, accounts.first)
            self._note(chunk)
            for order, event in zip(self.trail.orders[-1], (a, b), strict=True):
                order.see(event)
            seen_often, seen_seldom, seen = seen_often + int(a.sum()), seen_seldom + int(b.sum()), seen + len(a)
            self._say("betting", tally)

    def _is_time_to_learn(self) -> bool:
        """Whether runs have multiplied since, and there is time to learn once more (and to squeeze what was learnt)."""
        if self.known is not None or self.trail.pairs < self._learnt * AGAIN:
            return False
        worth_it = not self.squeeze or self._expected() >= self.trail.pairs
        return worth_it and self._learning <= _AFFORDABLE * (self._deadline - time.monotonic())

    def _size(self) -> int:
        """Pairs in the next chunk: decided before they are drawn, by how many there were and how long they take."""
        wanted = max(SMALLEST, CHUNK * self.trail.pairs)
        patience = max(PATIENCE, FEW * self.seconds)
        in_time = self._rate * min(patience, max(0.02, self._deadline - time.monotonic()) * 0.5)
        width = self._memory[-1][0].values.shape[1] if self._memory else 1
        return int(max(1, min(wanted, in_time, LARGEST, CELLS / max(1, width))))

    def _note(self, chunk: Chunk) -> None:
        last = self.trail.events[-1]
        here, there = chunk.both + chunk.likelier, chunk.both + chunk.other
        left, right = (here, there) if last.likelier == LEFT else (there, here)
        self.trail.chunks.append(chunk)
        self.trail.events[-1] = Watched(
            last.text, last.likelier, last.left + left, last.right + right, last.pairs + chunk.pairs
        )

    def _say(self, phase: str, tally: Tally | None = None) -> None:
        event = self.trail.events[-1].text if self.trail.events else ""
        left = max(0.0, self._deadline - time.monotonic())
        wealth, level = tally.peak if tally else 0.0, self.claim.level
        chunks, first = self.trail.chunks, self.trail.accounts
        bound = partial(bound_so_far, chunks, first, level, float(self.claim.delta), self._bar)
        self.listen(Progress(phase, self.trail.pairs, self._rate, event, wealth, self._bar, left, level, bound))
