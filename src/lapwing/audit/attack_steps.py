"""The steps of an audit: what was given becomes a claim and pairs; these are ranked and attacked; exactness joins."""

from __future__ import annotations

import inspect
import time
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number
from lapwing.audit import awkward, suspicions
from lapwing.audit.auditing import attack
from lapwing.audit.finding import REFUTED, Finding
from lapwing.audit.first_runs import FirstRuns, refuse_kept_noise
from lapwing.audit.neighbouring_inputs import Pair, pairs_of, refuse_real_rows
from lapwing.audit.pair_attack import Claim, Listener
from lapwing.audit.ranking_pairs import SHARES, most_promising, nothing_to_run, undeclared
from lapwing.audit.sampling import Many, Sampler
from lapwing.audit.sanity import refuse_carried, refuse_restless
from lapwing.audit.seen_answers import Encoder
from lapwing.audit.separate_process import Unheard
from lapwing.errors import InvalidInput

#: Seconds after a refutation for a bound that says more, and the share of the time for replaying.
AFTERWARDS, REPLAYING = 1.0, 0.1
#: Pairs whose inputs are watched while runs change them: those of one audit are alike.
FEW = 3
#: Nobody is surer than this.
SUREST = Fraction(1, 10**100)
_NO_INPUTS = (
    "Give left and right (--left, --right), pairs of them as neighbours (--inputs), or the neighbours 'added' "
    "(--neighbours added) for a function of a list of numbers"
)


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be audited, and how."""

    function: Callable[..., object] | None
    many: Many | None
    claim: Claim
    seconds: float
    squeeze: bool
    seed: int | None
    name: str
    listen: Listener
    settings: Mapping[str, object] = field(default_factory=dict)
    #: whether this is our own pipeline, which draws all its noise anew in every run
    tables: bool = False
    #: the part of the permitted error that this work may use up
    share: Fraction = Fraction(1)
    #: pairs of runs after which an attack ends
    most: int | None = None

    def call(self, given: object) -> object:
        """One run."""
        if self.function is None:
            raise AssertionError("a batch is not called one by one")
        return self.function(given, **self.settings)

    def only(self, given: object) -> object:
        """One answer of a batch."""
        if self.many is None:
            raise AssertionError("there is no batch")
        return self.many(given, 1)[0]

    def sampler(self, pair: Pair) -> Sampler:
        """What draws answers on a pair; a batch gets the settings as well."""
        source = awkward.source_of(self.seed)
        if self.many is not None:
            return Sampler(pair.left, pair.right, many=self.many, source=source)
        call = self.function if not self.settings else self.call
        return Sampler(pair.left, pair.right, call=call, source=source)


def claim_of(epsilon: Number, delta: Number, confidence: Number) -> Claim:
    """The claim, exact."""
    sure = parameters.probability(confidence, "confidence")
    if not 0 < sure <= 1 - SUREST:
        raise InvalidInput("Y211", "the confidence is not between 0 and 1", "Give 0.999, or 0.999999 in tests")
    return Claim(parameters.nonnegative(epsilon, "epsilon"), parameters.delta(delta), 1 - sure)


def check_callable(function: object, many: object, seconds: object) -> None:
    """Refuse what cannot be run."""
    if (function is None) == (many is None):
        raise InvalidInput("Y212", "there is not one callable: give a function, or batch=", "Give one of the two")
    if not callable(function if many is None else many):
        kind = type(function if many is None else many).__name__
        raise InvalidInput(
            "Y212", f"what is to be audited is a {kind}", "Give something that can be called with one input"
        )
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < 1e7:
        raise InvalidInput("Y211", "seconds is not a time above 0", "Give a number of seconds, such as 60")


def name_of(function: object, many: object) -> str:
    """What the callable is called."""
    found = function if many is None else many
    return str(getattr(found, "__name__", None) or getattr(found, "name", None) or type(found).__name__)


def pairs_given(
    function: object, absent: object, left: object, right: object, neighbours: object, relation: str, seed: int | None
) -> list[Pair]:
    """The pairs of inputs that somebody gave, or made up from the function's annotation."""
    both = left is not absent and right is not absent
    if (left is not absent) != (right is not absent):
        raise InvalidInput(
            "Y201", "one input is given and the other is not", "Give left and right, two neighbouring inputs"
        )
    if both and neighbours is not None and not isinstance(neighbours, str):
        raise InvalidInput("Y201", "both a pair and other neighbours are given", "Give one of the two")
    if both:
        refuse_real_rows(left, right)
        words = awkward.RELATIONS[awkward.relation_named(neighbours)] if isinstance(neighbours, str) else relation
        return [Pair(left, right, words)]
    if neighbours is None:
        raise InvalidInput("Y201", "there are no inputs", _NO_INPUTS)
    if isinstance(neighbours, str) and neighbours in awkward.RELATIONS:
        return made_up(function, neighbours, seed)
    found = pairs_of(neighbours, seed)
    if not found:
        raise InvalidInput("Y201", "there are no pairs among the neighbours", _NO_INPUTS)
    return found


