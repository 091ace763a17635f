#: expect leak
#: how two runs
#: truth neither side is visible at bottom, although their meet is
#: example {"pin": 1234, "guess": 1}
from lapwing import flow, match


@flow(lattice="bottom < left < top, bottom < right < top", pin="left", guess="right", result="bottom")
def match_sideways(pin: int, guess: int) -> bool:
    """The meet of two labels that are not comparable is below both."""
    return match(pin, guess)
