"""What comes in: bodies of bounded size, JSON whose numbers stay exact, forms without files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from starlette.requests import Request

from lapwing.server.statuses import Refusal, malformed

#: Bytes of a body, seconds that it may take to come, and letters of a question.
LARGEST_BODY = 64 * 1024
SLOWEST_BODY = 30.0
LONGEST_SQL = 100_000
#: Lists and objects within one another in a body.
DEEPEST = 16
#: A form with more fields than this was not made by a page of ours.
MOST_FIELDS = 2000
LONGEST_KEY = 200


def too_large() -> Refusal:
    """A body that is not read to its end."""
    return malformed(f"the body is larger than {LARGEST_BODY // 1024} kB", "Send less: a question, its price, no more")


def too_slow() -> Refusal:
    """A body that does not come."""
    return malformed(f"the body did not come within {SLOWEST_BODY:g} seconds", "Send it at once")


async def read_json(request: Request, known: set[str]) -> dict[str, Any]:
    """The JSON object in a body; refuses what is none, and fields that mean nothing here."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise malformed("the body is not declared to be JSON", "Send Content-Type: application/json")
    try:
        found = parsed((await request.body()).decode())
    except (ValueError, RecursionError):
        raise malformed("the body is not JSON, or not in UTF-8", 'Send an object, such as {"sql": "..."}') from None
    if not isinstance(found, dict):
        raise malformed("the body is no JSON object", 'Send an object, such as {"sql": "..."}')
    for name in found:
        if name not in known:
            raise malformed(
                f"the field {ascii(name)[:60]} means nothing here", f"Send some of {', '.join(sorted(known))}"
            )
    return {name: value for name, value in found.items() if value is not None}


def parsed(words: str) -> object:
    """What JSON says, its numbers exact; refuses what nests deep, and names that come twice."""
    found: object = json.loads(words, parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_told_once)
    if _nests(found):
        raise malformed(f"the body nests more than {DEEPEST} levels deep", "Send a question, its price, no more")
    return found


def key_of(given: str | None) -> str:
    """The key that a question comes with; refuses what is none."""
    if given is None or not (0 < len(given) <= LONGEST_KEY and given.isascii() and given.isprintable()):
        raise malformed("the question has no key, or one that is none", f"Send up to {LONGEST_KEY} ASCII letters")
    return given


def text(fields: Mapping[str, Any], name: str) -> str:
    """A field that is text."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise malformed(f"the field {name!r} is missing, or no text", f'Send "{name}" as a string')
    if len(value) > LONGEST_SQL:
        raise malformed(f"the field {name!r} is longer than {LONGEST_SQL:,} letters", "Write it shorter")
    if any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in value):
        raise malformed(f"the field {name!r} holds half a character, or a NUL", "Send ordinary text")
    return value


def numbers(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Fields that are numbers, or texts of numbers, by name; those that are missing are left out."""
    found = {name: fields[name] for name in names if name in fields}
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise malformed(f"the field {name!r} is no number", f'Send "{name}": 0.1, say, or "1/10"')
        if isinstance(value, int) and abs(value) > 10**300:
            raise malformed(f"the field {name!r} is too large a number", "Send a number of ordinary size")
    return found


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; of a field that comes twice the last."""
    return dict(await read_fields(request))


async def read_fields(request: Request) -> list[tuple[str, str]]:
    """The fields of a form in their order; boxes of one name come several times."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise malformed("the body is no form", "Use the page's own form")
    try:
        raw = (await request.body()).decode()
        return parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise malformed("the form cannot be read", "Use the page's own form") from None


def _nests(found: object) -> bool:
    """Whether lists and objects lie too deep within one another for what reads them by going into each."""
    level = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return any(isinstance(each, dict | list) for each in level)


def _told_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; with two prices of one name, whoever wrote the other one would be charged what they did not see."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise malformed("the body says one field twice", "Send each field once")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
