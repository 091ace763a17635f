"""Where the shipped mechanisms, and their certificates, are on disk."""

from __future__ import annotations

import functools
from pathlib import Path

from lapwing.library.certifying import Certified
from lapwing.source import load

_HERE = Path(__file__).parent
#: Every mechanism in the library, by the name of its file and its function.
NAMES = (
    "adaptive_sparse_vector",
    "between_thresholds",
    "exponential_mechanism",
    "gap_sparse_vector",
    "gaussian_sums",
    "histogram",
    "k_ary_randomized_response",
    "noisy_count",
    "noisy_max",
    "noisy_max_with_gap",
    "noisy_min",
    "noisy_sum",
    "noisy_sums",
    "numeric_sparse_vector",
    "prefix_sum",
    "private_median",
    "propose_test_release",
    "randomized_response",
    "smart_sum",
    "sparse_vector",
    "stable_histogram",
    "top_k",
    "tree_counter",
)


def source_file(name: str) -> Path:
    """Where the mechanism is written."""
    return _HERE / "mechanisms" / f"{name}.py"


def certificate_file(name: str) -> Path:
    """Where its certificate is kept."""
    return _HERE / "certificates" / f"{name}.json"


@functools.cache
def shipped(name: str) -> Certified:
    """The mechanism with its certificate, read once."""
    return Certified(load(source_file(name), name), certificate_file(name))
