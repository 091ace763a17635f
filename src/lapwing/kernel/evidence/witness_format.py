"""Which witnesses are read: those about real noise, in the format that is written today."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.errors import InvalidInput

#: What is written today; files of format 1 spoke of noise on a lattice.
FORMAT = 2


def check_format(data: Mapping[object, object], what: str, command: str) -> None:
    """Refuse what was written for noise on a lattice, which no run has any more."""
    if "lattice" in data:
        problem = f"the {what} is of an older format, for noise on a lattice, and programs have real noise now"
        raise InvalidInput("C105", problem, f"Search again with {command}")
    if "format" in data and data["format"] != FORMAT:
        raise InvalidInput("C105", f"the {what} is not of format {FORMAT}", f"Search again with {command}")
