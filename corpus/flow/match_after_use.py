#: expect only by match
#: how self-composition
#: truth typing stumbles over a variable that held the passcode once
#: example {"passcode": 1234, "guess": 1}
from lapwing import flow, match


@flow(passcode="secret", guess="public", result="public")
def match_after_use(passcode: int, guess: int) -> int:
    """Two runs that give the check the same answer return the same."""
    out = passcode
    out = 0
    if match(passcode, guess):
        out = 1
    return out
