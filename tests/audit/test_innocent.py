"""Nobody is accused whose runs are no fresh draws: kept noise, noise in an input, batches with a memory."""

import functools
import itertools
import os
import random
import threading
import time

import numpy as np
import pytest

import lapwing
from lapwing.audit.betting import Rates
from lapwing.audit.choosing_events import Chosen
from lapwing.audit.finding import REFUTED, Chunk, Watched
from lapwing.audit.first_runs import refuse_kept_noise
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.one_answer import Glance
from lapwing.audit.order_of_runs import Order, Stretches
from lapwing.audit.pair_attack import Trail
from lapwing.audit.seen_answers import Batch
from lapwing.audit.separate_process import Unheard, apart
from lapwing.audit.suspicions import look
from lapwing.errors import InvalidInput

GENERATOR = np.random.default_rng()
RANDOM = random.SystemRandom()


def refusal(*inputs, **words):
    with pytest.raises(InvalidInput) as refused:
        lapwing.audit(*inputs, **{"epsilon": 1, "seconds": 5, "replay": False, **words})
    return refused.value.code


def coarse(x, draw=GENERATOR.laplace):
    return round(x + draw(0, 1))


# --- noise that is kept ---------------------------------------------------------------------------------------


def kept_in_a_dict():
    kept = {}

    def answer(x):
        if x not in kept:
            kept[x] = coarse(x)
        return kept[x]

    return answer


def kept_by_a_decorator():
    return functools.lru_cache(coarse)


def kept_from_one_generator_per_input():
    made = {}

    def answer(x):
        made.setdefault(x, np.random.default_rng())
        return round(x + np.random.default_rng(made[x].bit_generator.seed_seq.entropy).laplace())

    return answer


def kept_beside_fresh_noise():
    kept = {}

    def answer(x):
        return [kept.setdefault(x, RANDOM.random() < 0.4 + 0.2 * x), coarse(0), RANDOM.random()]

    return answer


def kept_in_an_attribute():
    class Mechanism:
        def __call__(self, x):
            if not hasattr(self, f"answer{x}"):
                setattr(self, f"answer{x}", coarse(x, np.random.laplace))
            return getattr(self, f"answer{x}")

    return Mechanism()


KEPT = [kept_in_a_dict, kept_by_a_decorator, kept_from_one_generator_per_input, kept_beside_fresh_noise,
        kept_in_an_attribute]  # fmt: skip


@pytest.mark.parametrize("make", KEPT)
def test_kept_noise_accuses_nobody(make):
    """Whether the two kept answers differ is chance: where they do, the audit must notice that they are kept."""
    codes = set()
    for _ in range(40):
        try:
            finding = lapwing.audit(make(), 0, 1, epsilon=1, seconds=1, replay=False)
            assert not finding.refuted, str(finding)
        except InvalidInput as refused:
            codes.add(refused.code)
            break
    assert codes <= {"Y203", "Y204"}
    assert codes


def test_no_noise_at_all_is_refuted_all_the_same():
    for leak in (lambda x: x, len, lambda x: f"{x}"):
        pair = ([0], [0, 1]) if leak is len else (0, 1)
        assert lapwing.audit(leak, *pair, epsilon=1, seconds=5, replay=False).verdict == REFUTED


def test_answers_of_first_runs_are_those_of_later_ones_where_nothing_is_kept():
    for leak in (lambda x: round(9 * x + GENERATOR.laplace()), lambda x: RANDOM.random() < (0.9 if x else 0.1)):
        finding = lapwing.audit(leak, 0, 1, epsilon=1, seconds=5, replay=False)
        assert finding.verdict == REFUTED
        assert "could not be tested" not in str(finding)


def test_first_runs_are_compared_by_the_event_that_was_bet_on():
    """An event that was learnt when time was up has no counts, and may be likelier on the other side."""
    trail = Trail(events=[Watched("one", "left", 9, 1, 10), Watched("two", "right", 0, 0, 0)])
    one, two = (Chosen(text, "left", np.isnan, Rates(1, 1, 1)) for text in ("one", "two"))
    trail.watched, trail.chunks = [one, two], [Chunk(0, 1, 8, 0, 1, ())]
    assert trail.chosen is one


