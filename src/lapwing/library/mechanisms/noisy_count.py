"""A noisy count: how many rows say yes."""

from lapwing import added, laplace, mechanism


@mechanism(rows=added(), claim="epsilon")
def noisy_count(rows: list[bool], epsilon: float) -> float:
    """How many rows are True, with Laplace noise. The number of rows is private, too.

    * ``rows``: private; a neighbour has one row more or fewer.
    * ``epsilon``: the price.
    """
    return sum(1 for row in rows if row) + laplace(1 / epsilon)
