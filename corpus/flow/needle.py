#: expect leak
#: how two runs
#: truth one secret in very many is told from the rest: 987654321
#: example {"hidden": 5}
from lapwing import flow


@flow(hidden="secret", result="public")
def needle(hidden: int) -> bool:
    """Trying small secrets finds nothing; the solver finds the two factors."""
    return hidden * hidden == 975461057789971041
