#: expect no flow
#: how typing
#: truth what is appended to one list is not in the other
#: example {"hidden": 5, "n": 3}
from lapwing import flow


@flow(hidden="secret", n="public", result="public")
def separate_lists(hidden: int, n: int) -> list[int]:
    """Two lists that were equal when they were made, and grow apart."""
    shown = []
    kept = []
    for i in range(n):
        shown.append(i)
        kept.append(hidden + i)
    return shown
