"""Our own arithmetic on other people's answers, which may be huge, infinite or no numbers at all, without complaints.

The one idea: a test suite that turns warnings into errors must not fail because of a sum that we computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def quietly() -> Iterator[None]:
    """Neither warnings nor errors about numbers that are too large, or none, inside."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
