"""Names of accounts: no two that people who read the record could take for one another, or for a note of the record."""

from __future__ import annotations

import unicodedata

from lapwing.errors import InvalidInput
from lapwing.policy.identifiers import quoted
from lapwing.policy.written_values import plain_text
from lapwing.session.protecting import ANYBODY

_LONGEST = 60
#: Scripts that are written together; all others stand alone in a name, since their letters look like one another's.
_TOGETHER = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}


def check_name(name: str) -> None:
    """Refuses what is no name of an account."""
    plain_text(name, "the name of an account", _LONGEST)
    if name != name.strip():
        raise _no_name(name, "begins or ends with a space", "Leave the space out")
    if not name[0].isalnum():  # as "(command line)" does, which is nobody's name
        raise _no_name(name, "begins with a sign", "Begin with a letter or a digit")
    if alike(name) == ANYBODY:
        raise _no_name(
            name,
            "is the one that tables protected without an analyst are open to, whole",
            "Choose another name, and give it a share",
        )
    if unicodedata.normalize("NFKC", name) != name:
        raise _no_name(name, "is written in letters that look like others", "Write it in ordinary letters")
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()}
    if len(scripts - _TOGETHER) + bool(scripts & _TOGETHER) > 1:
        raise _no_name(name, "mixes letters of several alphabets", "Write it in the letters of one")


def alike(name: str) -> str:
    """What is the same for two names that are told apart by large and small letters alone."""
    return unicodedata.normalize("NFKC", name.casefold())


def _no_name(name: str, problem: str, remedy: str) -> InvalidInput:
    return InvalidInput("D112", f"the name of an account, {quoted(name)}, {problem}", remedy)
