"""A few directions of which all exponents of an inequality are rational combinations.

The one idea: parts of an exponent that have one degree belong together: in e^(ε - ε·high + ε·low) it is ε·(high - low)
whose sign is known, and not those of its halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

#: A number for each product of powers.
Vector = Mapping[tuple[tuple[str, Fraction], ...], Fraction]


def spanned(vectors: Sequence[Vector]) -> tuple[list[Vector], list[list[Fraction]]]:
    """Independent parts of the vectors, and for each vector its combination of them."""
    basis: list[Vector] = []
    weights: list[list[Fraction]] = []
    for vector in vectors:
        mine = [Fraction(0)] * len(basis)
        for degree in sorted({_degree(powers) for powers in vector}):
            part = {powers: factor for powers, factor in vector.items() if _degree(powers) == degree}
            found = combination(basis, part)
            if found is None:
                basis.append(part)
                found = [Fraction(0)] * (len(basis) - 1) + [Fraction(1)]
            mine += [Fraction(0)] * (len(basis) - len(mine))
            mine = [a + b for a, b in zip(mine, found, strict=True)]
        weights.append(mine)
    return basis, [each + [Fraction(0)] * (len(basis) - len(each)) for each in weights]


def combination(basis: Sequence[Vector], vector: Vector) -> list[Fraction] | None:
    """The numbers by which the independent ``basis`` adds up to ``vector``; None if it does not."""
    rows = sorted({powers for each in (*basis, vector) for powers in each})
    table = [[each.get(row, Fraction(0)) for each in basis] + [vector.get(row, Fraction(0))] for row in rows]
    solved = 0
    for column in range(len(basis)):
        lead = next((i for i in range(solved, len(table)) if table[i][column]), None)
        if lead is None:
            return None  # not independent, which a basis is
        table[solved], table[lead] = table[lead], table[solved]
        table[solved] = [each / table[solved][column] for each in table[solved]]
        for i, row in enumerate(table):
            if i != solved and row[column]:
                table[i] = [a - row[column] * b for a, b in zip(row, table[solved], strict=True)]
        solved += 1
    if any(row[-1] for row in table[solved:]):
        return None
    return [table[i][-1] for i in range(solved)]


def _degree(powers: tuple[tuple[str, Fraction], ...]) -> Fraction:
    return sum((power for _, power in powers), Fraction(0))
