"""The doors of a policy's words and numbers: texts of one line, numbers that can be written back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from lapwing.algebra.exact import Number, exact, shown
from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy.identifiers import quoted

_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,127}")
#: A number longer than this could not be read back: numerals of a parameter end at 2,000 digits.
_LONGEST_BITS = 4096


def file_name(value: object, what: str) -> str:
    """A name that can begin the name of a file."""
    if not isinstance(value, str) or not _FILE_NAME.fullmatch(value):
        raise InvalidInput(
            "S110",
            f"{what} is named {quoted(value)}, which cannot begin a file's name",
            "Use the letters a to z, digits, underscores, dots and dashes",
        )
    return value


def plain_text(value: object, what: str, longest: int = 200) -> str:
    """Some text a person can read on one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > longest:
        raise InvalidInput(
            "S110", f"{what} is {quoted(value)}, not a line of text", f"Give 1 to {longest} printable characters"
        )
    return value


def number(value: Number, what: str) -> Fraction:
    """An exact number that survives being written to the policy file and read again."""
    try:
        found = exact(value, what)
    except LapwingError as refused:
        raise InvalidInput("S105", refused.problem, refused.remedy) from None
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _LONGEST_BITS:
        raise InvalidInput("S105", f"{what} is {shown(found)}, too long a number", "Give a number of ordinary length")
    return found


def one_of(value: object, choices: Sequence[str], what: str) -> str:
    """One of the words that mean something here."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(choices[:-1]) + " or " + choices[-1]
        raise InvalidInput("S118", f"{what} is {quoted(value)}", f"Write {listed}")
    return value


def all_different(names: Iterable[str], what: str) -> None:
    """Refuses two names that SQL takes for one: it does not see the difference between capitals and others."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise InvalidInput("S111", f"two {what} are named {quoted(name)}", "Give each its own name")
        seen.add(name.lower())
