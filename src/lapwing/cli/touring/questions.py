"""Stop: private SQL. Counts and means with their ±, beside the truth that only the curator can see."""

from __future__ import annotations

from rich.table import Table

from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, grid, query, words
from lapwing.session import Release, open_session
from lapwing.session.rendering import shown, summary

COUNTS = "SELECT region, COUNT(*) AS people FROM people GROUP BY region ORDER BY region"
MEANS = "SELECT schooling, AVG(income) AS income FROM people WHERE age >= 18 GROUP BY schooling ORDER BY schooling"
COUNTS_PRICE, MEANS_PRICE = "0.2", "0.5"
#: A group, the answer, its margin, and the truth.
Compared = tuple[str, float, float, float]


def counts(clinic: Clinic) -> Release:
    """How many people live in each region; asked again, it is the same answer and free."""
    with open_session(clinic.asked(clinic.people)) as session:
        return session.sql(COUNTS, epsilon=COUNTS_PRICE)


def means(clinic: Clinic) -> Release:
    """What grown people earn, by schooling."""
    with open_session(clinic.asked(clinic.people)) as session:
        return session.sql(MEANS, epsilon=MEANS_PRICE)


def truths(clinic: Clinic) -> tuple[dict[str, float], dict[str, float]]:
    """The exact answers to both."""
    number = clinic.truth(["region"], "person", "count")
    income = clinic.truth(["schooling"], "income", "mean", least_age=18)
    return {str(key): value for (key,), value in number.items()}, {str(key): value for (key,), value in income.items()}


def visit(clinic: Clinic) -> Seen:
    """Ask both, and compare."""
    with open_session(clinic.asked(clinic.people)) as session:
        offer = session.quote(MEANS, epsilon=MEANS_PRICE, rows=2000).margins["income"]
    number, income = counts(clinic), means(clinic)
    true_number, true_income = truths(clinic)
    expected = (
        "" if offer is None else f" Before paying, a quote said: at most ± {shown(offer, offer)} for groups of 2,000."
    )
    body = (
        words(
            "ana, an analyst, asks in SQL and says what she pays. Every answer comes with a ±. She never sees the last",
            "two columns; but these people do not exist, so the tour may show the truth.",
        ),
        query(COUNTS),
        beside(number, true_number),
        words(f"{summary(number)}."),
        query(MEANS),
        beside(income, true_income),
        words(f"{summary(income)}.{expected}"),
    )
    figures: dict[str, object] = {
        "counts": number.to_json() | {"truth": true_number},
        "means": income.to_json() | {"truth": true_income},
    }
    return Seen(body, figures)


def compared(release: Release, truth: dict[str, float]) -> list[Compared]:
    """A release of one number per group, each with its margin and its truth."""
    key, number = release.columns
    cells = zip(release.table.to_pylist(), release.margins.to_pylist(), strict=True)
    return [(values[key], values[number], margins[number], truth[values[key]]) for values, margins in cells]


def beside(release: Release, truth: dict[str, float]) -> Table:
    """The same as a table."""
    key, number = release.columns
    rows = [
        (name, shown(value, margin), shown(margin, margin), shown(exact, margin), shown(abs(value - exact), margin))
        for name, value, margin, exact in compared(release, truth)
    ]
    sides = [(key, "left"), (number, "right"), ("± 95%", "right"), ("truth", "right"), ("off by", "right")]
    return grid(sides, rows)


STOP = Stop("What can be asked, and how good are the answers?", "asking", visit)
