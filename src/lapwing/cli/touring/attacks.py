"""Stop: the attacks that broke the anonymised table, and two better ones, on the same table behind its policy."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count

from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.exact import decimal_up
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, grid, query, words
from lapwing.errors import BudgetExceeded
from lapwing.session import Release, Session, open_session
from lapwing.session.rendering import shown

#: What mallory pays for each answer.
PRICE = "0.1"
#: How often the same question is asked again.
AGAIN = 3


def visit(clinic: Clinic) -> Seen:
    """Linkage, differencing, averaging, until nothing is left."""
    tom, condition = clinic.tom()
    ill = f"SELECT COUNT(*) AS people FROM anonymised WHERE condition = '{condition}'"  # noqa: S608  # our own words
    linked = f"{ill} AND {tom.as_sql}"
    with open_session(clinic.asked(clinic.anonymised)) as session:
        budget = session.remaining.epsilon
        first = session.sql(linked, epsilon=PRICE)
        # each ± holds with 97.5 %, so both hold together, and their sum for the difference, with 95 %
        pair = [_sure(session, text) for text in (ill, f"{ill} AND NOT ({tom.as_sql})")]
        again = [session.sql(linked, epsilon=PRICE) for _ in range(AGAIN)]
        if not all(each.repeated and answer(each) == answer(first) for each in again):
            raise AssertionError("the same question was answered afresh")
        varied, refusal = _until_refused(session, linked)
        spent = budget - session.remaining.epsilon
    gap, gap_margin = answer(pair[0])[0] - answer(pair[1])[0], answer(pair[0])[1] + answer(pair[1])[1]
    value, margin = answer(first)
    asked = [value, *varied]
    average = sum(asked) / len(asked)
    # two standard deviations, about: Laplace noise of scale b has a variance of about 2 b²
    scale = float(Fraction(first.certificate["measurements"][0]["mechanism"]["scale"]))
    average_margin = 1.96 * scale * math.sqrt(2 / len(asked))
    odds = enclose(lambda: ball(spent).exp()).upper
    table = grid(
        [("attack", "folded"), ("truth", "right"), ("answer", "right"), ("± 95%", "right"), ("paid ε", "right")],
        [
            _row("linkage: how many are like him and have it?", 1, value, margin, Fraction(PRICE)),
            _row("differencing: all who have it, less all but him", 1, gap, gap_margin, 2 * Fraction(PRICE)),
            _row(f"averaging: the first question {AGAIN} times again", 1, value, margin, Fraction(0)),
            (
                f"averaging: {len(varied)} disguised copies of it, and it",
                "1",
                f"{average:,.1f}",
                f"about {average_margin:,.0f}",
                decimal_up(len(varied) * Fraction(PRICE)),
            ),
        ],
    )
    body = (
        words(
            f"mallory wants to know whether {tom.name} has {condition}, and knows his sex, birth date and postcode.",
            f"Each answer costs ε = {PRICE} of his {decimal_up(budget)}. The first question:",
        ),
        query(linked),
        table,
        words(
            "One person is lost in the ±. The same question again is the same answer, for nothing, so there is nothing",
            "to average; a question in disguise is a new question and is paid for; and then:",
        ),
        words(f"error {refusal}"),
        words(
            f"Whatever mallory makes of all {len(varied) + 3} answers, the odds he may give on {tom.name}'s condition",
            f"moved by a factor of at most e^{decimal_up(spent)} = {decimal_up(odds, 3)}. That is what ε means.",
        ),
    )
    figures: dict[str, object] = {
        "linkage": {"answer": value, "margin": margin},
        "differencing": {"answer": gap, "margin": gap_margin},
        "averaging": {"repeats_free": AGAIN, "paid": len(varied), "average": average, "margin": average_margin},
        "refusal": refusal.code,
        "spent": float(spent),
        "left": float(budget - spent),
    }
    return Seen(body, figures)


def answer(release: Release) -> tuple[float, float]:
    """The one number of a release, and its margin."""
    return release.table["people"][0].as_py(), release.margins["people"][0].as_py()


def _sure(session: Session, text: str) -> Release:
    return session.sql(text, epsilon=PRICE, confidence="0.975")


def _until_refused(session: Session, text: str) -> tuple[list[float], BudgetExceeded]:
    """Answers to the same question in ever new words, and the refusal that ends them."""
    answers: list[float] = []
    for number in count(1):
        try:
            release = session.sql(f"{text} AND postcode <> 'x{number}'", epsilon=PRICE)
        except BudgetExceeded as refusal:
            return answers, refusal
        answers.append(answer(release)[0])
    raise AssertionError("a budget never ended")


def _row(attack: str, truth: int, value: float, margin: float, paid: Fraction) -> tuple[str, str, str, str, str]:
    return attack, str(truth), shown(value, margin), shown(margin, margin), decimal_up(paid)


STOP = Stop("Do the same attacks work on private answers?", "attacking", visit)
