"""What is known of the accuracy of one mechanism: proved, else refuted, else the reason why neither was possible."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lapwing.algebra.exact import exact
from lapwing.decide.proof_search import LATE
from lapwing.decide.time_limits import GRACE, last_in_time
from lapwing.decide.verdict import Verdict
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.accuracy.certificate import Shown, check_accuracy
from lapwing.kernel.accuracy.failure import Fails, check_failure
from lapwing.kernel.evidence.accuracy import AccuracyCertificate
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.formulas.favouring import certainly
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.kernel.symbolic.terms import Outside
from lapwing.search.accuracy import Failed, attempts, standard_conditions
from lapwing.search.accuracy.accuracy_story import story
from lapwing.search.violation.inaccuracy import ORDINARY_BETA, SMALL, Failure, looseness, refutation
from lapwing.search.violation.subject import Subject
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_file

#: Seconds of processor time for the proof of one condition.
LIMIT = 20.0


def readings(
    file: str,
    name: str,
    condition: str | None = None,
    beta: str = "beta",
    gamma: str | None = None,
    settings: Mapping[str, object] | None = None,
    exact: bool = False,
    limit: float = LIMIT,
) -> Iterator[Verdict]:
    """What is known of the condition given, or of each that the mechanism claims, or of the first usual one."""
    module = parse_file(file, only=name)
    mechanism = module[name]
    margin = _margin(mechanism, gamma)
    case = _Case(file, module, mechanism, margin, settings or {}, exact, limit)
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
    module: ir.Module
    mechanism: ir.Mechanism
    gamma: ir.Expression | None
    settings: Mapping[str, object]
    exact: bool
    limit: float

    def usual(self, beta: str) -> Verdict:
        """The first usual condition that is proved, else the last tried."""
        found: Verdict | None = None
        for text in standard_conditions(self.mechanism):
            reading = self.reading(read_condition(self.mechanism, text, beta))
            if reading.verdict == "proved":
                return reading
            found = found or reading
        if found is not None:
            return found
        nothing = "no condition is usual for these types: say what is meant with --condition or @accurate"
        name = self.mechanism.name
        return Verdict("accuracy", name, self.file, self.mechanism.span.line, "unknown", nothing, beta=beta)

    def reading(self, claim: ir.Accuracy) -> Verdict:
        """What is known of one claim."""
        start = time.perf_counter()
        name = self.mechanism.name
        private = frozenset(each.name for each in self.mechanism.parameters if each.private)
        open_one = Verdict(
            "accuracy",
            name,
            self.file,
            self.mechanism.span.line,
            "unknown",
            condition=show(claim.condition),
            beta=show(claim.beta),
            private=private,
        )
        found = self._proved(open_one, claim)
        if found.verdict == "unknown":
            found = self._refuted(found, claim)
        elif self.exact and isinstance(found.certificate, AccuracyCertificate):
            found = self._compared(found, found.certificate)
        return replace(found, seconds=round(time.perf_counter() - start, 3))

    def _proved(self, reading: Verdict, claim: ir.Accuracy) -> Verdict:
        """The reading with a proof; solvers may forget the time, so it is looked for where it can be ended."""
        found, late = last_in_time(lambda: self._tries(reading, claim), self.limit + GRACE)
        found = found or reading
        return replace(found, reason=found.reason or LATE) if late and found.verdict == "unknown" else found

    def _tries(self, reading: Verdict, claim: ir.Accuracy) -> Iterator[Verdict]:
        tries = attempts(self.module, reading.function, self.file, claim, gamma=self.gamma, seconds=self.limit)
        for attempt in tries:
            if isinstance(attempt, Failed):
                place = f" (line {attempt.line})" if attempt.line else ""
                yield replace(reading, reason=f"{attempt.reason}{place}")
                return
            stated = read_condition(self.mechanism, attempt.condition, attempt.beta)
            verdict = check_accuracy(attempt, self.module, stated)
            if isinstance(verdict, Shown):
                margins = [bound.value for bound in attempt.bounds if bound.part == "gamma"]
                yield replace(
                    reading,
                    condition=attempt.condition,
                    verdict="proved",
                    gamma=margins[0] if margins else None,
                    total=attempt.total,
                    given=verdict.given,
                    statement=verdict.statement,
                    reason=None,
                    certificate=attempt,
                    story=story(attempt, self.mechanism),
                )
                return
            reading = replace(reading, reason=f"a proof was not accepted: {verdict.reason}")
            yield reading

    def _refuted(self, reading: Verdict, claim: ir.Accuracy) -> Verdict:
        witness = refutation(self.module, self.mechanism, self.file, claim, self.settings)
        if witness is None:
            return reading
        stated = read_condition(self.mechanism, witness.condition, witness.beta)
        verdict = check_failure(witness, self.module, stated)
        if isinstance(verdict, Fails):
            return replace(reading, verdict="refuted", reason=None, witness=witness, statement=verdict.statement)
        return reading

    def _compared(self, reading: Verdict, certificate: AccuracyCertificate) -> Verdict:
        """A proof beside exact failures: one above the bound is a fault in Lapwing, after which it says nothing."""
        exact = tuple(self._exact(certificate))
        if any(each.exact.lower > each.bound.upper and self._is_meant(reading, each) for each in exact):
            reason = f"a proof of {certificate.total} and a larger failure were both found; please report this program"
            return Verdict(
                "accuracy",
                reading.function,
                reading.file,
                reading.line,
                "unknown",
                reason,
                condition=reading.condition,
                beta=reading.beta,
                exact=exact,
                private=reading.private,
            )
        return replace(reading, exact=exact)

    def _is_meant(self, reading: Verdict, found: Failure) -> bool:
        """Whether what the statement is given holds of the inputs; not, where that cannot be told."""
        known: dict[str, Value] = {"beta": exact(self.settings.get("beta", ORDINARY_BETA)), **found.inputs}  # type: ignore[arg-type]  # a number
        try:
            return all(certainly(formula(each), known) for each in reading.given)
        except (Outside, LapwingError, ArithmeticError, LookupError, TypeError):
            return False

    def _exact(self, certificate: AccuracyCertificate) -> list[Failure]:
        """Exact failures of the condition as it was proved."""
        claim = read_condition(self.mechanism, certificate.condition, certificate.beta)
        values: dict[ir.Expression, ir.Expression] = {ir.Builtin("step", ()): ir.ZERO}  # real noise
        values |= {formula(bound.part): replaced(formula(bound.value), values) for bound in certificate.bounds}
        subject = Subject(self.module, self.mechanism, SMALL)
        return looseness(
            subject, replaced(claim.condition, values), replaced(formula(certificate.total), values), self.settings
        )