def test_first_runs_of_a_rare_event_speak_against_nobody():
    """One occurrence on one side, and on the other the same answer in all runs, which then count as two."""

    class Runs:
        def draw(self, _, count):
            rare = [Glance("bool", [float(place == 3)]) for place in range(count)]
            return rare, [Glance("bool", [0.0])] * count

    finding = lapwing.audit(lambda x: bool(x) and RANDOM.random() < 0.02, 1, 0, epsilon=1, seconds=9, replay=False)
    assert finding.verdict == REFUTED
    refuse_kept_noise(Runs(), 0, finding)


# --- noise in an input ----------------------------------------------------------------------------------------


class Dice:
    """A generator that nobody knows."""

    def __init__(self):
        self.state = RANDOM.randrange(2**31)

    def roll(self):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return self.state // 2**20 % 5


@pytest.mark.parametrize(
    "carried",
    [
        np.random.default_rng(), np.random.RandomState(), random.Random(), np.random.PCG64(),
        {"deep": [np.random.default_rng()]},
    ],
)  # fmt: skip
def test_an_input_that_carries_a_generator_is_refused(carried):
    assert refusal(lambda given: given[0], (0, carried), (1, carried)) == "Y205"


def test_an_input_that_carries_dice_is_refused():
    assert refusal(lambda given: given[0] + given[1].roll(), (0, Dice()), (1, Dice())) == "Y205"


class Lazy:
    def __init__(self, x):
        self.x, self.known = x, None

    def value(self):
        if self.known is None:
            self.known = self.x + 0
        return self.known


def test_an_input_that_remembers_what_it_computed_is_not():
    finding = lapwing.audit(lambda given: coarse(given.value()), Lazy(0), Lazy(1), epsilon=1, seconds=1)
    assert not finding.refuted


def test_an_input_may_be_sorted_by_a_run():
    def sorts(values):
        values.sort()
        return coarse(values[0])

    assert not lapwing.audit(sorts, [2, 1], [2, 0], epsilon=1, seconds=1).refuted


def test_an_input_that_cannot_be_copied_is_refused():
    assert refusal(lambda given: next(given), iter([1]), (each for each in [2])) == "Y205"


# --- batches with a memory ------------------------------------------------------------------------------------


def one_noise_per_call(x, n):
    return np.full(n, coarse(x))


def noise_in_turn(x, n):
    return np.round(x + np.resize(GENERATOR.laplace(0, 1, 8), n))


