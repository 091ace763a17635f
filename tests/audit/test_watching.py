"""What somebody who watches an audit is told."""

import numpy as np

import lapwing

rng = np.random.default_rng()


def test_whoever_watches_may_ask_for_the_bound_so_far():
    bounds = []
    finding = lapwing.audit(
        lambda x: rng.random() < (0.9 if x else 0.1),
        True,
        False,
        epsilon=1,
        seconds=5,
        listen=lambda progress: bounds.append((progress.claim, progress.at_least())),
    )
    assert {claim for claim, _ in bounds} <= {0.0, 1.0}
    assert 1 <= bounds[-1][1] <= finding.at_least
