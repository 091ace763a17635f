"""Names: which a column may have, and which a table may have."""

from __future__ import annotations

import re
import unicodedata

from lapwing.errors import InvalidInput

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_LONGEST = 127


def quoted(word: object) -> str:
    """A word of the policy in a message: as it is written, but on one line, and short."""
    text = repr(word) if isinstance(word, str) else f"a {type(word).__name__}"
    return text if len(text) <= 60 else text[:56] + "...'"


def is_identifier(value: object) -> bool:
    """Whether SQL takes this as a name without quotes (a reserved word aside)."""
    return isinstance(value, str) and _IDENTIFIER.fullmatch(value) is not None


def identifier(value: object, what: str) -> str:
    """A name that SQL takes unquoted."""
    if not isinstance(value, str) or not is_identifier(value):
        raise InvalidInput(
            "S110",
            f"{what} is named {quoted(value)}, which is no name here",
            "Rename it in the source with the letters a to z, digits and underscores, not beginning with a digit",
        )
    return value


def is_column_name(value: object) -> bool:
    """Whether a column can be called so: anything that can be read on one line, in one way of writing its letters."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST or not value.strip():
        return False
    return value.isprintable() and unicodedata.is_normalized("NFC", value)


def column_name(value: object, what: str) -> str:
    """The name of a column, which SQL may have to quote."""
    if not isinstance(value, str) or not is_column_name(value):
        raise InvalidInput(
            "S110",
            f"{what} is named {quoted(value)}, which is no name here",
            f"Rename it in the source with 1 to {_LONGEST} printable characters",
        )
    return value
