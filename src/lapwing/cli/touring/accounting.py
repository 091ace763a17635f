"""Stop: what a hundred answers cost together, by every method that is known."""

from __future__ import annotations

from lapwing.algebra.accounting.account import account
from lapwing.algebra.exact import decimal_up
from lapwing.cli.touring.clinic import Clinic
from lapwing.cli.touring.stop import Seen, Stop, grid, words


def visit(_: Clinic) -> Seen:
    """One expression, one row per method."""
    result = account("100 * laplace(10)", "1e-5")
    rows = [(row.method, decimal_up(row.epsilon)) for row in result.rows if row.rigorous]
    note = 'Each bound is proved, none is below the truth. Try: lapwing compose "100 * laplace(10)" --delta 1e-5'
    body = (grid([("method", "left"), ("ε at δ = 1e-5", "right")], rows), words(note))
    return Seen(body, {"epsilon": float(result.best.epsilon), "method": result.best.method})


STOP = Stop("What do 100 answers of ε = 0.1 cost together?", "composing", visit)
