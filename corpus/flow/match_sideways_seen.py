#: expect only by match
#: how typing
#: truth whoever sees the result sees the guess, and learns whether it is right
#: example {"pin": 1234, "guess": 1}
from lapwing import flow, match


@flow(lattice="bottom < left < top, bottom < right < top", pin="left", guess="right", result="right")
def match_sideways_seen(pin: int, guess: int) -> bool:
    """The guess is visible at right, where the answer goes."""
    return match(pin, guess)
