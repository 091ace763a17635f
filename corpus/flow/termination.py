#: expect leak
#: how two runs
#: truth a positive secret never gets an answer: the state at the loop repeats
#: example {"hidden": 0}
from lapwing import flow


@flow(hidden="secret", result="public")
def termination(hidden: int) -> int:
    """The answer is always 0, when there is one."""
    waiting = 0
    while hidden > 0:
        waiting = 1
    return waiting * 0
