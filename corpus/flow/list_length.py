#: expect leak
#: how two runs
#: truth a secret list has a secret length
#: example {"visits": [1, 2]}
from lapwing import flow


@flow(visits="secret", result="public")
def list_length(visits: list[int]) -> int:
    """No element is looked at."""
    return len(visits)
