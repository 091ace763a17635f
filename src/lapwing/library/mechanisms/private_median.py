"""The median: one of some public points, the likelier the better it halves the rows."""

from lapwing import added, choose, mechanism


@mechanism(rows=added(), claim="epsilon")
def private_median(rows: list[float], points: list[float], epsilon: float) -> int:
    """The place of a point such that about as many rows are below it as not, by the exponential mechanism.

    * ``rows``: private; a neighbour has one row more or fewer.
    * ``points``: public, at least one: where the median may be.
    * ``epsilon``: the price, whatever the number of points.
    """
    assert len(points) >= 1
    return choose([-abs(sum(1 if row < point else -1 for row in rows)) for point in points], 2 / epsilon)
