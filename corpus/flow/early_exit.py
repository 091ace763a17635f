#: expect leak
#: how two runs
#: truth the round in which the loop is left tells the secret
#: example {"hidden": 5, "limit": 9}
from lapwing import flow


@flow(hidden="secret", limit="public", result="public")
def early_exit(hidden: int, limit: int) -> int:
    """A break under a secret test makes everything in the loop secret, also before the break."""
    rounds = 0
    for i in range(limit):
        if i >= hidden:
            break
        rounds += 1
    return rounds
