"""Stop: the answers to expect on two tables that differ in one person, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from rich.text import Text

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.metrics import L1
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, grid, words
from lapwing.noise.laplace import Laplace

#: How many people have the condition in one of the tables; in the other it is one fewer.
WITH_CONDITION = 1_000
Probabilities = Callable[[int], tuple[float, float]]


def three_strengths() -> Mapping[str, Probabilities]:
    """The probabilities of an answer on both tables at three ε: hard, fair and easy to tell apart."""

    def curves(ratio: Fraction) -> Probabilities:
        noise = Laplace(enclose(lambda: 1 / ball(ratio).log()).upper)
        return lambda seen: (float(noise.pmf(seen - WITH_CONDITION)), float(noise.pmf(seen - WITH_CONDITION + 1)))

    return {f"ε = ln {text}": curves(Fraction(text)) for text in ("1.1", "2", "5")}


def visit(_: Clinic) -> Seen:
    """Every answer near the truth, and how likely it is on either table."""
    mechanism = Laplace.for_epsilon("0.5", L1(1))
    rows, worst = [], Fraction(0)
    for seen in range(WITH_CONDITION - 6, WITH_CONDITION + 6):
        here, there = mechanism.pmf(seen - WITH_CONDITION), mechanism.pmf(seen - (WITH_CONDITION - 1))
        ratio = max(here.upper / there.lower, there.upper / here.lower)
        worst = max(worst, ratio)
        rows.append((str(seen), _bar(float(here), "green"), _bar(float(there), "red"), f"{float(ratio):.4f}"))
    columns = [("answer", "right"), ("if 1,000 have it", "left"), ("if 999 have it", "left"), ("ratio", "right")]
    allowed = enclose(ball(Fraction(1, 2)).exp)
    note = f"No answer is more than e^0.5 = {float(allowed):.4f} times likelier on one table than on the other."
    return Seen((grid(columns, rows), words(note)), {"ratio": float(worst)})


def _bar(probability: float, colour: str) -> Text:
    return Text("█" * round(probability * 80), style=colour) + Text(f" {probability:.3f}")


STOP = Stop("What does one person change, at ε = 0.5?", "computing", visit)
