#: expect only by match
#: how typing
#: truth one guess at a four-digit PIN; --attack guess=0:10000 shows how slowly it is found
#: example {"pin": 1234, "guess": 1}
from lapwing import flow, match


@flow(pin="secret", guess="public", result="public")
def pin_guess(pin: int, guess: int) -> bool:
    """The PIN checker whose feasible set shrinks by one secret per guess."""
    return match(pin, guess)
