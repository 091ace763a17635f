"""Propose, test, release: a value with little noise, if the data are far from any where it could jump."""

from lapwing import laplace, mechanism, within


@mechanism(
    distance=within(1),
    value=within("bound", given="distance > 0"),
    claim=("2 * epsilon", "exp(-epsilon * threshold) / 2"),
)
def propose_test_release(
    distance: float, value: float, bound: float, threshold: float, epsilon: float
) -> tuple[bool, float]:
    """Give (True, the value, about), or (False, 0) if the data may be too close to some where it is much different.

    You propose that nobody moves the value by more than ``bound``, which need be true only of data like these.

    * ``distance``: private; how many people would have to change before the proposal fails, 0 if it fails now.
    * ``value``: private; wherever ``distance`` is above 0, neighbours' values are within ``bound``.
    * ``threshold``: public; the distance to be reached, about. The δ of the price is e^(-epsilon · threshold) / 2.
    * ``epsilon``: half of the price: one for the test, one for the value [Dwork & Lei 2009].
    """
    assert epsilon > 0
    assert bound > 0
    if distance + laplace(1 / epsilon) > threshold:
        return (True, value + laplace(bound / epsilon))
    return (False, 0.0)
