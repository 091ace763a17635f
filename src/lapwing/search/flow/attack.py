"""Guessing: how fast an attacker who may ask again and again shrinks the feasible set.

The one idea: each question splits the secrets that are still possible by the answers they would give. The attacker
picks, among some questions, the one whose largest part is smallest, and the worst secret is in the largest part.
What is counted is what happened: runs of the program, and the ``match`` evaluations in them (Theorem 1 of [VS00]
says that these must be exponentially many in the bits of the secret).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.search.flow.feasible import Domain, Secret, hidden, secrets
from lapwing.search.flow.runs import GaveUp, Program, is_noisy

#: Questions compared before one is asked; all strategies are compared up to so many secrets.
CANDIDATES, EXHAUSTIVE = 12, 8
#: Secrets by which questions are compared.
SAMPLE = 256


@dataclass(frozen=True, slots=True)
class Asked:
    """One question on the attacker's way to the worst secret: the guess, its answer, and how many secrets are left."""

    guess: int
    answer: Value | None
    left: int


@dataclass(frozen=True, slots=True)
class Effort:
    """What finding any secret of ``bits`` bits takes: questions and ``match`` evaluations, at worst and on average.

    ``least`` is the smallest worst case of all strategies, where there are few enough to try them all; questions that
    never end (``None``) mean that some secrets cannot be told apart at all.
    """

    bits: int
    worst: int | None
    mean: Fraction | None
    worst_matches: int | None
    mean_matches: Fraction | None
    least: int | None


