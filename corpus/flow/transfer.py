#: expect only by match
#: how typing
#: truth Fredrikson, lecture 18, Theorem 1: it copies the secret, by exponentially many matches
#: example {"hidden": 3, "limit": 8}
from lapwing import flow, match


@flow(hidden="secret", limit="public", result="public")
def transfer(hidden: int, limit: int) -> int:
    """Always succeeds at moving the secret to the result, if it is below the limit; counts up to it."""
    for guess in range(limit):
        if match(hidden, guess):
            return guess
    return limit
