"""Rows of answers in an order: by several columns, each up or down, NULLs at either end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.query.answers.cells import Cells
from lapwing.query.sheets import Order


def ordered(sorted_by: Sequence[tuple[Cells, Order]], rows: int) -> NDArray[np.intp]:
    """Row numbers in the order asked for; ties keep the order of the groups."""
    layers: list[NDArray[Any]] = [np.arange(rows)]
    for cells, order in reversed(sorted_by):
        layers.append(ranks(cells) * (-1 if order.descending else 1))
        layers.append(cells.missing != order.nulls_first)
    return np.lexsort(layers)


def ranks(cells: Cells) -> NDArray[np.intp]:
    """Whole numbers in the order of the values; 0 where there is none."""
    found = np.zeros(len(cells.values), np.intp)
    present = cells.values[~cells.missing]
    if present.dtype == object:
        present = present.astype(str)
    found[~cells.missing] = np.unique(present, return_inverse=True)[1]
    return found
