#: expect leak
#: how two runs
#: truth match of something computed from the secret asks for one bit: k of them would find it
#: example {"passcode": 1234, "guess": 1}
from lapwing import flow, match


@flow(passcode="secret", guess="public", result="public")
def match_of_a_bit(passcode: int, guess: int) -> bool:
    """Not an authorisation check, whatever it is called: binary search needs k of these, not 2^k."""
    return match(passcode >= guess, True)
