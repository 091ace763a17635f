"""Reading a policy file: every mistake in it is one error that names the key and says what to write instead."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.policy.document import Analyst, Budget, Policy
from lapwing.policy.identifiers import quoted
from lapwing.policy.tables import Column, Table
from lapwing.policy.written_values import one_of

SUFFIX = ".lapwing.toml"
_LARGEST_FILE = 16_000_000

Words = dict[str, Any]


def read_policy(path: str | Path) -> Policy:
    """The policy in this file; InvalidInput, with the key that is wrong, for anything else."""
    return parse_policy(_text(Path(path)))


def parse_policy(text: str) -> Policy:
    """The policy that this TOML text means."""
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as mistake:
        raise InvalidInput("S102", f"the policy is not TOML: {_one_line(mistake)}", "Correct that place") from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; brackets nested thousands deep
        raise InvalidInput(
            "S102", "the policy holds a number or a nesting beyond all measure", "Write ordinary values"
        ) from None
    _only(document, "", {"name", "neighbours", "data", "timeout", "ledger", "budget", "analysts", "tables"})
    words = _table(document, "budget", "")
    _only(words, "budget", {"epsilon", "delta"})
    budget = _at("budget", Budget, _value(words, "epsilon", "budget"), words.get("delta", 0))
    notion = _value(document, "neighbours", "") if "neighbours" in document else "added"
    neighbours = _at("neighbours", one_of, notion, ("added", "replaced"), "neighbours")
    analysts = _table(document, "analysts", "") if "analysts" in document else {}
    tables = _table(document, "tables", "")
    return _at(  # type: ignore[no-any-return]  # _at hands on whatever it builds
        "",
        Policy,
        _value(document, "name", ""),
        tuple(_read_table(name, _table(tables, name, "tables")) for name in tables),
        budget,
        Neighbours(neighbours),
        tuple(_read_analyst(name, _table(analysts, name, "analysts")) for name in analysts),
        document.get("data", "fixed"),
        document.get("timeout", 3600),
        document.get("ledger"),
    )


def _read_analyst(name: str, words: Words) -> Analyst:
    place = f"analysts.{_short(name)}"
    _only(words, place, {"epsilon", "delta"})
    found: Analyst = _at(place, Analyst, name, _value(words, "epsilon", place), words.get("delta", 0))
    return found


def _read_table(name: str, words: Words) -> Table:
    place = f"tables.{_short(name)}"
    _only(words, place, {"path", "relation", "role", "unit", "rows_per_unit", "groups_per_unit", "trusted", "columns"})
    columns = _table(words, "columns", place) if "columns" in words else {}
    found: Table = _at(
        place,
        Table,
        name,
        _value(words, "path", place),
        words.get("role", "private"),  # private by default: a table is public only when somebody says so
        words.get("unit"),
        words.get("rows_per_unit"),
        tuple(_read_column(column, _table(columns, column, f"{place}.columns"), place) for column in columns),
        words.get("relation"),
        words.get("groups_per_unit"),
        words.get("trusted", False),
    )
    return found


def _read_column(name: str, words: Words, table: str) -> Column:
    place = f"{table}.columns.{_short(name)}"
    _only(words, place, {"kind", "low", "high", "keys"})
    keys = words.get("keys")
    if keys is not None and not isinstance(keys, list):
        raise InvalidInput("S105", f"{place}.keys is not a list", 'Write a list, such as ["a", "b"]')
    found: Column = _at(
        place,
        Column,
        name,
        _value(words, "kind", place),
        words.get("low"),
        words.get("high"),
        None if keys is None else tuple(keys),
    )
    return found


def _at(place: str, build: Any, *arguments: Any) -> Any:  # noqa: ANN401  # the arguments are whatever the file says
    """What ``build`` makes of the arguments; its refusal names the place in the file."""
    try:
        return build(*arguments)
    except InvalidInput as refused:
        problem = f"{place}: {refused.problem}" if place else refused.problem
        raise InvalidInput(refused.code, problem, refused.remedy) from None


def _only(words: Words, place: str, known: set[str]) -> None:
    for key in words:
        if key not in known:
            where = f"{place}.{_short(key)}" if place else _short(key)
            raise InvalidInput(
                "S103", f"the policy has an unknown key, {where}", f"Known are {', '.join(sorted(known))}"
            )


def _value(words: Words, key: str, place: str) -> Any:  # noqa: ANN401  # the constructors say what it must be
    if key not in words:
        where = f"{place}.{key}" if place else key
        raise InvalidInput("S104", f"the policy does not say {where}", f"Add a line: {key} = ...")
    return words[key]


def _table(words: Words, key: str, place: str) -> Words:
    where = f"{place}.{_short(key)}" if place else _short(key)
    if key not in words:
        raise InvalidInput("S104", f"the policy does not say {where}", f"Add [{where}] with its keys below")
    found = words[key]
    if not isinstance(found, dict):
        raise InvalidInput("S105", f"{where} is not a group of keys", f"Write it as [{where}] with its keys below")
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InvalidInput("S102", f"the policy {quoted(path.name)} is far too large", "Name the right file")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("S102", f"the policy {quoted(path.name)} is not UTF-8 text", "Save it as UTF-8") from None
    except (OSError, ValueError) as refused:  # ValueError: a path with a NUL in it
        reason = refused.strerror if isinstance(refused, OSError) and refused.strerror else "no such file"
        raise InvalidInput(
            "S101",
            f"the policy {quoted(path.name)} cannot be read ({reason})",
            "Name a policy file, or make one with lapwing protect",
        ) from None


def _short(key: str) -> str:
    """A key of the file in a message: bare when it is a plain word."""
    return key if key.isascii() and key.isidentifier() and len(key) <= 60 else quoted(key)


def _one_line(mistake: Exception) -> str:
    return ascii(str(mistake))[1:-1][:120]