def noise_that_wanders(x, n):
    steps = np.repeat(GENERATOR.laplace(0, 1, n // 5 + 1), 5)[:n]
    return np.round(x + steps)


@pytest.mark.parametrize("batch", [one_noise_per_call, noise_in_turn, noise_that_wanders])
def test_batches_with_a_memory_are_refused(batch):
    assert refusal(batch=batch, left=0, right=1, seconds=3) == "Y204"


def test_a_batch_of_fresh_answers_is_not():
    finding = lapwing.audit(
        batch=lambda x, n: np.round(x + GENERATOR.laplace(0, 1, n)), left=0, right=1, epsilon=1, seconds=2
    )
    assert not finding.refuted


def test_order_is_chance_where_it_is_and_not_where_it_is_not():
    generator = np.random.default_rng(3)
    for size in (1, 7, 500):
        fair, sticky = Order(), Order()
        for _ in range(4000 // size):
            fair.see(generator.random(size) < 0.3)
        for _ in range(400):
            sticky.see(np.repeat(generator.random(1) < 0.3, 10))
        assert fair.is_by_chance()
        assert not sticky.is_by_chance()
    for rate in (0.001, 0.003, 0.01, 0.5, 0.999):
        rare = Order()
        rare.see(generator.random(60_000) < rate)
        assert rare.is_by_chance()
    in_turn = Order()
    in_turn.see(np.resize(generator.random(300) < 0.3, 3000))
    assert not in_turn.is_by_chance()


def test_noise_from_a_pool_accuses_nobody():
    pool = itertools.cycle([round(each) for each in np.random.default_rng(5).laplace(0, 1, 64).tolist()])
    assert refusal(lambda x: x + next(pool), 0, 1) == "Y204"


# --- nothing of a replay stays --------------------------------------------------------------------------------


def test_nothing_of_a_replay_stays():
    made = {}

    def answer(x):
        made.setdefault(x, np.random.default_rng())
        return x + made[x].laplace()

    pairs = [Pair(float(n), float(n + 1)) for n in range(3)]
    look(answer, pairs, 1.0, 2.0)
    assert made == {}  # no generator was made here
    assert type(np.random.default_rng()) is np.random.Generator


def test_other_threads_draw_their_own_randomness_while_runs_are_replayed():
    drawn, done = [], threading.Event()

    def draw():
        while not done.is_set():
            drawn.append(os.urandom(16))

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        for _ in range(3):
            look(lambda x: x + np.random.laplace(), [Pair(0.0, 1.0)], 1.0, 1.0)
    finally:
        done.set()
        thread.join()
    assert len(set(drawn)) == len(drawn) > 0


def test_a_replay_that_never_ends_is_given_up_and_said_in_one_line():
    me = os.getpid()

    def hangs_elsewhere(x):
        while os.getpid() != me:
            pass
        return coarse(x)

    finding = lapwing.audit(hangs_elsewhere, 0, 1, epsilon=1, seconds=3)
    assert "No runs were replayed with the same randomness: " in str(finding)


def test_only_words_come_back_from_a_process_apart():
    seen = []
    assert apart(lambda: seen.append(1) or [1, "two"], 5.0) == [1, "two"]
    assert seen == []
    for broken in (lambda: 1 / 0, lambda: os._exit(3), lambda: object()):
        with pytest.raises(Unheard):
            apart(broken, 5.0)


def test_where_a_process_cannot_be_split_that_is_said(monkeypatch):
    monkeypatch.delattr(os, "fork")
    finding = lapwing.audit(lambda x: x, 0, 1, epsilon=1, seconds=2)
    assert finding.verdict == REFUTED
    assert "No runs were replayed" in str(finding)
    assert "could not be tested" in str(finding)


def test_first_runs_that_hang_are_given_up_at_once():
    """A library with threads of its own may wait for ever in a process that was split off: nobody waits for forty."""
    here = os.getpid()

    def hangs_elsewhere(x):
        while os.getpid() != here:
            time.sleep(1)
        return x

    began = time.monotonic()
    finding = lapwing.audit(hangs_elsewhere, 0, 1, epsilon=1, seconds=2, replay=False)
    assert finding.verdict == REFUTED
    assert "could not be tested" in str(finding)
    assert time.monotonic() - began < 30  # one run takes 4 s, and 20 would take 80


def test_noise_that_stays_for_a_while_accuses_nobody():
    """As it does where a seed follows from the time: by itself each answer is as it should be."""
    runs = itertools.count()
    kept = [0]

    def stays(x):
        if next(runs) % 400 == 0:
            kept[0] = round(RANDOM.expovariate(1)) - round(RANDOM.expovariate(1))
        return x + kept[0]

    assert refusal(stays, 0, 1, epsilon="0.1", seconds=3) == "Y204"


def test_stretches_are_chance_where_they_are():
    for many in (2, 5, 1000, 10**9):
        stretches = Stretches()
        for size in (1, 10, 3000, 2000):
            values = GENERATOR.integers(0, many, size).astype(float)
            stretches.see(Batch(np.zeros(size, np.int64), values[:, None]))
        assert stretches.are_by_chance()
    for odd in (np.repeat([1.0, 0.0], [700, 24]), np.tile([1.0, 0.0], 400), np.repeat(np.arange(50.0), 4)):
        stretches = Stretches()
        stretches.see(Batch(np.zeros(len(odd), np.int64), odd[:, None]))
        assert not stretches.are_by_chance()
