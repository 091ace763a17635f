#: expect leak
#: how two runs
#: truth an ordering halves the feasible set with every guess
#: example {"pin": 1234, "guess": 1}
from lapwing import flow


@flow(pin="secret", guess="public", result="public")
def pin_higher(pin: int, guess: int) -> bool:
    """The PIN checker that is found in 14 guesses."""
    return pin >= guess
