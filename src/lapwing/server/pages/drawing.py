"""How a page is drawn: a template, whose values are escaped, and what every page has."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from lapwing.algebra.exact import decimal_down, decimal_up
from lapwing.library import NAMES
from lapwing.policy import Policy
from lapwing.policy.tables import end_text
from lapwing.query.spelled_names import written
from lapwing.server.accounts import Login
from lapwing.server.accounts.vault import secret
from lapwing.session import charts
from lapwing.session.advising import is_of_advice
from lapwing.session.rendering import percent, shown

_SIGNS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
_HERE = Path(__file__).resolve().parents[1]


class Fields(dict[str, str]):
    """What was sent with a form; a field that was not is empty."""

    def __missing__(self, name: str) -> str:
        return ""


def page(template: str, login: Login | None, status: int = 200, **values: Any) -> Response:  # noqa: ANN401  # the template's own
    """A page for whoever is logged in."""
    found = _templates().get_template(template)
    return HTMLResponse(found.render(login=login, new_key=_new_key, **values), status)


def rounded(number: Fraction | str, *, up: bool) -> str:
    """A number for people: as it is where that is short, else three digits; nobody pays more than is shown."""
    value = Fraction(number)
    whole = decimal_down(value)
    return whole if Fraction(whole) == value else (decimal_up if up else decimal_down)(value, 3)


def price_text(parts: Mapping[str, str]) -> str:
    """``ε 0.3, δ 1e-6``, rounded up."""
    return ", ".join(f"{_SIGNS[name]} {rounded(value, up=True)}" for name, value in parts.items())


def left_text(parts: Mapping[str, str]) -> str:
    """What is left, rounded down: ``ε 0.3, or ρ 0.01``. Whoever spends the one has less of the other."""
    found = (f"{_SIGNS[name]} {rounded(parts[name], up=False)}" for name in ("epsilon", "rho") if name in parts)
    return ", or ".join(found)


def charged_text(prices: str) -> str:
    """The price of an entry of the ledger: added up in each currency, as ``epsilon 3/10 + epsilon 1/10`` is paid."""
    total: dict[str, Fraction] = {}
    for pair in prices.replace(" + ", ", ").split(", "):
        name, amount = pair.split(" ")
        total[name] = total.get(name, Fraction(0)) + Fraction(amount)
    return price_text({name: str(amount) for name, amount in total.items()})


def is_drawn(text: str) -> bool:
    """Whether a charge was for a mechanism: asked again it draws again, and costs again."""
    return text.partition("(")[0] in NAMES


def asked_text(text: str, policy: Policy, most: int) -> Markup:
    """A question of the ledger, for people to tell it from others."""
    if is_of_advice(policy, text.split(";\n")):
        return Markup("Advice on ranges and limits")
    return Markup("<code>{}</code>").format(text if len(text) <= most else f"{text[: most - 1]}…")


def _new_key() -> str:
    """A key for a form that pays: sent twice, it is charged once."""
    return secret(128)


@functools.cache
def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "price": price_text,
        "left": left_text,
        "up": lambda number: rounded(number, up=True),
        "down": lambda number: rounded(number, up=False),
        "charged": charged_text,
        "asked": asked_text,
        "is_drawn": is_drawn,
        "written": written,
        "end": end_text,
        "shown": shown,
        "margin": lambda margin: shown(margin, margin),
        "percent": percent,
        "when": lambda moment: moment[:16].replace("T", " "),
        "room": lambda left, whole: Markup(charts.gauge(left, whole)),  # noqa: S704  # numbers, drawn by us
    }
    return found
