#: expect leak
#: how two runs
#: truth the secret decides how often the loop goes round
#: example {"hidden": 5}
from lapwing import flow


@flow(hidden="secret", result="public")
def loop_count(hidden: int) -> int:
    """Counting the rounds of a loop copies the number of rounds."""
    rounds = 0
    for _ in range(hidden):
        rounds += 1
    return rounds
