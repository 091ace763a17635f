"""How a page is drawn: a template, whose values are escaped, and what every page has."""

from __future__ import annotations

import functools
from fractions import Fraction
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from lapwing.algebra.exact import decimal_down, decimal_up
from lapwing.policy.tables import end_text
from lapwing.server.accounts import Login
from lapwing.server.accounts.vault import secret
from lapwing.session import charts
from lapwing.session.rendering import amounts, percent, shown

_HERE = Path(__file__).resolve().parents[1]


class Fields(dict[str, str]):
    """What was sent with a form; a field that was not is empty."""

    def __missing__(self, name: str) -> str:
        return ""


def page(template: str, login: Login | None, status: int = 200, **values: Any) -> Response:  # noqa: ANN401  # the template's own
    """A page for whoever is logged in."""
    found = _templates().get_template(template)
    return HTMLResponse(found.render(login=login, new_key=_new_key, **values), status)


def _charged(prices: str) -> str:
    """The price of an entry of the ledger, rounded up, as everywhere else: ``ε 0.3``."""
    return " + ".join(amounts(_numbers(each), up=True) for each in prices.split(" + "))


def _numbers(price: str) -> dict[str, str]:
    """``epsilon 3/10, delta 1/1000`` by name."""
    return dict(pair.split(" ", 1) for pair in price.split(", "))


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
        "price": lambda parts: amounts(parts, up=True),
        "left": lambda parts: amounts(parts, up=False),
        "up": lambda number: decimal_up(Fraction(number)),
        "down": lambda number: decimal_down(Fraction(number)),
        "about": lambda number: decimal_down(Fraction(number), 4),
        "charged": _charged,
        "end": end_text,
        "shown": shown,
        "margin": lambda margin: shown(margin, margin),
        "percent": percent,
        "when": lambda moment: moment[:16].replace("T", " "),
        "bar": lambda spent, whole: Markup(charts.gauge(spent, whole)),  # noqa: S704  # numbers, drawn by us
    }
    return found
