"""What the buttons of the console say: the price of an answer, with what is paid besides to hear what was cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.ledger import Remaining
from lapwing.policy.written_values import number
from lapwing.session.quoting import Quote


@dataclass(frozen=True, slots=True)
class Button:
    """An offer with its whole price; ``pay`` is the part of it that is for the answer."""

    price: Mapping[str, str]
    pay: str
    margins: Mapping[str, float | None]
    affordable: bool


def price_of_cut(given: str) -> str | None:
    """What somebody pays to hear what limits and ranges cut; None for nothing."""
    wanted = given.strip()
    if not wanted:
        return None
    if number(wanted, "the price of what was cut") <= 0:
        raise InvalidInput("S131", "the price of what was cut is not above 0", "Leave it empty, or write 0.05, say")
    return wanted


def buttons(quote: Quote | None, cut: str | None, left: Remaining) -> list[Button]:
    """The offers of a quote, each with its whole price."""
    found = []
    for each in () if quote is None else quote.offers:
        currency = "rho" if "rho" in each.price else "epsilon"
        more = Fraction(0) if cut is None else number(cut, "the price of what was cut")
        total = Fraction(each.price[currency]) + more
        enough = each.affordable and total <= (left.rho if currency == "rho" else left.epsilon)
        found.append(Button({**each.price, currency: str(total)}, each.price[currency], each.margins, enough))
    return found
