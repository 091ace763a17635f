#: expect leak
#: how two runs
#: truth low may not see the guess either, so the answer tells of two secrets
#: example {"pin": 1234, "guess": 1}
from lapwing import flow, match


@flow(lattice="low < mid < high", pin="high", guess="mid", result="low")
def match_unseen_guess(pin: int, guess: int) -> bool:
    """A guess that is itself hidden is no guess of the reader's."""
    return match(pin, guess)
