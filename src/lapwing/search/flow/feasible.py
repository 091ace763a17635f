"""The feasible set Ω(α, ω): all secrets that agree with what was seen, and how much seeing it told.

The one idea: run the program on every secret of a finite domain and keep those that can give the observed answer. Noise
with finitely many outcomes counts with its exact probabilities. Prior belief is uniform over the domain.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.program import ir
from lapwing.search.flow.runs import GaveUp, Program, is_noisy

#: Secrets looked at, at most; statements of one run.
SECRETS, STEPS = 200_000, 1_000_000

#: The values of the hidden parameters, in the order of :func:`hidden`.
Secret = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """Whole numbers from ``low`` up to but not ``high``; ``length`` of them where the parameter is a list."""

    low: int
    high: int
    length: int | None = None

    def __len__(self) -> int:
        return int(max(0, self.high - self.low) ** (1 if self.length is None else self.length))


@dataclass(frozen=True, slots=True)
class Feasible:
    """Ω for one observation, and what the program tells in general."""

    names: tuple[str, ...]
    secrets: int
    #: the secrets that agree, with the probability of what was seen
    agreeing: Mapping[Secret, Fraction]
    #: how many answers there are, and Σ over answers of the largest probability that any secret gives it
    answers: int
    vulnerability: Fraction
    shannon: Interval

    @property
    def certain(self) -> bool:
        """Whether the observation has probability 1 wherever it is possible: a program without noise."""
        return all(chance == 1 for chance in self.agreeing.values())

    @property
    def prior(self) -> Interval:
        """Bits of uncertainty before: log₂ of the number of secrets."""
        return logarithm(Fraction(self.secrets))

    @property
    def left(self) -> Interval | None:
        """Min-entropy after the observation, in bits: log₂ |Ω| without noise; ``None`` if it cannot happen."""
        if not self.agreeing:
            return None
        return logarithm(sum(self.agreeing.values(), Fraction(0)) / max(self.agreeing.values()))

    @property
    def min_entropy_leakage(self) -> Interval:
        """Bits by which one run makes the secret easier to guess: log₂ Σ_o max_s P(o | s)."""
        return logarithm(self.vulnerability)


def hidden(mechanism: ir.Mechanism) -> list[ir.Parameter]:
    """The parameters that whoever sees the result may not see."""
    labels = policy(mechanism)
    return [parameter for parameter in mechanism.parameters if not labels.visible(parameter.name)]


def missing_domain(mechanism: ir.Mechanism, domains: Mapping[str, Domain]) -> str | None:
    """A hidden parameter that has infinitely many values and no domain."""
    for parameter in hidden(mechanism):
        if parameter.name not in domains and not _is_finite(parameter.type):
            return parameter.name
    return None


def secrets(mechanism: ir.Mechanism, domains: Mapping[str, Domain], limit: int = SECRETS) -> list[Secret]:
    """Every secret of the domain; refuses one that is infinite or too large."""
    name = missing_domain(mechanism, domains)
    if name is not None:
        raise InvalidInput("W121", f"'{name}' has infinitely many values", f"Give its domain: --domain {name}=0:10000")
    options = [_values(parameter, domains.get(parameter.name), limit) for parameter in hidden(mechanism)]
    if not options:
        raise InvalidInput("W122", f"nothing in {mechanism.name} is hidden", "Label a parameter: @flow(x='secret')")
    count = math.prod(len(each) for each in options)
    if not 0 < count <= limit:
        raise InvalidInput("W123", f"the domain has {count} secrets, not 1 to {limit}", "Give a smaller domain")
    return list(itertools.product(*options))


def feasible(
    module: ir.Module, name: str, public: Mapping[str, Value], observed: Value | None, domain: Sequence[Secret]
) -> Feasible:
    """Ω(α, ω) = {ω′ : ω′ ≈ ω and the answers can agree}; ``observed`` ``None`` stands for a run that never ends."""
    names = tuple(parameter.name for parameter in hidden(module[name]))
    program, noisy = Program(module, name), is_noisy(module[name])
    for secret in domain[:1]:
        program.check_accepted({**public, **dict(zip(names, secret, strict=True))}, STEPS)
    channel: dict[Secret, dict[Value | None, Fraction]] = {}
    for secret in domain:
        inputs = {**public, **dict(zip(names, secret, strict=True))}
        try:
            row: dict[Value | None, Fraction] = {}
            if noisy:
                row |= dict[Value | None, Fraction](program.outcomes(inputs, STEPS).items())
            else:
                row[program.run(inputs, STEPS).answer] = Fraction(1)
            channel[secret] = row
        except GaveUp:
            raise InvalidInput("W124", "a run takes too many steps, or too much noise", "Give smaller inputs") from None
    best: dict[Value | None, Fraction] = {}
    total: Counter[Value | None] = Counter()
    for row in channel.values():
        for answer, chance in row.items():
            best[answer] = max(best.get(answer, Fraction(0)), chance)
            total[answer] += chance  # type: ignore[assignment]  # sums of Fractions are Fractions
    agreeing = {secret: row[observed] for secret, row in channel.items() if observed in row}
    shannon = _mutual_information(list(channel.values()), total, len(channel))
    return Feasible(names, len(channel), agreeing, len(best), sum(best.values(), Fraction(0)), shannon)


def _mutual_information(
    rows: Sequence[Mapping[Value | None, Fraction]], total: Mapping[Value | None, Fraction | int], count: int
) -> Interval:
    """Σ P(s, o) log₂ (P(o | s) / P(o)): Shannon leakage in bits, with equal terms added up first."""
    terms: Counter[tuple[Fraction, Fraction]] = Counter()
    for row in rows:
        for answer, chance in row.items():
            terms[chance, Fraction(total[answer]) / count] += 1

    def bits() -> arb:
        found = arb(0)
        for (chance, whole), times in terms.items():
            if chance != whole:
                found += ball(chance * times / count) * (ball(chance / whole).log() / arb(2).log())
        return found

    return enclose(bits) if any(chance != whole for chance, whole in terms) else Interval.point(Fraction(0))


def logarithm(number: Fraction) -> Interval:
    """log₂, exactly for powers of two."""
    whole = number.numerator.bit_length() - number.denominator.bit_length()
    for exponent in (whole - 1, whole, whole + 1):
        if number == Fraction(2) ** exponent:
            return Interval.point(Fraction(exponent))
    return enclose(lambda: ball(number).log() / arb(2).log())


def _is_finite(kind: ir.Type) -> bool:
    return isinstance(kind, ir.Boolean) or (isinstance(kind, ir.Tuple) and all(_is_finite(e) for e in kind.elements))


def _values(parameter: ir.Parameter, domain: Domain | None, limit: int) -> list[Value]:
    if domain is None:
        return _every(parameter.type)
    listed = isinstance(parameter.type, ir.List)
    number = parameter.type.element if isinstance(parameter.type, ir.List) else parameter.type
    if listed != (domain.length is not None) or not isinstance(number, ir.Integer | ir.Real):
        form = "0:10^4 (4 elements from 0 to 9)" if listed else "0:10000"
        raise InvalidInput("W125", f"this domain does not fit the type of '{parameter.name}'", f"Write one like {form}")
    if len(domain) > limit:
        raise InvalidInput("W123", f"the domain of '{parameter.name}' has {len(domain)} values", "Give a smaller one")
    numbers: list[Value] = [Fraction(each) for each in range(domain.low, domain.high)]
    if domain.length is None:
        return numbers
    return [tuple(each) for each in itertools.product(numbers, repeat=domain.length)]


def _every(kind: ir.Type) -> list[Value]:
    if isinstance(kind, ir.Tuple):
        return [tuple(each) for each in itertools.product(*(_every(part) for part in kind.elements))]
    return [False, True]