@dataclass(slots=True)
class Attack:
    """An attacker who chooses the public parameter ``guess`` from ``low`` to ``high`` - 1; the others are fixed."""

    module: ir.Module
    name: str
    guess: str
    low: int
    high: int
    public: Mapping[str, Value]
    _program: Program = field(init=False)
    _names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        mechanism = self.module[self.name]
        parameter = mechanism.parameter(self.guess)
        self._names = tuple(each.name for each in hidden(mechanism))
        if parameter is None or self.guess in self._names or not isinstance(parameter.type, ir.Integer | ir.Real):
            problem = f"'{self.guess[:40]}' is not a number that an attacker may choose"
            raise InvalidInput("W126", problem, "Name a visible parameter: --attack guess=0:10000")
        if not self.low < self.high:
            raise InvalidInput("W125", "the attacker has no guess to make", "Write --attack guess=0:10000")
        if is_noisy(mechanism):
            problem = "answers with noise split no set of secrets"
            raise InvalidInput("W127", problem, "Bound what they tell with lapwing prove")
        self._program = Program(self.module, self.name)

    def shrinking(self, domain: Sequence[Secret], questions: int) -> list[Asked]:
        """The way to the worst secret, until it is found, nothing more can be told, or so many questions are asked."""
        found: list[Asked] = []
        possible = list(domain)
        while len(possible) > 1 and len(found) < questions:
            guess, parts = self._best(possible)
            if len(parts) < 2:
                break
            answer, possible = max(parts.items(), key=lambda part: len(part[1]))
            found.append(Asked(guess, answer, len(possible)))
        return found

    def effort(self, bits: int, domain: Sequence[Secret]) -> Effort:
        """Questions and matches for every secret of the domain."""
        spent = self._spent(list(domain))
        least = self._least(frozenset(domain)) if len(domain) <= EXHAUSTIVE else None
        if spent is None:
            return Effort(bits, None, None, None, None, least)
        questions, matches = zip(*spent, strict=True)
        count = len(domain)
        return Effort(
            bits, max(questions), Fraction(sum(questions), count), max(matches), Fraction(sum(matches), count), least
        )

    def _spent(self, domain: list[Secret]) -> list[tuple[int, int]] | None:
        """(questions, matches) for each secret; ``None`` if some cannot be told apart."""
        pending: list[tuple[list[Secret], int, Mapping[Secret, int]]] = [(domain, 0, dict.fromkeys(domain, 0))]
        found: list[tuple[int, int]] = []
        while pending:
            possible, questions, matches = pending.pop()
            if len(possible) == 1:
                found.append((questions, matches[possible[0]]))
                continue
            guess, parts = self._best(possible)
            if len(parts) < 2:
                return None
            for part in parts.values():
                more = {secret: matches[secret] + self._run(guess, secret)[1] for secret in part}
                pending.append((part, questions + 1, more))
        return found

    def _least(self, domain: frozenset[Secret]) -> int | None:
        """The smallest worst case of all strategies, by trying them all."""
        known: dict[frozenset[Secret], int | None] = {}

        def search(possible: frozenset[Secret]) -> int | None:
            if len(possible) == 1:
                return 0
            if possible not in known:
                best: int | None = None
                for guess in range(self.low, self.high):
                    parts = self._parts(guess, sorted(possible)).values()
                    if len(parts) < 2:
                        continue
                    after = [search(frozenset(part)) for part in parts]
                    if all(each is not None for each in after):
                        worst = 1 + max(each for each in after if each is not None)
                        best = worst if best is None else min(best, worst)
                known[possible] = best
            return known[possible]

        return search(domain)

    def _best(self, possible: list[Secret]) -> tuple[int, dict[Value | None, list[Secret]]]:
        guesses = list(dict.fromkeys([*self._near(possible), *_spread(range(self.low, self.high))]))
        if len(possible) > SAMPLE:  # judge by some of the secrets first, and count all of them for the guess taken
            some = possible[:: len(possible) // SAMPLE]
            guess = min(guesses, key=lambda each: _largest(self._parts(each, some)))
            parts = self._parts(guess, possible)
            if len(parts) > 1:
                return guess, parts
        splits = ((guess, self._parts(guess, possible)) for guess in guesses)
        return min(splits, key=lambda split: _largest(split[1]))

    def _near(self, possible: list[Secret]) -> list[int]:
        """Guesses among the secrets that are still possible, the middle one first."""
        numbers = [secret[0] for secret in possible if len(secret) == 1 and isinstance(secret[0], Fraction)]
        whole = [int(number) for number in numbers if self.low <= number < self.high]
        return _spread(whole)

    def _parts(self, guess: int, possible: Sequence[Secret]) -> dict[Value | None, list[Secret]]:
        parts: dict[Value | None, list[Secret]] = {}
        for secret in possible:
            parts.setdefault(self._run(guess, secret)[0], []).append(secret)
        return parts

    def _run(self, guess: int, secret: Secret) -> tuple[Value | None, int]:
        """The answer, and how many matches were evaluated for it."""
        inputs = {**self.public, self.guess: Fraction(guess), **dict(zip(self._names, secret, strict=True))}
        try:
            ended = self._program.run(inputs)
        except GaveUp:
            raise InvalidInput("W124", "a run takes too many steps", "Give smaller inputs") from None
        except InvalidInput:
            return None, 0  # this guess is refused, whatever the secret is
        return ended.answer, ended.matches


def efforts(attack: Attack, secret: str, bits: range) -> list[Effort]:
    """What secrets of each number of bits take, guesses ranging over the same numbers."""
    found: list[Effort] = []
    for each in bits:
        sized = Attack(attack.module, attack.name, attack.guess, 0, 2**each, attack.public)
        found.append(sized.effort(each, secrets(attack.module[attack.name], {secret: Domain(0, 2**each)})))
    return found


def _largest(parts: Mapping[Value | None, Sequence[Secret]]) -> int:
    return max(len(part) for part in parts.values())


def _spread(numbers: Sequence[int]) -> list[int]:
    """At most so many of the numbers, evenly spread, the middle one first."""
    count = min(CANDIDATES, len(numbers))
    places = [(2 * place + 1) * len(numbers) // (2 * count) for place in range(count)]
    return [numbers[len(numbers) // 2], *(numbers[place] for place in places)] if count else []
