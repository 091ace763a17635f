"""Which groups may be shown at all: a threshold that a group of one unit almost never reaches.

The one idea: a group that exists only because of one unit must stay hidden except with probability δ. Noise on a
lattice has mass *on* the threshold, so whether "reaching" means >= or > changes δ by a whole mass point; here a
group is shown when noisy count >= threshold, and the bound is about exactly that event [KKMN09, DVG20].
"""

from __future__ import annotations

from typing import SupportsIndex

from lapwing.algebra import parameters
from lapwing.algebra.accounting.smallest_passing import smallest_whole
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.noise.mechanism import Noise


def chance_of_reaching(noise: Noise, threshold: int, count: int) -> Interval:
    """P(count + noise >= threshold)."""
    return noise.upper_tail(threshold - count)


def group_threshold(noise: Noise, delta: Number, *, contribution: SupportsIndex = 1, groups: SupportsIndex = 1) -> int:
    """The smallest threshold above ``contribution`` that hides a unit's own groups, except with probability ``delta``.

    A unit adds at most ``contribution`` to the count of each of at most ``groups`` groups. Each group that has no other
    unit is shown with probability <= delta/groups, certified, so by the union bound any is with probability <= delta.
    """
    most = parameters.whole(contribution, "contribution")
    share = parameters.positive_delta(delta) / parameters.whole(groups, "groups")
    return most + smallest_whole(lambda above: chance_of_reaching(noise, above, 0).upper <= share, 1, "threshold")