def made_up(
    function: object,
    relation: str,
    seed: int | None,
    bounds: tuple[Number, Number] | None = None,
    *,
    nan: bool = True,
    outside: bool = False,
) -> list[Pair]:
    """Awkward lists of numbers for a function whose first parameter takes them, by its annotation."""
    kind = _annotation(function)
    if kind not in (None, "list[float]", "list[int]", "list[bool]", "array"):
        raise InvalidInput("Y201", f"no inputs are made up for a parameter of type {kind}", _NO_INPUTS)
    low, high = bounds or (None, None)
    values: Sequence[object] = awkward.numbers(low, high, whole=kind == "list[int]", nan=nan, outside=outside)
    if kind == "list[bool]":
        values = [False, True]
    make = awkward.added if relation == awkward.ADDED else awkward.replaced
    domain = "any number" if bounds is None else f"numbers {'in and outside' if outside else 'in'} [{low}, {high}]"
    words = "" if kind == "list[bool]" else f" ({domain})"
    found = [replace(pair, relation=f"{pair.relation}{words}") for pair in make(values, seed=seed)]
    if kind == "array":
        import numpy as np

        return [replace(pair, left=np.array(pair.left, float), right=np.array(pair.right, float)) for pair in found]
    return found


def _annotation(function: object) -> str | None:
    """What the first parameter takes, as far as its annotation says: None if it says nothing."""
    try:
        hints = typing.get_type_hints(function)
        first = next(iter(inspect.signature(function).parameters))  # type: ignore[arg-type]  # as above
    except (TypeError, ValueError, NameError, StopIteration, AttributeError):
        return None
    hint = hints.get(first)
    if hint is None:
        return None
    if "ndarray" in str(hint) or "NDArray" in str(hint):
        return "array"
    text = str(hint).replace("typing.", "").replace("collections.abc.", "")
    for name in ("Sequence", "Iterable", "List", "list"):
        for element in ("float", "int", "bool"):
            if text == f"{name}[{element}]":
                return f"list[{element}]"
    return None if text in ("<class 'list'>", "Any") else getattr(hint, "__name__", text)


# --- exactness, suspicions and the attack ---------------------------------------------------------------------


def is_readable(function: object) -> bool:
    """Whether the prover and the refuter can read it; they are only loaded where a mechanism is."""
    if type(function).__module__.partition(".")[0] != "lapwing":
        return False
    from lapwing.audit import exact_verdict  # a solver takes a moment to load

    return exact_verdict.is_readable(function)


def whole(
    work: Work, pairs: Sequence[Pair] | None, *, replay: bool, twin: Callable[..., object] | None, scale: Number | None
) -> Finding:
    """Everything in turn: what the source says, what two runs with the same noise say, the attack."""
    if not is_readable(work.function):
        return _from_outside(work, pairs or [], replay, twin, scale)
    from lapwing.audit import exact_verdict

    source = exact_verdict.decided(work.function, work.settings, work.claim.epsilon, work.seconds)  # type: ignore[arg-type]  # a Runnable, as was seen
    if pairs is None:
        if source.pair is None:
            raise InvalidInput("Y201", "there are no inputs, and the source is not refuted", _NO_INPUTS)
        pairs, work = [source.pair], replace(work, settings={**(source.settings or {}), **work.settings})
    finding = _from_outside(work, pairs, False, twin, scale)
    pair = finding.shown["pair"]
    loss = exact_verdict.measured(work.function, work.settings, pair)  # type: ignore[arg-type]  # as above
    verdict, notes = exact_verdict.joined(source, loss, work.claim.epsilon, finding.verdict == REFUTED)
    return replace(finding, exact=verdict, notes=(*finding.notes, *notes))


def _from_outside(
    work: Work, pairs: Sequence[Pair], replay: bool, twin: Callable[..., object] | None, scale: Number | None
) -> Finding:
    run = work.call if work.function is not None else work.only
    for pair in pairs:
        refuse_real_rows(pair.left, pair.right)
        refuse_carried(pair.left, pair.right)
    for pair in pairs[:FEW]:
        refuse_restless(run, pair.left, pair.right)
    first = FirstRuns.kept_for(run, work.function or work.many, pairs)
    try:
        pointed, notes = suspicious(work, pairs, twin, scale, replay=replay)
        finding = attacked(work, pairs, pointed, first)
    finally:
        if first is not None:
            first.close()
    return replace(finding, notes=(*finding.notes, *notes))


