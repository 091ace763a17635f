"""Array types that do their own arithmetic get no exact values past the noise."""

import numpy as np
import pytest

from lapwing import CoinResponse, Exponential, Gaussian, Laplace, Lattice, PermuteAndFlip, RandomizedResponse
from lapwing.errors import InvalidInput

MASKED = np.ma.array([1000, 2000, 3000], mask=[0, 1, 0])
TAKERS = {
    "laplace": Laplace(10).release,
    "gaussian": Gaussian(10).release,
    "exponential": Exponential(10).choose,
    "permute and flip": PermuteAndFlip(10).choose,
    "randomized response": RandomizedResponse("3/4", 4).release,
    "coin": CoinResponse("1/2").release,
    "lattice": lambda values: Lattice(1).to_steps(values, 0, 5000),
}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
@pytest.mark.parametrize(
    "kind", [MASKED, np.array([1, 2, 3]).view(np.recarray), MASKED.astype(float)], ids=["masked", "records", "float"]
)
def test_subclasses_of_arrays_are_refused_by_type(take, kind):
    with pytest.raises(InvalidInput) as refusal:
        take(kind)
    assert "2000" not in str(refusal.value)
    assert type(kind).__name__ in str(refusal.value)
