r"""Regular expressions that mean the same on every engine: a small language, in which nothing is left to guess.

Understood are letters, ``.``, ``[a-z]`` and ``[^a-z]``, ``* + ?`` and ``{2,5}`` once after each, ``|``, parentheses,
``^`` at the start of the text and ``$`` at its end, ``\d \w \s`` (of ASCII), and a backslash before any sign. All else
(back references, lazy repeats, options, named classes) is refused.
"""

from __future__ import annotations

import math
import re

from lapwing.query.refusals import Refuses

LONGEST = 200
#: Repeats, and repeats of repeats: engines write them out.
_MOST_TIMES, _MOST_ALTOGETHER = 50, 500
_CLASSES = {"d": "[0-9]", "w": "[A-Za-z0-9_]", "s": "[ \t\n\r\f\v]"}
_CLASS = re.compile(r"\[\^?(?:[^\[\]\\^]|(?<=[^\[^])\^)+\]")
_TIMES = re.compile(r"\{(\d{1,2})(,(\d{1,2})?)?\}")
_SIGNS = set("!\"#%&',/:;<=>@_`~- \t")


def pattern(written: str, place: Refuses, *, whole: bool) -> str:
    """The pattern in signs that every engine reads alike; with ``whole`` it must match all of a text."""
    if len(written) > LONGEST or "\0" in written:
        raise _refused(place)
    found, at, depth, repeatable = [], 0, 0, False
    while at < len(written):
        sign = written[at]
        taken, after = sign, True
        if sign == "\\" and at + 1 < len(written):
            taken, at = _escaped(written[at + 1], place), at + 1
        elif sign == "[":
            match = _CLASS.match(written, at)
            if match is None:
                raise _refused(place)
            taken, at = match[0], match.end() - 1
        elif sign in "*+?{":
            taken, at = _times(written, at, place)
            if not repeatable:
                raise _refused(place)
            after = False
        elif sign in "|^$":
            after = False
        elif sign == "(":
            if written.startswith("(?", at):
                if not written.startswith("(?:", at):
                    raise _refused(place)
                at += 2
            taken, depth, after = "(?:", depth + 1, False
        elif sign == ")":
            depth -= 1
        elif not (sign.isalnum() or sign == "." or sign in _SIGNS or sign > "\x7f"):
            raise _refused(place)
        if depth < 0:
            raise _refused(place)
        repeatable = after
        found.append(taken)
        at += 1
    altogether = math.prod(int(each[3] or each[1]) or 1 for each in map(_TIMES.fullmatch, found) if each is not None)
    if depth or not found or altogether > _MOST_ALTOGETHER:
        raise _refused(place)
    made = "".join(found)
    return f"^(?:{made})$" if whole else f"(?:{made})"


def _escaped(sign: str, place: Refuses) -> str:
    if sign in _CLASSES:
        return _CLASSES[sign]
    if sign.isalnum() or sign > "\x7f":
        raise _refused(place)
    return f"[{sign}]" if sign not in "^\\[]" else f"\\{sign}"


def _times(written: str, at: int, place: Refuses) -> tuple[str, int]:
    """How often what stands before is repeated, and where that ends."""
    if written[at] != "{":
        return written[at], at
    match = _TIMES.match(written, at)
    if match is None or int(match[1]) > _MOST_TIMES or int(match[3] or 0) > _MOST_TIMES:
        raise _refused(place)
    if match[3] and int(match[3]) < int(match[1]):
        raise _refused(place)
    return match[0], match.end() - 1


def _refused(place: Refuses) -> Exception:
    return place.invalid(
        "Q122",
        "this regular expression does not mean the same on every engine",
        "Use letters, . [a-z] * + ? {2,5} | ( ) ^ $ and \\d \\w \\s, or LIKE",
    )
