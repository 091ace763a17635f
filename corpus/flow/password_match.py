#: expect only by match
#: how typing
#: truth one guess per run, and match says so (Fredrikson, lecture 18: rule Match)
#: example {"passcode": 1234, "guess": 1}
from lapwing import flow, match


@flow(passcode="secret", guess="public", result="public")
def password_match(passcode: int, guess: int) -> bool:
    """The authorisation check: label secret ⊓ public = public."""
    return match(passcode, guess)
