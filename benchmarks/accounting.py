"""The accountant beside dp-accounting: ε at δ, seconds, and their ratios, in one run.

Ours are upper bounds; dp-accounting's PLD is an estimate, and where it falls below a bound that is known to be
exact its row says so.
"""

from __future__ import annotations

import time
from importlib.util import find_spec

from lapwing.algebra.accounting import METHODS, Row, account

CASES = [
    ("1000 * pure(0.1)", "1e-5"),
    ("10000 * pure(0.01)", "1e-5"),
    ("1000 * pure(0.01)", "1e-14"),
    ("1000 * gaussian(10)", "1e-5"),
    ("100 * laplace(10)", "1e-5"),
    ("100 * laplace(10, steps=1)", "1e-5"),
    ("100 * laplace(10) + 5 * gaussian(20)", "1e-5"),
    ("10000 * poisson(0.01, gaussian(1))", "1e-5"),
    ("1000 * poisson(0.001, gaussian(0.5))", "1e-9"),
]


def main() -> None:
    """Print one block per case."""
    if find_spec("dp_accounting") is None:
        print("dp-accounting is not installed: only our own figures (pip install 'lapwing[bench]')")
    print(f"{'case':<48}{'method':<22}{'ε':>14}{'seconds':>10}{'ε / peer':>12}{'time / peer':>13}")
    started = time.perf_counter()
    for expression, delta in CASES:
        rows = account(expression, delta, methods=METHODS).rows
        peer = next((row for row in rows if not row.rigorous), None)
        title = f"{expression}  δ={delta}"
        for row in rows:
            print(f"{title:<48}{row.method:<22}{float(row.epsilon):>14.8f}{row.seconds:>10.3f}{_ratios(row, peer)}")
            title = ""
        if peer is not None and rows[0].note.startswith("exact") and rows[0].epsilon > peer.epsilon:
            shortfall = float(rows[0].epsilon - peer.epsilon)
            print(f"{'':<48}the peer's estimate is {shortfall:.2g} below the exact value")
    print(f"all in {time.perf_counter() - started:.1f} s")


def _ratios(row: Row, peer: Row | None) -> str:
    if peer is None or row is peer:
        return ""
    return f"{float(row.epsilon / peer.epsilon):>12.7f}{row.seconds / peer.seconds:>13.2f}"


if __name__ == "__main__":
    main()
