"""``lapwing compose``: what a set of mechanisms costs together."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.algebra.accounting.account import Account, Row, account, epsilon_by_count
from lapwing.algebra.accounting.expression import Expression
from lapwing.algebra.exact import decimal_up, float_up
from lapwing.cli import pictures
from lapwing.cli.console import emit, json_option, people, working

#: Digits shown to people; the JSON carries whole floats.
DIGITS = 7
#: Points of a picture's curves: enough to look smooth, few enough to wait for.
POINTS = 12


@click.command()
@click.argument("expression")
@click.option("--delta", default="0", show_default=True, help="Failure probability of the bound, such as 1e-5.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw ε against repetitions to FILE.")
@json_option
def compose(expression: str, delta: str, plot: Path | None, as_json: bool) -> None:
    """What a set of mechanisms costs together, by every method that applies.

    EXPRESSION is a sum of terms, each possibly repeated:

    \b
      lapwing compose "100 * laplace(10)" --delta 1e-5
      lapwing compose "100 * laplace(10) + 5 * gaussian(20)" --delta 1e-9
      lapwing compose "1000 * poisson(0.01, gaussian(1))" --delta 1e-6

    \b
    Terms:
      laplace(scale)    real-valued noise of that scale; sensitivity=1 unless
                        told otherwise; with steps=1 whole-number noise on
                        a count, with steps=K K lattice steps to a sensitivity
      gaussian(sigma)   noise of that standard deviation; sensitivity=1
      pure(epsilon)     any ε-differentially private mechanism
      approx(epsilon, delta), zcdp(rho), randomized_response(p)
      poisson(q, term)  the term on a sample of people, each with probability q

    Every ε is rounded up. "Rigorous" means: proved not to be below the truth.

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if plot is not None:
        pictures.prepare(plot)
    with working("composing") as say:
        result = account(expression, delta, progress=say)
    if as_json:
        emit(_json(result))
    _show(result, people(to_stderr=as_json))
    if plot is not None:
        _draw(result, plot)
        people(to_stderr=True).print(f"picture written to {escape(str(plot))}")


def _json(result: Account) -> dict[str, object]:
    """The contract: numbers are floats rounded up, so that a reader never sees less than the bound."""
    return {
        "expression": str(result.expression),
        "delta": _number(result.delta),
        "methods": [
            {
                "method": row.method,
                "epsilon": _number(row.epsilon) if row.rigorous else float(row.epsilon),
                "rigorous": row.rigorous,
                "seconds": round(row.seconds, 6),
                "note": row.note,
            }
            for row in result.rows
        ],
    }


def _number(value: Fraction) -> float | str:
    """A float that is not below the number, or, beyond the largest float, its decimal."""
    rounded = float_up(value)
    return rounded if math.isfinite(rounded) else decimal_up(value, DIGITS)


def _show(result: Account, console: Console) -> None:
    console.print(f"[bold]{escape(str(result.expression))}[/] at δ = {_delta(result)}")
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("method", overflow="fold")
    table.add_column("ε", justify="right", no_wrap=True)
    table.add_column("rigorous", no_wrap=True)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for row in result.rows:
        style = "bold green" if row is result.best else None if row.rigorous else "dim"
        rigorous = "yes" if row.rigorous else "no"
        table.add_row(row.method, _epsilon(row), rigorous, f"{row.seconds:.3f} s", row.note, style=style)
    console.print(table)
    if len(result.neighbours) == 1:
        console.print(f"[dim]Holds for neighbours that differ by {result.neighbours[0].phrase}.[/]")


def _epsilon(row: Row) -> str:
    return decimal_up(row.epsilon, DIGITS) if row.rigorous else f"≈ {float(row.epsilon):.{DIGITS - 1}g}"


def _delta(result: Account) -> str:
    return decimal_up(result.delta, DIGITS)


def _draw(result: Account, file: Path) -> None:
    """ε against repetitions: of a single counted term, up to its count; of a sum, up to a hundred times the sum."""
    terms = result.expression.terms
    single = len(terms) == 1 and terms[0][0] > 1
    most, unit = (terms[0][0], [(1, terms[0][1])]) if single else (100, list(terms))
    counts = sorted({max(1, round(most * (i / POINTS) ** 2)) for i in range(1, POINTS + 1)})  # denser where it bends
    with working("drawing") as say:
        curves = epsilon_by_count(unit, result.delta, counts, lambda method: say(method))
    what = "answers" if single else "repetitions of the whole sum"
    pictures.save(pictures.cost_curves(str(Expression.of(unit)), what, _delta(result), curves), file)
