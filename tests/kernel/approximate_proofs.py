"""Programs that are private with a δ, and certificates of them written by hand."""

from dataclasses import replace
from pathlib import Path

from lapwing.kernel.evidence.approximate import Pairing, Spread, Subset, Tail
from lapwing.kernel.evidence.certificate import Branch, Certificate, Coupling, Site
from lapwing.kernel.evidence.invariant import Invariant
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.source.parse import parse_text

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
HEAD = "from lapwing import each, exponential, laplace, mechanism, one, rises, within\n\n\n"

RELEASE = """
@mechanism(
    gap=within(1), value=within("bound", given="gap > 0"), claim=("2 * epsilon", "exp(-epsilon * threshold) / 2")
)
def release(gap: float, value: float, bound: float, threshold: float, epsilon: float) -> tuple[bool, float]:
    assert epsilon > 0 and bound > 0
    if gap + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
"""

HISTOGRAM = """
@mechanism(counts=one(1), claim=("epsilon", "exp(-epsilon * (threshold - 1))"))
def histogram(counts: list[int], threshold: float, epsilon: float) -> list[float]:
    assert threshold >= 1 and epsilon > 0
    out = []
    for c in counts:
        released = 0.0
        if c > 0:
            noisy = c + laplace(1 / epsilon)
            if noisy > threshold:
                released = noisy
        out.append(released)
    return out
"""

HALF = "exp(-epsilon * (threshold - 1)) / 2"
COUNT = f"""
@mechanism(c=within(1), claim=("epsilon", "{HALF}"))
def stable(c: int, threshold: float, epsilon: float) -> float:
    assert threshold >= 1 and epsilon > 0
    if c > 0:
        noisy = c + laplace(1 / epsilon)
        if noisy > threshold:
            return noisy
    return 0.0
"""

CLAMPED = """
@mechanism(x=within(1), claim="epsilon")
def clamped(x: float, epsilon: float) -> float:
    assert epsilon > 0
    if x > 0:
        y = x + laplace(1 / epsilon)
    else:
        y = laplace(1 / epsilon)
    return y
"""

BETWEEN = (CORPUS / "proved" / "between_thresholds.py").read_text()


def coupled(sites, invariants=(), ghost="none", bad=(), intervals=(), pairs=(), joint=()):
    """A coupling; sites are (alignment, total) pairs in order."""
    return Coupling(
        ghost,
        tuple(Site(number, *site) for number, site in enumerate(sites, 1)),
        tuple(Invariant(number, each) for number, each in enumerate(invariants, 1)),
        tuple(joint), tuple(bad), tuple(intervals), tuple(pairs),
    )  # fmt: skip


def certified(text, proof, bound, delta=None):
    """A certificate that says what it should about the only mechanism of a text."""
    module = parse_text(text, "p.py")
    (mechanism,) = module
    match mechanism.claim:
        case ir.ApproximateClaim(epsilon, chance):
            claim = show(epsilon), show(chance)
        case ir.PureClaim(epsilon):
            claim = show(epsilon), None
        case _:
            claim = None, None
    measure = "epsilon" if delta is None else "approximate"
    source = fingerprint(module, mechanism.name)
    return Certificate("p.py", mechanism.name, source, measure, bound, claim[0], proof, delta, claim[1])


START = "(high - low - 2 - width(2)) / 2"
INSIDE = Branch(
    "noisy_low <= x + draw() and x + draw() <= noisy_high",
    Subset(("noisy_low - x", "noisy_high - x"), ("other(noisy_low - x)", "other(noisy_high - x)")),
    "0",
)
NARROW = Tail(1, 1, "True", "below", START, START, "1")
ONTO = Spread(2, "2", "6 * ln(3) / epsilon", "1", "epsilon / 2")
PLACE = "(1 if where(counts) < round(1) else 0)"
ALONE = Tail(1, 1, "c > 0 and other(counts[round(1)]) <= 0", "above", "threshold - c", "threshold - 1", "1")
FIRST = Tail(1, 1, "c > 0 and other(c) <= 0", "above", "threshold - c", "threshold - 1", "1")
SECOND = replace(FIRST, run=2, given="True", start="threshold - other(c)", beside=1)
#: text, proof, ε, δ
PROOFS = {
    "between": (
        BETWEEN,
        coupled([("-1", "1"), (INSIDE, "0")], ["cost(2) <= 0 and uses(2) <= 0"], bad=[NARROW], intervals=[ONTO]),
        "epsilon",
        "3 * sqrt(3) / 2 * exp(epsilon / 2 - epsilon * (high - low) / 4)",
    ),
    "release": (
        HEAD + RELEASE,
        coupled(
            [("-hat(gap)", "1"), ("-hat(value)", "bound")],
            bad=[Tail(1, 1, "gap <= 0", "above", "threshold - gap", "threshold", "1")],
        ),
        "2 * epsilon",
        "exp(-epsilon * threshold) / 2",
    ),
    "histogram": (
        HEAD + HISTOGRAM,
        coupled(
            [("-hat(c)", "1")],
            [f"cost(1) <= {PLACE} and tries(1) <= {PLACE} and tries(2) <= {PLACE}"],
            bad=[ALONE, replace(ALONE, run=2, given="c <= 0", start="threshold - other(c)")],
        ),
        "epsilon",
        "exp(-epsilon * (threshold - 1))",
    ),
    "counted together": (HEAD + COUNT, coupled([("-hat(c)", "1")], bad=[FIRST, SECOND]), "epsilon", HALF),
    "clamped": (
        HEAD + CLAMPED,
        coupled(
            [("-hat(x)", "1"), ("0", "1")],
            pairs=[Pairing(1, 2, "x"), Pairing(2, 1, "-other(x)")],
        ),
        "2 * epsilon",
        None,
    ),
}  # fmt: skip
