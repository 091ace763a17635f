"""``lapwing demo``: the guided tour. Each stop is one function that runs the real thing and says what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from lapwing.algebra.accounting.account import account
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import decimal_up
from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import PureDP
from lapwing.algebra.metrics import L1
from lapwing.check import Accepted, Proved, check_certificate, check_witness
from lapwing.cli import pictures as drawing
from lapwing.cli.console import emit, json_option, people
from lapwing.cli.numbers import answer
from lapwing.errors import BudgetExceeded
from lapwing.evidence.certificate import Certificate
from lapwing.noise.coin_response import CoinResponse
from lapwing.noise.laplace import Laplace
from lapwing.program.parse import parse_text
from lapwing.prove import attempts
from lapwing.refute.distribution import Subject
from lapwing.refute.search import refute
from lapwing.refute.story import event_text

#: A variant of the sparse vector technique that was published as private, and is not [Lyu, Su, Li 2017, algorithm 5].
PUBLISHED = """\
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def above_threshold(q: list[float], threshold: float, epsilon: float) -> list[bool]:
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    for x in q:
        out.append(x >= noisy_threshold)
    return out
"""

#: The same with noise on the answers and a limit on how many are above.
MENDED = """\
from lapwing import each, laplace, mechanism


@mechanism(q=each(1), claim="epsilon")
def above_threshold(q: list[float], threshold: float, limit: int, epsilon: float) -> list[bool]:
    assert limit >= 1
    noisy_threshold = threshold + laplace(2 / epsilon)
    out = []
    above = 0
    for x in q:
        if above < limit:
            if x + laplace(4 * limit / epsilon) >= noisy_threshold:
                out.append(True)
                above += 1
            else:
                out.append(False)
    return out
"""

#: The clinic of the tour: people, and how many of them have the condition.
PEOPLE, WITH_CONDITION = 10_000, 1_000


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour: a question, what was seen, and the figures for programs."""

    question: str
    seen: RenderableType
    figures: dict[str, object]


@click.command()
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Also draw the answers on two neighbouring tables for three values of ε, into FOLDER.",
)
@json_option
def demo(pictures: Path | None, as_json: bool) -> None:
    """A guided tour of what exists: noise, surveys, budgets, what many answers cost, a refutation and a proof.

    Everything runs for real, on a synthetic clinic made on the spot, so the noisy answers differ each time.

    Exit codes: 0 the tour is over, 2 bad input, 130 interrupted.
    """
    console = people(to_stderr=as_json)
    figure = None if pictures is None else pictures / "neighbours.png"
    if figure is not None:
        figure.parent.mkdir(parents=True, exist_ok=True)
        drawing.prepare(figure)
    console.print("[bold]Lapwing[/]: answers about people that depend little on any one of them, each with its proof.")
    for number, visit in enumerate(STOPS, 1):
        stop = visit()
        if as_json:
            emit({"stop": number, "question": stop.question, **stop.figures})
        _show(number, stop, console)
    if figure is not None:
        drawing.save(drawing.neighbour_curves(WITH_CONDITION, _three_strengths(), reach=14), figure)
        console.print(f"\npicture written to {escape(str(figure))}")
    console.print("\nNext: [bold]lapwing --help[/], and the README.")


def _show(number: int, stop: Stop, console: Console) -> None:
    console.print()
    console.print(Rule(f"[bold]{number}[/]  {stop.question}", align="left", style="dim"))
    console.print(Padding(stop.seen, (0, 0, 0, 3)))


def _three_strengths() -> dict[str, Callable[[int], tuple[float, float]]]:
    """The probabilities of an answer on both tables at three ε: hard, fair and easy to tell apart."""

    def curves(ratio: Fraction) -> Callable[[int], tuple[float, float]]:
        noise = Laplace(enclose(lambda: 1 / ball(ratio).log()).upper)
        return lambda seen: (float(noise.pmf(seen - WITH_CONDITION)), float(noise.pmf(seen - WITH_CONDITION + 1)))

    return {f"ε = ln {text}": curves(Fraction(text)) for text in ("1.1", "2", "5")}


def one_answer() -> Stop:
    """A count with Laplace noise: the answer, its margin and its claim."""
    mechanism = Laplace.for_epsilon("0.5", L1(1))
    noisy = mechanism.release(WITH_CONDITION)
    margin = mechanism.interval("0.95")
    claim = mechanism.claim(L1(1))
    seen = Text(
        f"{noisy} ± {margin} of {PEOPLE} (95 %). The exact count never left the process.\n"
        f"Claim: ε = {decimal_up(claim.epsilon)} for one person more or fewer, because integer Laplace noise of scale\n"
        f"{mechanism.scale} hides a step of 1. The noise is an exact integer, so no stray float bits tell on anyone."
    )
    figures: dict[str, object] = {"answer": noisy, "margin": margin, "epsilon": float(claim.epsilon)}
    return Stop("How many people in the clinic have the condition?", seen, figures)


