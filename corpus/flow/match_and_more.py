#: expect leak
#: how two runs
#: truth passwords that give the check the same answer are told apart by their sign
#: example {"passcode": 1234, "guess": 1}
from lapwing import flow, match


@flow(passcode="secret", guess="public", result="public")
def match_and_more(passcode: int, guess: int) -> int:
    """What match may tell is told, and more."""
    if match(passcode, guess):
        return 2
    if passcode < 0:
        return 1
    return 0
