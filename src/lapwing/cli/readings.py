"""What is known of the accuracy of one mechanism: proved, else refuted, else the reason why neither was possible."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lapwing.accuracy import Failed, attempts, standard_conditions
from lapwing.accuracy.story import story
from lapwing.check.accuracy import Shown, check_accuracy
from lapwing.check.accuracy.failure import Fails, check_failure
from lapwing.cli.console import working
from lapwing.cli.targets import choose_lattice, read_source
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.accuracy import AccuracyCertificate, AccuracyWitness
from lapwing.evidence.values import value_to_json
from lapwing.evidence.witness import interval_to_json
from lapwing.program import ir, walk
from lapwing.program.conditions import read_condition
from lapwing.program.deciding import decider
from lapwing.program.margins import replaced
from lapwing.program.parse import parse_text
from lapwing.program.printer import show
from lapwing.program.symbolic.formulas import formula
from lapwing.program.symbolic.terms import Outside
from lapwing.refute.distribution import Subject
from lapwing.refute.inaccuracy import ORDINARY_BETA, SMALL, Failure, looseness, refutation

#: Seconds of processor time for the proof of one condition.
LIMIT = 20.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of one condition of one mechanism."""

    function: str
    file: str
    line: int
    condition: str
    beta: str
    verdict: str = "unknown"
    #: the margin that was found, and the probability
    gamma: str | None = None
    total: str | None = None
    #: how the condition had to be read for the lattice: a margin as it is written, and what is proved
    relaxed: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()
    statement: str | None = None
    seconds: float = 0.0
    reason: str | None = None
    exact: tuple[Failure, ...] = ()
    certificate: AccuracyCertificate | None = None
    witness: AccuracyWitness | None = None
    story: str = ""
    private: frozenset[str] = frozenset()

    def to_json(self) -> dict[str, object]:
        """The reading as a JSON object."""
        return {
            "function": self.function,
            "file": self.file,
            "line": self.line,
            "verdict": self.verdict,
            "condition": self.condition,
            "beta": self.beta,
            "gamma": self.gamma,
            "total": self.total,
            "relaxed": [{"written": written, "proved": proved} for written, proved in self.relaxed],
            "given": list(self.given),
            "statement": self.statement,
            "seconds": self.seconds,
            "reason": self.reason,
            "exact": [
                {
                    "n": each.n,
                    "inputs": {name: value_to_json(value) for name, value in each.inputs.items()},
                    "bound": interval_to_json(each.bound),
                    "failure": interval_to_json(each.exact),
                    "factor": each.factor,
                }
                for each in self.exact
            ],
            "certificate": None if self.certificate is None else self.certificate.to_json(),
            "witness": None if self.witness is None else self.witness.to_json(),
        }


def readings(
    file: str,
    name: str,
    condition: str | None = None,
    beta: str = "beta",
    gamma: str | None = None,
    settings: Mapping[str, object] | None = None,
    exact: bool = False,
    limit: float = LIMIT,
) -> Iterator[Reading]:
    """What is known of the condition given, or of each that the mechanism claims, or of the first usual one."""
    source = read_source(Path(file))
    module = parse_text(source, file, only=name)
    mechanism = module[name]
    margin = _margin(mechanism, gamma)
    case = _Case(file, source, module, mechanism, margin, settings or {}, exact, limit)
    if condition is not None:
        yield case.reading(read_condition(mechanism, condition, beta))
    elif mechanism.accuracy:
        yield from (case.reading(claim) for claim in mechanism.accuracy)
    else:
        yield case.usual(beta)


def _margin(mechanism: ir.Mechanism, text: str | None) -> ir.Expression | None:
    if text is None:
        return None
    if mechanism.parameter("gamma") is not None:
        raise InvalidInput("U105", "gamma is a parameter of the mechanism", "Give its value with --set gamma=...")
    claim = read_condition(mechanism, f"({text}) >= 0", "beta")
    assert isinstance(claim.condition, ir.Compare)  # noqa: S101  # it was written as one
    value = claim.condition.left
    private = {each.name for each in mechanism.parameters if each.private} | {"result", "gamma", "beta"}
    if walk.names(value) & private:
        raise InvalidInput("U105", "--gamma is not a public number", "Give a number, or public parameters")
    return value


