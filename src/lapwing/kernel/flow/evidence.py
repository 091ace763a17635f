"""Is evidence about information flow right? The source is read again and all is rebuilt from it; one doubt rejects."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import shown
from lapwing.kernel.boundary import Doubt, judged
from lapwing.kernel.distribution.inputs import plain, read_inputs
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence import values as written
from lapwing.kernel.evidence.flow import Answers, Chances, Enumeration, FlowCertificate, FlowWitness, Typing
from lapwing.kernel.flow.composition import Composed
from lapwing.kernel.flow.derived_labels import check_labels, derive
from lapwing.kernel.flow.runs import answer, same_answers
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir, printer
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.run.extent import BITS, BOUND
from lapwing.kernel.run.trying import refusal
from lapwing.kernel.solver import MILLISECONDS, Terms

#: What the exact probability of an answer may take.
LIMITS = Limits(200_000)
#: Inputs that are enumerated: two to the power of this, at most.
MOST_TRUTHS = 8


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The evidence holds. ``statement`` says in one sentence what it shows."""

    statement: str


def check_flow(
    evidence: FlowCertificate | FlowWitness, module: ir.Module, milliseconds: int = MILLISECONDS
) -> Confirmed | Rejected:
    """Check evidence against the program; the solver has ``milliseconds`` for each question."""

    def confirm() -> Confirmed:
        if printer.fingerprint(module, evidence.function) != evidence.source:
            raise Doubt(f"the source of {evidence.function} is not the one the evidence was written for")
        if isinstance(evidence, FlowCertificate):
            return _certificate(evidence, module, milliseconds)
        return _witness(evidence, module)

    return judged(confirm)


def _certificate(certificate: FlowCertificate, module: ir.Module, milliseconds: int) -> Confirmed:
    mechanism = module[certificate.function]
    derived = derive(module, mechanism.name, match=certificate.match)
    if certificate.match and not derived.checks:
        raise Doubt("there is no authorisation check that a flow could go through")
    if isinstance(certificate.proof, Typing):
        check_labels(certificate.proof.labels, derived)
    elif isinstance(certificate.proof, Enumeration):
        _enumerate(module, mechanism, certificate.proof.answers)
    else:
        Composed(mechanism, certificate.proof.facts, derived.checks, Terms(milliseconds=milliseconds)).check()
    labels = policy(mechanism)
    hidden = [name for name in labels.labels if not labels.visible(name)]
    what = (
        f"{', '.join(hidden)} cannot be told from the result"
        if hidden
        else "nothing is hidden from the result's readers"
    )
    through = " but by guessing at match" if certificate.match else ""
    return Confirmed(f"{what}{through} (by {_METHODS[certificate.method]})")


_METHODS = {"typing": "typing", "composition": "self-composition", "enumeration": "enumeration"}


def _enumerate(module: ir.Module, mechanism: ir.Mechanism, answers: tuple[written.Value, ...]) -> None:
    """Every input gives the stated answers and no others, each as likely whatever is hidden.

    Their probabilities must be exact and add up to 1, so that nothing else happens, not even a run without end.
    """
    if not all(isinstance(parameter.type, ir.Boolean) for parameter in mechanism.parameters):
        raise Doubt("only truth values can be enumerated")
    if len(mechanism.parameters) > MOST_TRUTHS or len({_key(each) for each in answers}) != len(answers):
        raise Doubt("there are too many inputs, or an answer is given twice")
    labels, seen = policy(mechanism), dict[tuple[bool, ...], list[Fraction]]()
    for truths in itertools.product((False, True), repeat=len(mechanism.parameters)):
        given: dict[str, written.Value] = {
            each.name: truth for each, truth in zip(mechanism.parameters, truths, strict=True)
        }
        _check_accepted(module, mechanism.name, given)
        found = [probability(module, mechanism.name, given, each, LIMITS) for each in answers]
        chances = [each.lower for each in found]
        if not all(each.is_exact for each in found) or sum(chances) != 1:
            raise Doubt("the stated answers are not all there are")
        visible = tuple(truth for name, truth in zip(given, truths, strict=True) if labels.visible(name))
        if seen.setdefault(visible, chances) != chances:
            raise Doubt("an answer is more likely for some hidden inputs than for others")


def _key(value: written.Value) -> str:
    return repr(value)


# --- witnesses -------------------------------------------------------------------------------------------


