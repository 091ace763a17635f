#: expect leak
#: how two runs
#: truth continue hides one round, and which one is the secret
#: example {"hidden": 5, "limit": 9}
from lapwing import flow


@flow(hidden="secret", limit="public", result="public")
def skipped_round(hidden: int, limit: int) -> int:
    """What follows a continue runs in all rounds but one."""
    total = 0
    for i in range(limit):
        if i == hidden:
            continue
        total += i
    return total
