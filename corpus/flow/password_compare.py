#: expect leak
#: how two runs
#: truth an ordinary comparison is a flow like any other
#: example {"passcode": 1234, "guess": 1}
from lapwing import flow


@flow(passcode="secret", guess="public", result="public")
def password_compare(passcode: int, guess: int) -> bool:
    """The same question, asked without saying that it is an authorisation check."""
    return passcode == guess