def _witness(witness: FlowWitness, module: ir.Module) -> Confirmed:
    mechanism = module[witness.function]
    left, right = (
        _inputs(mechanism, side, given) for side, given in (("left", witness.left), ("right", witness.right))
    )
    _check_alike(mechanism, left, right)
    for given in (left, right):
        _check_accepted(module, mechanism.name, given)
    checks = derive(module, mechanism.name, match=True).checks
    if isinstance(witness.observed, Chances):
        return _chances(witness.observed, module, mechanism, (left, right), checks)
    inside = [{name: plain(value) for name, value in given.items()} for given in (left, right)]
    found = [answer(module, mechanism.name, given, checks) for given in inside]
    stated = witness.observed
    for (got, _), want, side in zip(found, (stated.left, stated.right), ("left", "right"), strict=True):
        if not _same(got, want):
            raise Doubt(f"the answer on the {side} is another")
    if found[0][0] == found[1][0]:
        raise Doubt("both runs answer the same")
    if not same_answers(found[0][1] | found[1][1], *inside):
        raise Doubt("the two inputs answer an authorisation check differently, and that may be told")
    return Confirmed(f"two inputs that look alike give {_answered(stated)}")


def _answered(stated: Answers) -> str:
    one, two = ("no answer ever" if each is None else _shown(each) for each in (stated.left, stated.right))
    return f"{one} and {two}"


def _chances(
    stated: Chances,
    module: ir.Module,
    mechanism: ir.Mechanism,
    sides: tuple[dict[str, written.Value], dict[str, written.Value]],
    checks: frozenset[int],
) -> Confirmed:
    if checks:
        raise Doubt("chances are not compared where match may tell something")
    for given, want in zip(sides, (stated.left, stated.right), strict=True):
        got = probability(module, mechanism.name, given, stated.output, LIMITS)
        if not got.is_exact or got.lower != want:
            raise Doubt("a probability is not what the source gives")
    if stated.left == stated.right:
        raise Doubt("both runs give this answer with the same probability")
    return Confirmed(
        f"two inputs that look alike give {_shown(stated.output)} with probability {stated.left} and {stated.right}"
    )


def _inputs(mechanism: ir.Mechanism, side: str, given: Mapping[str, written.Value]) -> dict[str, written.Value]:
    """One side's arguments; those that are labelled must be what a run reads, so that it runs on them and no others."""
    read = read_inputs(mechanism, side, given)
    secret = frozenset[str]() if mechanism.flow is None else mechanism.flow.secrets
    for name in secret & set(read):
        if not all(abs(number) <= BOUND and (number * 2**BITS).denominator == 1 for number in _numbers(given[name])):
            raise Doubt(f"{side}.{name} is not on the lattice of a run")
    return read


def _check_alike(mechanism: ir.Mechanism, left: dict[str, written.Value], right: dict[str, written.Value]) -> None:
    labels = policy(mechanism)
    for parameter in mechanism.parameters:
        one, two = left[parameter.name], right[parameter.name]
        if labels.visible(parameter.name) and one != two:
            raise Doubt(f"{parameter.name} may be seen, and differs between left and right")
        lists = isinstance(one, tuple) and isinstance(two, tuple) and isinstance(parameter.type, ir.List)
        if lists and labels.length_visible(parameter.name) and len(one) != len(two):  # type: ignore[arg-type]  # tuples
            raise Doubt(f"the length of {parameter.name} may be seen, and differs between left and right")


def _check_accepted(module: ir.Module, name: str, given: dict[str, written.Value]) -> None:
    """A mechanism that refuses its public parameters answers nothing."""
    error = refusal(module, name, {each: plain(value) for each, value in given.items()}, 10_000)
    if error is not None:
        raise Doubt(f"{name} does not run on these inputs: {error.problem}")


def _numbers(value: written.Value) -> list[Fraction]:
    if isinstance(value, tuple):
        return [number for each in value for number in _numbers(each)]
    return [] if isinstance(value, bool) else [value]


def _same(one: written.Value | None, two: written.Value | None) -> bool:
    """Equality in which True is not 1."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(_same(a, b) for a, b in zip(one, two, strict=True))
    return isinstance(one, bool) == isinstance(two, bool) and one == two


def _shown(value: written.Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_shown(each) for each in value)}]"
    return str(value) if isinstance(value, bool) else shown(value)
