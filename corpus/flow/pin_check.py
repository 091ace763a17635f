#: expect only by match
#: how typing
#: truth three tries, each a match
#: example {"pin": 1234, "first": 1, "second": 2, "third": 1234}
from lapwing import flow, match


@flow(pin="secret", first="public", second="public", third="public", result="public")
def pin_check(pin: int, first: int, second: int, third: int) -> bool:
    """True if one of three guesses is right."""
    return match(pin, first) or match(pin, second) or match(pin, third)
