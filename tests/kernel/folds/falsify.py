"""Looks for neighbours on which a program loses more than a bound, by exact runs with chosen noise."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.inputs import private, public
from lapwing.kernel.run.interpret import program

VALUES = [-3, -1, 0, Fraction(1, 2), 1, 2, 5]
#: Directions in which answers are looked at.
DIRECTIONS = [(1, 0), (0, 1), (1, -1), (1, 1)]


class Runs:
    """Exact runs of one mechanism with given draws (0 where none is given)."""

    def __init__(self, module, name):
        self.noise: Sequence[Fraction] = ()
        self.drawn: list[tuple[str, object]] = []
        self.mechanism = module[name]
        self.run = program(module, name, self._draw)

    def _draw(self, kind, arguments):
        place = len(self.drawn)
        self.drawn.append((kind, arguments[0] if kind != "choose" else tuple(arguments)))
        noise = self.noise[place] if place < len(self.noise) else Fraction(0)
        if kind == "choose":
            return round(noise) % len(arguments[0])
        return round(noise) if kind.startswith("discrete") else noise > 0 if kind == "flip" else noise

    def __call__(self, inputs, noise):
        """The answer, as a list, and what was drawn."""
        self.noise, self.drawn = noise, []
        found = {
            each.name: (private if each.private else public)(inputs[each.name], each.type, each.name)
            for each in self.mechanism.parameters
        }
        answer = self.run(found, Meter(100_000))
        return list(answer) if isinstance(answer, Sequence) else [answer], self.drawn


def neighbours(chance, relation, kind):
    """Two values of the private parameter."""
    if kind == "bool":
        return True, False
    values = [each for each in VALUES if kind not in ("int", "list[int]") or Fraction(each).denominator == 1]

    def pick():
        return chance.choice(values)

    def near(x):
        return x + chance.choice([-1, Fraction(1, 2), 1])

    if not kind.startswith("list"):
        x = pick()
        return x, near(x) if relation == "within(1)" else pick()
    left = [pick() for _ in range(chance.randint(0 if relation == "added()" else 1, 4))]
    place = chance.randrange(len(left) + (relation == "added()"))
    if relation == "added()":
        return left, [*left[:place], pick(), *left[place:]]
    if relation == "each(1)":
        return left, [near(x) for x in left]
    new = near(left[place]) if relation == "one(1)" else pick()
    return left, [*left[:place], new, *left[place + 1 :]]


def violation(module, example, bound, seed=0, rounds=40):
    """Neighbours on which the loss is certainly more than ``bound(inputs)``, and why, or None.

    With the draws of both sides the same, answers that are affine in the draws differ by Δ in some direction. A draw
    that moves by δ costs |δ|/scale, and moves the answer by its slope times δ; so Δ costs
    |Δ| / max(slope · scale) at least.
    Answers that no noise moves must be the same. What is not affine is looked at for a bound of 0 alone.
    """
    chance = random.Random(seed)
    runs = Runs(module, "f")
    for _ in range(rounds):
        left, right = neighbours(chance, example.relation, example.type)
        if chance.random() < 0.5:
            left, right = right, left
        shared = {"ws": [chance.choice(VALUES) for _ in range(chance.randint(0, 4))], "k": chance.randint(0, 4),
                  "c": chance.choice(VALUES)}  # fmt: skip
        one, two = ({each.name: {**shared, example.name: x}[each.name] for each in runs.mechanism.parameters}
                    for x in (left, right))  # fmt: skip
        noise = [Fraction(chance.randint(-4000, 4000), 997) for _ in range(60)]
        try:
            answer, drawn = runs(one, noise)
            other, again = runs(two, noise)
        except InvalidInput:
            continue
        most = bound(shared, len(left) if isinstance(left, list) else 0)
        said = (one, two, answer, other, drawn, again)
        if most == 0 and answer != other:
            return "a bound of 0", said
        if drawn and drawn[0][0] == "choose" and again and again[0][0] == "choose":
            gap = chosen(drawn[0][1], again[0][1])
            if gap > most * (1 + 1e-9) + 1e-9:
                return f"a choice loses {gap}", said
        if answer == other:
            continue
        if not drawn and not again:
            return "no noise", said
        if drawn != again or any(kind not in ("laplace", "discrete_laplace") for kind, _ in drawn):
            continue  # what is drawn may depend on what was released
        if any(not isinstance(each, int | Fraction) for each in (*answer, *other)):
            continue
        slopes = _slopes(runs, one, noise, len(drawn))
        if slopes is None or slopes != _slopes(runs, two, noise, len(drawn)):
            continue
        if len(answer) != len(other):
            return "another length", said
        for places in ([i, j] for i in range(len(answer)) for j in range(i, len(answer))):
            for way in DIRECTIONS:
                gap = sum(w * (Fraction(other[p]) - Fraction(answer[p])) for w, p in zip(way, places, strict=True))
                reach = max(
                    abs(sum(w * slope[p] for w, p in zip(way, places, strict=True))) * Fraction(scale)
                    for slope, (_, scale) in zip(slopes, drawn, strict=True)
                )
                if abs(gap) > reach * most:
                    return f"{way} of {places} moves by {gap}, of {reach} a unit", said
    return None


def chosen(left, right):
    """The loss of a choice among scores."""
    logs = []
    for scores, scale in (left, right):
        powers = [float(score) / float(scale) for score in scores]
        most = max(powers)
        logs.append((powers, most + math.log(sum(math.exp(each - most) for each in powers))))
    (one, a), (two, b) = logs
    return max(abs((x - a) - (y - b)) for x, y in zip(one, two, strict=True))


def _slopes(runs, inputs, noise, count):
    """How each draw moves the answers, if it does so evenly, near and far."""
    middle, _ = runs(inputs, noise)
    found = []
    for place in range(count):
        steps = []
        for size in (Fraction(1, 9), -7, 40):
            moved = [*noise[:place], noise[place] + size, *noise[place + 1 :]]
            answer, drawn = runs(inputs, moved)
            if len(answer) != len(middle) or len(drawn) != count:
                return None
            steps.append([(Fraction(a) - Fraction(b)) / size for a, b in zip(answer, middle, strict=True)])
        if steps[0] != steps[1] or steps[0] != steps[2]:
            return None
        found.append(steps[0])
    return found
