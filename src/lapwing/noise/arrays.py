"""Which arrays a mechanism takes: NumPy's own, and no subclass."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray


def is_array(values: object) -> TypeGuard[NDArray[Any]]:
    """Whether ``values`` is exactly a NumPy array.

    A subclass may do other arithmetic: a masked array leaves what is masked as it is, without noise.
    """
    return type(values) is np.ndarray


def kind_of(values: object) -> str:
    """The type of private values for a message, and nothing else about them."""
    return f"an array of {values.dtype}" if is_array(values) else f"a {type(values).__name__}"