@dataclass(frozen=True, slots=True)
class _Case:
    file: str
    source: str
    module: ir.Module
    mechanism: ir.Mechanism
    gamma: ir.Expression | None
    settings: Mapping[str, object]
    exact: bool
    limit: float

    def usual(self, beta: str) -> Reading:
        """The first usual condition that is proved, else the last tried."""
        found: Reading | None = None
        for text in standard_conditions(self.mechanism):
            reading = self.reading(read_condition(self.mechanism, text, beta))
            if reading.verdict == "proved":
                return reading
            found = found or reading
        if found is not None:
            return found
        nothing = "no condition is usual for these types: say what is meant with --condition or @accurate"
        name = self.mechanism.name
        return Reading(name, self.file, self.mechanism.span.line, "", beta, reason=nothing)

    def reading(self, claim: ir.Accuracy) -> Reading:
        """What is known of one claim."""
        start = time.perf_counter()
        name = self.mechanism.name
        private = frozenset(each.name for each in self.mechanism.parameters if each.private)
        open_one = Reading(
            name, self.file, self.mechanism.span.line, show(claim.condition), show(claim.beta), private=private
        )
        with working(f"accuracy of {name}"):
            found = self._proved(open_one, claim)
            if found.verdict == "unknown":
                found = self._refuted(found, claim)
            elif self.exact and found.certificate is not None:
                found = self._compared(found, found.certificate)
        return replace(found, seconds=round(time.perf_counter() - start, 3))

    def _proved(self, reading: Reading, claim: ir.Accuracy) -> Reading:
        tries = attempts(self.module, reading.function, self.file, claim, gamma=self.gamma, seconds=self.limit)
        for attempt in tries:
            if isinstance(attempt, Failed):
                place = f" (line {attempt.line})" if attempt.line else ""
                return replace(reading, reason=f"{attempt.reason}{place}")
            verdict = check_accuracy(attempt, self.source)
            if isinstance(verdict, Shown):
                margins = [bound.value for bound in attempt.bounds if bound.part == "gamma"]
                return replace(
                    reading,
                    condition=attempt.condition,
                    verdict="proved",
                    gamma=margins[0] if margins else None,
                    total=attempt.total,
                    relaxed=tuple((b.part, b.value) for b in attempt.bounds if b.part not in ("gamma", b.value)),
                    given=verdict.given,
                    statement=verdict.statement,
                    reason=None,
                    certificate=attempt,
                    story=story(attempt, self.mechanism),
                )
            reading = replace(reading, reason=f"a proof was not accepted: {verdict.reason}")
        return reading

    def _refuted(self, reading: Reading, claim: ir.Accuracy) -> Reading:
        witness = refutation(self.module, self.mechanism, self.file, claim, self.settings)
        if witness is None:
            return reading
        verdict = check_failure(witness, self.source)
        if isinstance(verdict, Fails):
            return replace(reading, verdict="refuted", reason=None, witness=witness, statement=verdict.statement)
        return reading

    def _compared(self, reading: Reading, certificate: AccuracyCertificate) -> Reading:
        """A proof beside exact failures: one above the bound is a fault in Lapwing, after which it says nothing."""
        exact = tuple(self._exact(certificate))
        if any(each.exact.lower > each.bound.upper and self._is_meant(reading, each) for each in exact):
            reason = f"a proof of {certificate.total} and a larger failure were both found; please report this program"
            unread = Reading(reading.function, reading.file, reading.line, reading.condition, reading.beta)
            return replace(unread, reason=reason, exact=exact, private=reading.private)
        return replace(reading, exact=exact)

    def _is_meant(self, reading: Reading, found: Failure) -> bool:
        """Whether what the statement is given holds of the inputs; not, where that cannot be told."""
        known = {"beta": self.settings.get("beta", ORDINARY_BETA), **found.inputs}
        try:
            return all(decider(formula(each), known)(None) is True for each in reading.given)
        except (Outside, LapwingError, ArithmeticError, LookupError, TypeError):
            return False

    def _exact(self, certificate: AccuracyCertificate) -> list[Failure]:
        """Exact failures of the condition as it was proved."""
        claim = read_condition(self.mechanism, certificate.condition, certificate.beta)
        values = {formula(bound.part): formula(bound.value) for bound in certificate.bounds}
        subject = Subject(self.module, self.mechanism, choose_lattice(None, [], self.mechanism), SMALL)
        return looseness(subject, replaced(claim.condition, values), formula(certificate.total), self.settings)
