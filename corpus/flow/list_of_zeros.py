#: expect no flow
#: how self-composition
#: truth every element is the secret times zero
#: example {"hidden": 5, "n": 3}
from lapwing import flow


@flow(hidden="secret", n="public", result="public")
def list_of_zeros(hidden: int, n: int) -> list[int]:
    """Both runs build the same list, element by element."""
    out = []
    for i in range(n):
        element = i + hidden * 0
        out.append(element)
    return out
