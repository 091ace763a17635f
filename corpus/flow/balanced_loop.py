#: expect no flow
#: how self-composition
#: truth each round adds one on either branch
#: example {"hidden": 5, "n": 4}
from lapwing import flow


@flow(hidden="secret", n="public", result="public")
def balanced_loop(hidden: int, n: int) -> int:
    """That both runs have counted the same so far is what the loop keeps; from it follows the rest."""
    count = 0
    for i in range(n):
        if hidden > i:
            count += 1
        else:
            count = count + 2 - 1
    return count
