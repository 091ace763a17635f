"""Small mechanisms, right and wrong, and honest witnesses against the wrong ones.

Honest witnesses are built from the checker's own probabilities, so that mutations of them are the only lies.
"""

from dataclasses import replace
from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.kernel.distribution.loss_values import log_bounds
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.witness import LogRatio, Witness
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.run.claim_values import enclosed
from lapwing.source.parse import parse_text

SOURCE = """
from lapwing import choose, each, flip, gaussian, laplace, mechanism, one, replaced, within, zcdp


@mechanism(answer=replaced(), claim="ln(2)")
def coin_toss(answer: bool) -> bool:
    if flip(1 / 2):
        return answer
    return flip(1 / 2)


@mechanism(q=each(1), claim="epsilon")
def sparse_vector(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out


@mechanism(q=each(1), claim="epsilon / 2")
def noisy_max(q: list[float], epsilon: float) -> int:
    best = 0.0
    index = 0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > best:
            best = noisy
            index = i
    return index


@mechanism(q=each(1), claim="epsilon / 2")
def bad_noisy_max(q: list[float], epsilon: float) -> float:
    best = 0.0
    for i, x in enumerate(q):
        noisy = x + laplace(2 / epsilon)
        if i == 0 or noisy > best:
            best = noisy
    return best


@mechanism(q=each(1), claim="epsilon")
def no_query_noise(q: list[float], epsilon: float) -> list[bool]:
    threshold = laplace(2 / epsilon)
    out = []
    for x in q:
        out.append(x >= threshold)
    return out


@mechanism(x=within(1), claim=("epsilon", "delta"))
def thin_gaussian(x: float, sigma: float, epsilon: float, delta: float) -> float:
    return x + gaussian(sigma)


@mechanism(x=within(1), claim=zcdp("rho"))
def thin_concentrated(x: float, sigma: float, rho: float) -> float:
    return x + gaussian(sigma)


@mechanism(q=each(1))
def unclaimed(q: list[float], epsilon: float) -> list[float]:
    return [x + laplace(1 / epsilon) for x in q]


@mechanism(x=within(1), claim="epsilon")
def noisy_count(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)


@mechanism(q=one(1), claim="epsilon")
def noisy_first(q: list[float], epsilon: float) -> float:
    return q[0] + laplace(1 / epsilon)


@mechanism(q=one(1), claim="epsilon")
def calls_twice(q: list[float], epsilon: float) -> tuple[float, float]:
    a = noisy_first(q, epsilon)
    b = noisy_first(q, epsilon)
    return (a, b)


@mechanism(scores=each(1), claim="epsilon / 4")
def exponential_mechanism(scores: list[float], epsilon: float) -> int:
    return choose(scores, 2 / epsilon)
"""


def parameters(**values: object) -> dict[str, object]:
    return {name: _exact(value) for name, value in values.items()}


def _exact(value):
    if isinstance(value, bool):
        return value
    return tuple(_exact(each) for each in value) if isinstance(value, list | tuple) else Fraction(value)


def honest(name, left, right, output, source=SOURCE, order=None) -> Witness:
    """The witness a truthful searcher would write, whether or not it refutes anything."""
    module = parse_text(source, "programs.py", only=name)
    mechanism = module[name]
    sides = [probability(module, name, side, output, Limits(good=64)) for side in (left, right)]
    value = delta = None
    match mechanism.claim:
        case ir.PureClaim(epsilon) | ir.ZcdpClaim(epsilon):
            value = enclosed(epsilon, dict(left))
        case ir.ApproximateClaim(epsilon, small):
            value, delta = enclosed(epsilon, dict(left)), enclosed(small, dict(left))
    ratio = LogRatio(*log_bounds(*sides))
    return Witness(
        "programs.py", name, fingerprint(module, name), left, right, output, *sides, ratio, value, delta, order
    )


def widened(witness: Witness, share: Fraction = Fraction(1, 2**36)) -> Witness:
    """The same witness with intervals as wide as a searcher in double precision would give."""

    def wide(interval: Interval) -> Interval:
        return Interval(interval.lower * (1 - share), interval.upper * (1 + share))

    ratio = witness.log_ratio
    if ratio.lower is not None and ratio.upper is not None:
        ratio = LogRatio(ratio.lower - 2 * share, ratio.upper + 2 * share)
    return replace(
        witness,
        probability_left=wide(witness.probability_left),
        probability_right=wide(witness.probability_right),
        log_ratio=ratio,
    )


COIN = ("coin_toss", parameters(answer=True), parameters(answer=False), True)
BAD_MAX = ("bad_noisy_max", parameters(q=[0, 0], epsilon=1), parameters(q=[1, 1], epsilon=1), Fraction(-4))
NO_NOISE = ("no_query_noise", parameters(q=[0, 1], epsilon=1), parameters(q=[1, 0], epsilon=1), (False, True))
TWICE = ("calls_twice", parameters(q=[0], epsilon=1), parameters(q=[1], epsilon=1), (Fraction(0), Fraction(-1)))
CHOICE = (
    "exponential_mechanism",
    parameters(scores=[1, 0], epsilon=1),
    parameters(scores=[0, 1], epsilon=1),
    Fraction(0),
)