def suspicious(
    work: Work, pairs: Sequence[Pair], twin: Callable[..., object] | None, scale: Number | None, *, replay: bool
) -> tuple[list[tuple[Pair, list[str]]], list[str]]:
    """Pairs that two runs with the same randomness, or the twin without noise, point at; and why there is no look."""
    epsilon = work.claim.level
    found: list[tuple[Pair, list[str]]] = []
    notes = []
    if work.function is not None and replay:
        try:
            found = suspicions.look(work.call, pairs, epsilon, work.seconds * REPLAYING)
        except Unheard as lost:
            notes.append(f"No runs were replayed with the same randomness: {lost}")
    if twin is not None:
        for pair in pairs:
            heard = suspicions.twin_suspicion(twin, scale, pair, epsilon)
            found += [(pair, heard)] if heard else []
    return found, notes


def attacked(
    work: Work,
    pairs: Sequence[Pair],
    pointed: Sequence[tuple[Pair, list[str]]] = (),
    first_runs: FirstRuns | None = None,
) -> Finding:
    """The finding about the worst of some pairs; the error is split between those that are attacked."""

    def attack_on(pair: Pair, share: Fraction, seconds: float) -> Finding:
        finding = _attack(work, pair, share, seconds)
        if finding.verdict != REFUTED or work.tables or _undeclared(finding, pair) is not None:
            return finding
        return _fresh(finding, first_runs, next(place for place, other in enumerate(pairs) if other is pair))

    if len(pairs) == 1:
        return _told(attack_on(pairs[0], work.share, work.seconds), pairs[0], pointed)
    began = time.monotonic()
    first = [pair for pair, _ in pointed][:1]
    best = most_promising(pairs, work.sampler, work.claim, work.seconds, work.listen, first, work.most)
    findings, refused = [], []
    for number, pair in enumerate(best):
        left = work.seconds - (time.monotonic() - began)
        finding = attack_on(pair, SHARES[number] * work.share, max(0.05, left / (len(best) - number)))
        not_taken = _undeclared(finding, pair)
        if not_taken is not None:  # there was no time to look at it before
            refused.append(not_taken)
            continue
        findings.append(_told(finding, pair, pointed))
        if finding.refuted or finding.shown.get("interrupted") is not None:
            break
    if not findings:
        raise nothing_to_run(refused)
    worst = max(findings, key=lambda each: (each.refuted, each.shown.get("opaque"), each.at_least, each.could_reach))
    tried = f"{len(pairs)} pairs of inputs were looked at, {len(findings)} attacked"
    return replace(worst, notes=(*worst.notes, tried))


def _undeclared(finding: Finding, pair: Pair) -> str | None:
    """The exception by which the callable refuses a made-up input's type, if that is what an attack met."""
    samples, encoder = finding.shown.get("samples"), finding.shown.get("encoder")
    return undeclared(pair, encoder, *samples) if isinstance(samples, tuple) and isinstance(encoder, Encoder) else None


def _attack(work: Work, pair: Pair, share: Fraction, seconds: float) -> Finding:
    return attack(
        work.sampler(pair),
        work.claim,
        share=share,
        seconds=seconds,
        squeeze=work.squeeze,
        afterwards=min(AFTERWARDS, 0.1 * work.seconds),
        most=work.most,
        target=work.name,
        relation=pair.relation,
        listen=work.listen,
    ).showing(pair=pair)


def _fresh(finding: Finding, first: FirstRuns | None, number: int) -> Finding:
    """A refutation that first runs do not speak against."""
    try:
        if first is None:
            raise Unheard("this system cannot split a process")
        refuse_kept_noise(first, number, finding)
    except Unheard as lost:
        untold = f"Whether the callable keeps noise between runs could not be tested: {lost}"
        return replace(finding, notes=(*finding.notes, untold))
    except KeyboardInterrupt as interruption:
        untold = "The audit was interrupted before it was tested whether the callable keeps noise between runs"
        return replace(finding, notes=(*finding.notes, untold)).showing(interrupted=interruption)
    return finding


def _told(finding: Finding, pair: Pair, pointed: Sequence[tuple[Pair, list[str]]]) -> Finding:
    heard = [words for other, found in pointed if other is pair for words in found]
    return replace(finding, suspicions=tuple(dict.fromkeys(heard)))
