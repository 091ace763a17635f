#: expect leak
#: how two runs
#: truth a copy of a list holds what the list holds
#: example {"hidden": [1, 2], "n": 1}
from lapwing import flow


@flow(hidden="secret", n="public", result="public")
def copied_list(hidden: list[int], n: int) -> list[int]:
    """Two names, one content: lists are values, so a second name is a copy of the secret."""
    kept = hidden[:]
    shown = kept[0:n]
    return shown
