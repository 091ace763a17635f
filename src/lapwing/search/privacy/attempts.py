"""Every way to prove a mechanism, the quick and readable ones first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain

from lapwing.kernel.evidence.certificate import Certificate, Lift, Measure
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.named_functions import meanings, named
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.relational.proof_parts import SHIFTED
from lapwing.search.privacy.body_parts import is_approximate
from lapwing.search.privacy.composing import by_an_unlikely_coin, by_composition, by_concentration
from lapwing.search.privacy.coupling import by_coupling
from lapwing.search.privacy.enumeration import by_enumeration
from lapwing.search.privacy.exponential_text import shortest
from lapwing.search.privacy.folds import measure_of
from lapwing.search.privacy.kept_sums import Sums
from lapwing.search.privacy.kernel_search import by_walking
from lapwing.search.privacy.looking_ahead import by_deferring
from lapwing.search.privacy.outcome import ASSUMED, Failed, Found, claim_of, claimed_delta, claiming
from lapwing.search.privacy.proofs_on_totals import by_lifting
from lapwing.search.privacy.sensitivity import by_sensitivity, calls_concentrated
from lapwing.search.privacy.supplied import by_hand
from lapwing.search.privacy.totals import Point, points

#: How long to search for a proof, unless told otherwise. Seconds of computing: a busy machine changes no verdict.
SECONDS = 20.0
#: And for one of a part of a mechanism.
PART = 5.0
#: The share of the time that sums have where they are not the likeliest way.
SHARE = 0.2
#: Draws whose outcomes can be listed.
FINITE = ("flip", "uniform", "choose")


def attempts(
    module: ir.Module, name: str, file: str, seconds: float = SECONDS, sums: Sums | None = None
) -> Iterator[Certificate | Failed]:
    """Certificates of a mechanism's claim (of the smallest bound found, if it has none), and what failed.

    ``sums`` is what was found of sums by whoever asks about a part of theirs.
    """
    deadline = time.process_time() + seconds
    own, module = module, named(module, name)
    mechanism = module[name]
    sums = sums or Sums()

    def callee(other: str, measure: Measure) -> Certificate | None:
        found = attempts(module, other, file, deadline - time.process_time(), sums)
        return next((each for each in found if isinstance(each, Certificate) and each.measure == measure), None)

    written = by_hand(own, name, file)
    if written is not None:
        yield written
    if isinstance(mechanism.claim, ir.ApproximateClaim):
        yield from _approximate(own, mechanism, file, deadline, sums)
        return
    yield from _certified(own, mechanism, file, by_sensitivity(module, mechanism, callee))
    # where there are no records, sums are seldom what counts
    share = 1 if _is_of_records(mechanism) else SHARE
    adding = sums.of(mechanism, share * (deadline - time.process_time()))
    added_up = [each for found in adding for each in _certified(own, mechanism, file, found)]
    # a price for each element may be far above what one shift costs: unless it is all that is asked for, it waits
    dear = [each for each in added_up if mechanism.claim is None and _shifts(mechanism) and _grows(each)]
    yield from (each for each in added_up if each not in dear)
    if any(isinstance(each, ir.Sample) and each.kind in FINITE for each in walk.statements(mechanism.body)):
        yield from _certified(own, mechanism, file, by_enumeration(mechanism))
    shifted: list[Certificate | Failed] = []
    if _shifts(mechanism):
        now = time.process_time()
        third = (deadline - now) / 3
        # several loops of noise may be steps of a composition, which comes later and needs its time
        until, later = (now + third, now + 2 * third) if _has_stages(mechanism) else (deadline, deadline)
        shifted = list(_certified(own, mechanism, file, by_coupling(mechanism, (now + until) / 2 if dear else until)))
        yield from _cheapest_first(mechanism, [*dear, *shifted])
        for found in by_deferring(mechanism, later):
            yield from _certified(own, mechanism, file, found)
        for found in by_walking(mechanism, later, lambda found: _doubt(own, mechanism, found)):
            yield from _certified(own, mechanism, file, found)
    measure = "rho" if calls_concentrated(module, mechanism) else measure_of(mechanism)
    if measure is not None:
        stopped = [each for each in shifted if isinstance(each, Failed)]

        def parts(outlined: ir.Module) -> Iterator[Certificate | Failed]:
            return attempts(outlined, name, "<part>", min(PART, deadline - time.process_time()), sums)

        for found in by_composition(module, mechanism, measure, parts, partial(callee, measure=measure), deadline):
            yield from _certified(own, mechanism, file, found)
        yield from stopped  # where draws are shifted, what stopped that says more than what stopped composing
    if measure is not None and _is_of_records(mechanism):

        def inner(lifted: ir.Module) -> Iterator[Certificate | Failed]:
            return attempts(lifted, name, "<totals>", deadline - time.process_time(), sums)

        for found in by_lifting(mechanism, measure, inner):
            yield from _certified(own, mechanism, file, found)
        # of a mechanism on records, what stopped its sums says most: the last word is theirs
        yield from (each for each in added_up if isinstance(each, Failed))


def _shifts(mechanism: ir.Mechanism) -> bool:
    """Whether there is noise that a coupling shifts."""
    return any(isinstance(each, ir.Sample) and each.kind in SHIFTED for each in walk.statements(mechanism.body))


def _has_stages(mechanism: ir.Mechanism) -> bool:
    """Whether several loops, one after the other, draw noise."""
    loops = [each for each in mechanism.body if isinstance(each, ir.For | ir.While)]
    drawing = [each for each in loops if any(isinstance(part, ir.Sample) for part in walk.statements(each.body))]
    return len(drawing) > 1


def _grows(found: Certificate | Failed) -> bool:
    """Whether a bound grows with the length of a list."""
    return isinstance(found, Certificate) and any(
        isinstance(each, ir.Builtin) and each.function == "len" for each in walk.nodes(formula(found.bound))
    )


def _cheapest_first(mechanism: ir.Mechanism, found: list[Certificate | Failed]) -> list[Certificate | Failed]:
    """Certificates by their price where prices are compared; what failed comes last."""
    place = next(iter(points(mechanism)), Point({}))

    def price(each: Certificate | Failed) -> tuple[bool, Fraction]:
        value = place.value(formula(each.bound)) if isinstance(each, Certificate) else None
        return value is None, value or Fraction(0)

    return sorted(found, key=price)


def _approximate(
    module: ir.Module, mechanism: ir.Mechanism, file: str, deadline: float, sums: Sums
) -> Iterator[Certificate | Failed]:
    """Certificates of an (ε, δ) claim; what is ε-private is (ε, δ)-private, and is tried first, for half the time."""
    pure = ir.PureClaim(mechanism.claim.epsilon, span=mechanism.claim.span)  # type: ignore[union-attr]  # a claim of both
    delta = claimed_delta(mechanism)
    source = fingerprint(module, mechanism.name)
    half = (deadline - time.process_time()) / 2
    failed: Certificate | Failed | None = None
    kinds = {each.kind for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample)}
    in_rho = bool(kinds & {"gaussian", "discrete_gaussian"}) or calls_concentrated(
        module, replace(mechanism, claim=None)
    )
    never = in_rho or any(is_approximate(module, each) for each in mechanism.body)
    purely = claiming(module, mechanism.name, pure)
    pure_ways = () if never else attempts(purely, mechanism.name, "<pure>", half, sums)
    for attempt in pure_ways:
        if isinstance(attempt, Certificate):
            yield replace(attempt, file=file, source=source, claimed_delta=delta)
        elif failed is None or attempt.suspects:
            failed = attempt
    own, names = module, named(module, mechanism.name)

    def parts(outlined: ir.Module) -> Iterator[Certificate | Failed]:
        part = outlined[mechanism.name]
        if not any(is_approximate(outlined, each) for each in part.body):
            yield from attempts(outlined, mechanism.name, "<part>", min(PART, deadline - time.process_time()), sums)
            return
        for found in by_composition(outlined, part, "approximate", parts, callee, deadline):
            yield from _certified(outlined, part, "<part>", found)

    @cache
    def callee(other: str) -> Certificate | None:
        for attempt in attempts(own, other, file, deadline - time.process_time(), sums):
            if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, own), Proved):
                return attempt
        return None

    ways = [
        by_concentration(names, mechanism, parts) if in_rho else iter(()),
        by_an_unlikely_coin(names, names[mechanism.name], parts),
        by_composition(names, mechanism, "approximate", parts, callee, deadline),
    ]
    if kinds - {"gaussian", "discrete_gaussian"}:  # a step with other noise has an ε, which its ρ would not tell
        ways = ways[::-1]
    for found in chain.from_iterable(ways):
        yield from _certified(own, mechanism, file, found)
    for found in by_walking(mechanism, deadline, partial(_doubt_or_assumption, own, mechanism)):
        yield from _certified(module, mechanism, file, found)
    if _is_of_records(mechanism):

        def inner(lifted: ir.Module) -> Iterator[Certificate | Failed]:
            return attempts(lifted, mechanism.name, "<totals>", deadline - time.process_time(), sums)

        for found in by_lifting(names[mechanism.name], "approximate", inner):
            if not isinstance(found, Failed):
                yield from _certified(own, mechanism, file, found)
    if isinstance(failed, Failed):
        yield failed


def _doubt(module: ir.Module, mechanism: ir.Mechanism, found: Found) -> str | None:
    """What the checker has against a proof."""
    reason = "there is no certificate"
    for certificate in _certified(module, mechanism, "<text>", found):
        if isinstance(certificate, Certificate):
            verdict = check_certificate(certificate, module)
            if isinstance(verdict, Proved):
                return None
            reason = verdict.reason
    return reason


def _doubt_or_assumption(module: ir.Module, mechanism: ir.Mechanism, found: Found) -> str | None:
    """The same; or what would make the proof hold that fails only for a δ above 1/2, as rounded logarithms do there."""
    doubt, own = _doubt(module, mechanism, found), module[mechanism.name]
    if doubt is None or "may pass" not in doubt or not isinstance(own.claim, ir.ApproximateClaim):
        return doubt
    half = ir.Compare("<=", own.claim.delta, ir.Arithmetic("/", ir.ONE, ir.Number(Fraction(2))))
    assumed = replace(own, preconditions=(*own.preconditions, half))
    supposed = ir.Module(tuple(assumed if each.name == own.name else each for each in module))
    return doubt if _doubt(supposed, mechanism, found) is not None else f"{ASSUMED}: add assert {show(half)}"


def _is_of_records(mechanism: ir.Mechanism) -> bool:
    """Whether the one private parameter is a list of which one record is another, or is not there."""
    private = [each for each in mechanism.parameters if each.private]
    kinds = ("added", "replaced")
    return len(private) == 1 and private[0].relation is not None and private[0].relation.kind in kinds


def _certified(
    module: ir.Module, mechanism: ir.Mechanism, file: str, found: Found | Failed
) -> Iterator[Certificate | Failed]:
    """The certificate of a proof; where its bound has ln, exp or sqrt, one of the claim besides."""
    if isinstance(found, Failed):
        yield found
        return
    source, claim = fingerprint(module, mechanism.name), claim_of(mechanism)
    own = module[mechanism.name]
    words = meanings(own)
    stated = Certificate(
        file, mechanism.name, source, found.measure, found.bound, claim, found.proof, found.delta,
        claimed_delta(mechanism),
    )  # fmt: skip
    texts = (found.bound, found.delta or "0")
    if not any(ir.Name(each) in words for text in texts for each in walk.names(formula(text))):
        yield stated
        return
    real = shortest(show(replaced(formula(found.bound), words)), own)
    delta = found.delta and shortest(show(replaced(formula(found.delta), words)), own)
    bounds = [real] if claim is None else [real, claim] if found.measure == "epsilon" else [claim, real]
    for bound in dict.fromkeys(bounds):
        proof = found.proof
        if isinstance(proof, Lift):
            proof = replace(proof, mechanism=replace(proof.mechanism, bound=bound, delta=delta))
        yield replace(stated, bound=bound, delta=delta, proof=proof)
