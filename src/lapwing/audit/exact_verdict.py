"""The one door to proofs and exact refutations: what is certain about a callable whose source we can read.

The one idea: a number that was computed needs no confidence. Where the callable is a mechanism in Lapwing's language,
it is first put to the prover and the refuter; the inputs that refute it are the ones to attack; and the pair of a
finding is measured exactly. If the source is proved and the running code is refuted all the same, one of the two is not
what the other is about, and that is said in plain words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import decimal_down, shown
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.decide.claim_violation import between
from lapwing.decide.privacy import decide_module
from lapwing.decide.time_limits import OutOfTime, time_limit
from lapwing.errors import LapwingError
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.violation.loss import log_ratio
from lapwing.search.violation.subject import Subject
from lapwing.source import Runnable

#: Seconds for a decision about the source, and for the exact loss of one pair.
DECIDING, MEASURING = 10.0, 5.0
PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"


@dataclass(frozen=True, slots=True)
class Decided:
    """What is certain about the source at these public parameters; ``words`` say it."""

    verdict: str
    words: str
    pair: Pair | None = None
    settings: Mapping[str, object] | None = None


def is_readable(function: object) -> bool:
    """Whether this is a mechanism in Lapwing's language."""
    return isinstance(function, Runnable)


def decided(function: Runnable, settings: Mapping[str, object], epsilon: Fraction, seconds: float) -> Decided:
    """Whether the source is proved or refuted at (ε, 0) with these public parameters."""
    try:
        decision = decide_module(function.module, function.name, function.source.name, min(seconds, DECIDING))
    except LapwingError as error:
        return Decided(UNKNOWN, f"The source could not be decided: {error.problem}")
    witness = decision.witness
    if witness is not None and witness.log_ratio.lower is not None:
        return _refuted(function, witness, settings, epsilon)
    if decision.certificate is not None and decision.certificate.measure == "epsilon":
        bound = _at(decision.certificate.bound, settings)
        if bound is not None and bound <= epsilon:
            return Decided(PROVED, f"Its source is proved to be {shown(bound)}-differentially private")
    return Decided(UNKNOWN, "")


def _refuted(function: Runnable, witness: Witness, settings: Mapping[str, object], epsilon: Fraction) -> Decided:
    """A violation of the claim in the source is one of (ε, 0) only if its loss is above ε, with the same parameters."""
    private = [each.name for each in function.ir.parameters if each.relation is not None]
    public = {name: value for name, value in witness.left.items() if name not in private}
    same = all(_equal(public.get(name), value) for name, value in settings.items() if name in public)
    lower = witness.log_ratio.lower
    if not same or len(private) != 1 or lower is None or lower <= epsilon:
        return Decided(UNKNOWN, "")
    left, right = (_plain(side[private[0]]) for side in (witness.left, witness.right))
    words = f"Its source is refuted exactly: a loss of at least {decimal_down(lower, 5)} on these inputs"
    return Decided(
        REFUTED,
        words,
        Pair(left, right, "neighbours, as its decorator says"),
        {k: _plain(v) for k, v in public.items()},
    )


def measured(function: Runnable, settings: Mapping[str, object], pair: Pair) -> Fraction | None:
    """A lower bound on the exact loss of a mechanism on one pair of inputs, in both orders; None if not computed."""
    mechanism = function.ir
    private = [each.name for each in mechanism.parameters if each.relation is not None]
    if len(private) != 1:
        return None
    try:
        with time_limit(MEASURING):
            sides = [{**settings, private[0]: value} for value in (pair.left, pair.right)]
            outcome = between(Subject(function.module, mechanism), *sides)
    except (LapwingError, OutOfTime, TypeError, ValueError):
        return None
    ratios = [log_ratio(each.left, each.right).lower for each in outcome.best.values() if each.left.lower > 0]
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def joined(
    source: Decided | None, exact_loss: Fraction | None, epsilon: Fraction, refuted: bool
) -> tuple[str, list[str]]:
    """The exact verdict beside an audit's, and what to say about the two."""
    notes = [] if source is None or not source.words else [source.words]
    if exact_loss is not None and exact_loss > epsilon:
        loss = decimal_down(exact_loss, 5)
        words = f"Computed exactly, the loss on this pair is at least {loss}: this needs no confidence"
        return REFUTED, [*notes, words]
    if source is None:
        return "", notes
    if source.verdict == PROVED and refuted:
        notes.append(
            "The source is proved and the running code is refuted: the noise, the number format or the call is not "
            "what the proof is about. This is the finding to look at first"
        )
    return source.verdict if source.verdict != UNKNOWN else "", notes


def _at(bound: str, settings: Mapping[str, object]) -> Fraction | None:
    try:
        values = {name: Fraction(str(value)) for name, value in settings.items() if not isinstance(value, bool | list)}
        return enclosed(formula(bound), values).upper
    except (LapwingError, Unproved, ArithmeticError, KeyError, ValueError, LookupError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value


def _equal(one: object, two: object) -> bool:
    if isinstance(one, Fraction) and isinstance(two, int | float):
        return one == Fraction(str(two))
    return one == two