def two_tables() -> Stop:
    """The output distributions on two neighbouring tables, side by side."""
    mechanism = Laplace.for_epsilon("0.5", L1(1))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("answer", "if 1,000 have it", "if 999 have it", "ratio"):
        table.add_column(heading, justify="right" if heading in {"answer", "ratio"} else "left")
    worst = Fraction(0)
    for seen in range(WITH_CONDITION - 6, WITH_CONDITION + 6):
        here, there = mechanism.pmf(seen - WITH_CONDITION), mechanism.pmf(seen - (WITH_CONDITION - 1))
        ratio = max(here.upper / there.lower, there.upper / here.lower)
        worst = max(worst, ratio)
        table.add_row(str(seen), _bar(float(here), "green"), _bar(float(there), "red"), f"{float(ratio):.4f}")
    allowed = enclose(ball(Fraction(1, 2)).exp)
    note = Text(f"No answer is more than e^0.5 = {float(allowed):.4f} times likelier on one table than on the other.")
    return Stop("Could an answer tell whether one person is in the table?", Group(table, note), {"ratio": float(worst)})


def coin_toss_survey() -> Stop:
    """Randomized response: privacy before anything leaves the person."""
    survey = CoinResponse("1/2")
    estimate = survey.estimate(survey.release(np.arange(PEOPLE) < WITH_CONDITION))
    count, margin, loss = float(estimate.count), 1.96 * estimate.standard_error, f"ln {survey.loss_ratio}"
    seen = Text(
        "Each person tosses a coin: heads, the truth; tails, a second coin answers for them.\n"
        f"Estimate: {count:.0f} ± {margin:.0f} (95 %). Every single report is deniable, by a factor of at most "
        f"{survey.loss_ratio}:\nε = {loss} ≤ {decimal_up(survey.claim().epsilon, 5)}, for one person's answer changed."
    )
    figures: dict[str, object] = {"estimate": count, "margin": margin, "closed_form": loss}
    return Stop("What if people do not even trust the clinic?", seen, figures)


def last_tenth() -> Stop:
    """A budget of 1 holds exactly ten charges of 0.1."""
    budget = Filter(PureDP(1))
    charges = 0
    while True:
        try:
            budget = budget.charge(PureDP("0.1"))
        except BudgetExceeded as refusal:
            seen = Text(f"{charges} charges of 0.1 emptied a budget of 1 exactly: nothing is left.\n{refusal}")
            return Stop("When is a budget empty?", seen, {"charges": charges})
        charges += 1


def many_answers() -> Stop:
    """What a hundred answers cost, by every method."""
    result = account("100 * laplace(10)", "1e-5")
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("method")
    table.add_column("ε at δ = 1e-5", justify="right")
    for row in result.rows:
        if row.rigorous:
            table.add_row(row.method, decimal_up(row.epsilon), style="bold green" if row is result.best else None)
    note = Text('Each bound is proved, none is below the truth. Try: lapwing compose "100 * laplace(10)" --delta 1e-5')
    figures: dict[str, object] = {"epsilon": float(result.best.epsilon)}
    return Stop("What do 100 answers of ε = 0.1 cost together?", Group(table, note), figures)


def published_algorithm() -> Stop:
    """A published algorithm that is not private: the search finds a witness, the checker accepts it."""
    module = parse_text(PUBLISHED, "published.py")
    subject = Subject(module, module["above_threshold"], Fraction(1))
    outcome = refute(subject)
    witness = outcome.witness(subject, "published.py")
    verdict = None if witness is None else check_witness(witness, PUBLISHED)
    if witness is None or not isinstance(verdict, Accepted):
        raise AssertionError("the tour's own algorithm was not refuted")
    program = Syntax(PUBLISHED.partition("\n\n\n")[2].rstrip(), "python", background_color="default")
    sides = " and q = ".join(answer(side["q"]) for side in (witness.left, witness.right))
    text = Text(
        f"\nRefuted. On the neighbours q = {sides}, the answer {event_text(witness.output)} has probability\n"
        f"{float(witness.probability_left):.4f} and at most {float(witness.probability_right.upper):.1e}: "
        f"{verdict.statement}.\nA checker that shares only the parser with the search recomputed this from the source."
    )
    figures: dict[str, object] = {"verdict": "refuted", "witness": witness.to_json()}
    return Stop("Is this algorithm from a published paper ε-private, as claimed?", Group(program, text), figures)


def mended_algorithm() -> Stop:
    """The algorithm with noise on the answers and a limit: a certificate for all sizes, which the checker accepts."""
    module = parse_text(MENDED, "mended.py")
    bound = next(
        (
            attempt.bound
            for attempt in attempts(module, "above_threshold", "mended.py")
            if isinstance(attempt, Certificate) and isinstance(check_certificate(attempt, MENDED), Proved)
        ),
        None,
    )
    if bound is None:
        raise AssertionError("the tour's own algorithm was not proved")
    program = Syntax(MENDED.partition("\n\n\n")[2].rstrip(), "python", background_color="default")
    text = Text(
        f"\nProved: the loss is at most {bound}, for every length, threshold, limit and epsilon.\n"
        "The proof aligns the noise of two neighbouring runs. It was found with Z3 and confirmed, from the\n"
        "source, by a checker that uses cvc5. Read such a proof with: lapwing prove FILE --show"
    )
    figures: dict[str, object] = {"verdict": "proved", "bound": bound}
    return Stop("And with noise on the answers, and a limit?", Group(program, text), figures)


def _bar(probability: float, colour: str) -> Text:
    return Text("█" * round(probability * 120), style=colour) + Text(f" {probability:.3f}")


STOPS: tuple[Callable[[], Stop], ...] = (
    one_answer,
    two_tables,
    coin_toss_survey,
    last_tenth,
    many_answers,
    published_algorithm,
    mended_algorithm,
)
