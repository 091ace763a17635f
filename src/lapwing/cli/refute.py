"""``lapwing refute``: search for a violation of a privacy claim, and say so only when ``check`` agrees."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from lapwing.algebra.exact import decimal_down
from lapwing.check import Accepted, Rejected, check_witness
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import Target, choose_lattice, lattice_option, read_settings, read_target, set_option
from lapwing.evidence.witness import LogRatio, Witness
from lapwing.program.printer import show
from lapwing.program import ir
from lapwing.refute.distribution import Subject
from lapwing.refute.findings import Finding, to_witness
from lapwing.refute.loss import log_ratio
from lapwing.refute.search import Outcome
from lapwing.refute.search import refute as search

REFUTED = 1


@click.command()
@click.argument("target", metavar="PATH::NAME")
@click.option("--max-n", type=click.IntRange(1, 12), default=6, show_default=True, help="Longest lists to try.")
@click.option("--growth", is_flag=True, help="Show the worst loss against the size of the inputs, and the law it follows.")
@set_option
@lattice_option
@click.option("--witness", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the witness to FILE.")
@json_option
@click.pass_context
def refute(
    context: click.Context,
    target: str,
    max_n: int,
    growth: bool,
    settings: tuple[str, ...],
    lattice: str | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Search small neighbouring inputs for a privacy loss above the claim.

    \b
      lapwing refute sparse.py::sparse_vector
      lapwing refute sparse.py::sparse_vector --set limit=2 --max-n 8 --growth
      lapwing refute sparse.py::sparse_vector --witness witness.json && lapwing check witness.json

    Public parameters get ordinary values unless --set says otherwise. A violation is only reported when the checker,
    which shares nothing with this search, has recomputed it. Finding none proves nothing.

    Exit codes: 0 nothing found, 1 refuted, 2 bad input, 130 interrupted.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
