"""``lapwing compose``: what a set of mechanisms costs together."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from lapwing.algebra.accounting.account import Account, account
from lapwing.algebra.exact import decimal_up
from lapwing.cli.console import emit, json_option, people, working

#: Digits shown to people; the JSON carries more.
DIGITS, JSON_DIGITS = 7, 15


@click.command(epilog="Exit codes: 0 done, 2 bad input or a usage error, 130 interrupted.")
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
      lapwing compose "1000 * poisson(0.01, gaussian(1))" --delta 1e-6 --plot cost.png

    \b
    Terms:
      laplace(scale)       noise of that scale; sensitivity=1, steps=1024 lattice steps per unit
                           (write steps=1 for integer noise on a count)
      gaussian(sigma)      noise of that standard deviation; sensitivity=1
      pure(epsilon)        any ε-differentially private mechanism
      approx(epsilon, delta), zcdp(rho), randomized_response(p)
      poisson(q, term)     the term on a sample that takes each person with probability q

    Every ε is rounded up. "Rigorous" means: proved not to be below the truth. Exit codes: 0 done, 2 bad input.
    """
    with working("composing", to_stderr=True) as say:
        result = account(expression, delta, progress=say)
    if as_json:
        emit(as_json_object(result))
    people(to_stderr=as_json).print(as_table(result))
    if plot is not None:
        from lapwing.cli.pictures import plot_cost  # here, so that only --plot needs the extra

        with working("drawing", to_stderr=True) as say:
            plot_cost(expression, delta, plot, progress=say)
        people(to_stderr=True).print(f"picture written to {plot}")
