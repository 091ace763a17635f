"""A judge who shares no code with the kernel: a mechanism is run by Python, and what it answers is compared.

Where all noise is of finite kinds every run is listed, with its probability. Elsewhere runs are drawn: one half says
which event to look at, the other is counted, with ends that are wrong once in ten million times.
"""

import math
import random
from collections import Counter
from itertools import combinations

from tests.campaigns.accused import Accused, Unsuited, neighbours

#: Runs drawn of each neighbour, and runs listed at most.
DRAWN, LISTED = 6000, 3000
#: How often an end of a probability is wrong, and by how much rounding may be.
DOUBT, ROUNDING = 1e-7, 1e-6


class _Unlisted(Exception):
    """Noise that cannot be listed."""


def overstepped(text, name, bound, delta=None, measure="epsilon", seed=0, pairs=12):
    """Neighbours and an event with a larger loss than ``bound`` says, or None."""
    chance = random.Random(seed)
    accused = Accused(text, name)
    for _ in range(pairs):
        try:
            left, right = neighbours(accused, chance)
            accused.check_claim(left)
            most = max(accused.formula(bound, left), 0.0), 0.0 if delta is None else accused.formula(delta, left)
            if measure == "rho":  # ρ-zCDP is (ρ + 2 √(ρ ln 100), 1/100)-DP
                most = most[0] + 2 * math.sqrt(most[0] * math.log(100)), 0.01
            if most[0] > 5 or most[1] >= 1:
                continue
            laws = _laws(accused, left, right)
            found = _drawn(accused, left, right, most, chance) if laws is None else _listed(laws, most)
        except Unsuited:
            continue
        if found:
            return f"{found}\n  {left}\n  {right}\n  said: {most}"
    return None


# --- every run ----------------------------------------------------------------------------------------------


def _laws(accused, left, right):
    try:
        return [_law(accused, each) for each in (left, right)]
    except _Unlisted:
        return None


def _listed(laws, most):
    for one, other in (laws, laws[::-1]):
        more = {answer: p - math.exp(most[0]) * other[answer] for answer, p in one.items()}
        if sum(max(0.0, each) for each in more.values()) > most[1] + ROUNDING:
            worst = max(more, key=more.get)
            return f"{worst}: {one[worst]} and {other[worst]}"
    return None


def _law(accused, inputs):
    found, paths, count = Counter(), [()], 0
    while paths:
        path, count = paths.pop(), count + 1
        if count > LISTED:
            raise _Unlisted
        made, weight = [], [1.0]

        def noise(kind, *arguments, path=path, made=made, weight=weight):
            chances = _chances(kind, *arguments)
            place = len(made)
            if place >= len(path):
                paths.extend((*path, *made[len(path) :], n) for n in range(1, len(chances)) if chances[n] > 0)
            choice = path[place] if place < len(path) else 0
            made.append(choice)
            weight[0] *= chances[choice]
            return bool(choice) if kind == "flip" else choice

        answer = accused.run(inputs, noise)
        found[_key(answer)] += weight[0]
    return found


def _chances(kind, *arguments):
    match kind, arguments:
        case "flip", (p,) if 0 <= p <= 1:
            return [1 - p, p]
        case "uniform", (n,) if n >= 1:
            return [1 / n] * int(n)
        case "choose", (scores, scale) if scores and scale > 0:
            top = max(scores)
            weights = [math.exp((each - top) / scale) for each in scores]
            return [each / sum(weights) for each in weights]
        case "flip" | "uniform" | "choose", _:
            raise Unsuited("noise that cannot be drawn")
    raise _Unlisted


# --- some runs ----------------------------------------------------------------------------------------------


def _drawn(accused, left, right, most, chance):
    noise = _noise(chance)
    few = [[accused.run(each, noise) for _ in range(DRAWN // 2)] for each in (left, right)]
    events = [_events(each) for each in few]
    for one, other in ((0, 1), (1, 0)):
        wanted = _suspect(events[one], events[other], most)
        if wanted is None:
            continue
        # the suspect is counted anew
        counts = []
        for each in ((left, right)[one], (left, right)[other]):
            answers = [accused.run(each, noise) for _ in range(DRAWN)]
            counts.append(_events(answers)[wanted])
        low, high = _low(counts[0], DRAWN), _high(counts[1], DRAWN)
        if low > math.exp(most[0]) * high * 1.001 + most[1]:
            return f"{wanted}: {counts[0]} and {counts[1]} of {DRAWN}"
    return None


def _suspect(one, other, most):
    half = DRAWN // 2
    scored = [
        (_low(count, half, 1e-3) - math.exp(most[0]) * _high(other[event], half, 1e-3) - most[1], repr(event), event)
        for event, count in one.items()
        if count > 20 and count > other[event]
    ]
    best = max(scored, default=(0, "", None))
    return best[2] if best[0] > 0 else None


def _events(answers):
    """How often what was answered; of real numbers, where they lie, and how far they are apart."""
    found = Counter()
    for answer in answers:
        kind = tuple("real" if isinstance(each, float) else each for each in answer)
        found["kind", kind if len(kind) < 12 else len(kind)] += 1
        found["length", len(answer)] += 1
        reals = [(place, each) for place, each in enumerate(answer[:6]) if isinstance(each, float)]
        for place, each in reals:
            for width in (0.001, 1, 8):
                found["at", place, width, math.floor(each / width)] += 1
            found["sign", place, each > 0] += 1
            found["kind, sign", kind[:6], place, each > 0] += 1
        for (place, one), (other, two) in combinations(reals, 2):
            for width in (0.001, 2):
                found["apart", place, other, width, round((one - two) / width)] += 1
                found["sum", place, other, width, round((one + two) / width)] += 1
        if reals:
            found["sum of all", math.floor(sum(each for _, each in reals) / 2)] += 1
            least, most = (math.floor(end(each for _, each in reals)) for end in (min, max))
            for step in range(6):
                found["all above", least - step] += 1
                found["all below", most + 1 + step] += 1
    return found


def _noise(chance):
    def noise(kind, *arguments):
        scale = arguments[-1]
        if kind in ("flip", "uniform", "choose"):
            chances = _chances(kind, *arguments)
            (found,) = chance.choices(range(len(chances)), chances)
            return bool(found) if kind == "flip" else found
        if scale <= 0:
            raise Unsuited("noise that cannot be drawn")
        match kind:
            case "laplace":
                return chance.choice((-1, 1)) * chance.expovariate(1) * scale
            case "exponential":
                return chance.expovariate(1) * scale
            case "gaussian":
                return chance.gauss(0, 1) * scale
            case "discrete_laplace":
                return _geometric(chance, scale) - _geometric(chance, scale)
        raise Unsuited(kind)

    return noise


def _geometric(chance, scale):
    return math.floor(chance.expovariate(1) * scale)


def _low(count, total, doubt=DOUBT):
    """A probability that is smaller, most certainly (Chernoff's bound, solved by halving)."""
    return _end(count / total, total, doubt, 0.0)


def _high(count, total, doubt=DOUBT):
    return _end(count / total, total, doubt, 1.0)


def _end(share, total, doubt, end):
    near, far = share, end
    for _ in range(50):
        middle = (near + far) / 2
        if total * _divergence(share, middle) < -math.log(doubt):
            near = middle
        else:
            far = middle
    return far


def _divergence(p, q):
    found = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            if b <= 0:
                return math.inf
            found += a * math.log(a / b)
    return found


def _key(answer):
    return tuple((type(each).__name__, round(each, 9) if isinstance(each, float) else each) for each in answer)
