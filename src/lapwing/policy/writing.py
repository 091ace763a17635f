"""Writing a policy file: for a person to read and change, and to read back to exactly the same policy."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path

from lapwing.errors import InvalidInput
from lapwing.policy.document import Policy
from lapwing.policy.identifiers import quoted
from lapwing.policy.tables import Column, Key, Table, end_text

_HEADER = """\
# A Lapwing policy: what is public about these tables, whom answers protect, and how much all answers may lose.
#
# Everything in this file is taken as public knowledge. Nothing here is measured from the data, but by lapwing advise,
# which pays for it; write what you would tell a stranger. Numbers are exact: write them in quotes, as "0.1" or "1/3".
#
# neighbours     "added": answers hide whether a person is in the tables at all. "replaced": they hide a person's
#                data, while the number of people is public.
# data           "fixed": data that changed are refused until the curator accepts them. "live": answers are about the
#                data as they are at that moment. timeout: the most seconds of an engine's work for one answer.
# budget         the most that all answers together may lose. delta = "0" is pure privacy; else far below 1/people.
#                The ledger beside this file enforces the budget it was told; a change here needs its consent.
# analysts       who may ask, and the most their own answers may lose. Shares may add up to more than the budget.
# tables         unit: the column that identifies a person (none: each row is one). rows_per_unit: how many rows of
#                one person count. groups_per_unit: in how many groups of unknown keys one person may be. trusted: a
#                view is read although it may depend on several people at once. A column's low and high bound its
#                values (others are clipped); its keys are the groups that every answer lists, also the empty ones.
#                Columns that are not listed cannot be asked for.
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\"}


def write_policy(policy: Policy, path: str | Path) -> None:
    """Writes the policy; the file is whole or as it was before, also after a crash."""
    target = Path(path)
    draft = target.with_name(target.name + ".new")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.write(policy_text(policy))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except (OSError, ValueError) as refused:  # ValueError: a path with a NUL in it
        reason = refused.strerror if isinstance(refused, OSError) and refused.strerror else "no such place"
        raise InvalidInput(
            "S106", f"the policy {quoted(target.name)} cannot be written ({reason})", "Choose a folder you may write to"
        ) from None


def policy_text(policy: Policy) -> str:
    """The policy as TOML, the same text for the same policy."""
    lines = [
        f"name = {_string(policy.name)}",
        f"neighbours = {_string(policy.neighbours.value)}",
        f"data = {_string(policy.data)}",
        f"timeout = {policy.timeout}",
        *([f"ledger = {_string(policy.ledger)}"] if policy.ledger is not None else []),
        "",
        "[budget]",
        f"epsilon = {_number(policy.budget.epsilon)}",
        f"delta = {_number(policy.budget.delta)}",
        "",
        "[analysts]",
    ]
    for analyst in policy.analysts:
        amounts = {"epsilon": _number(analyst.epsilon), "delta": _number(analyst.delta)}
        lines.append(f"{_key(analyst.name)} = {_inline(amounts)}")
    for table in policy.tables:
        lines += ["", *_table_lines(table)]
    return _HEADER + "\n" + "\n".join(lines) + "\n"


def _table_lines(table: Table) -> list[str]:
    lines = [f"[tables.{table.name}]", f"path = {_string(table.path)}"]
    if table.relation is not None:
        lines.append(f"relation = {_string(table.relation)}")
    lines.append(f"role = {_string(table.role)}")
    if table.unit is not None:
        lines.append(f"unit = {_string(table.unit)}")
    if table.rows_per_unit is not None:
        lines.append(f"rows_per_unit = {table.rows_per_unit}")
    if table.groups_per_unit is not None:
        lines.append(f"groups_per_unit = {table.groups_per_unit}")
    if table.trusted:
        lines.append("trusted = true")
    lines += ["", f"[tables.{table.name}.columns]"]
    return lines + [f"{_key(column.name)} = {_inline(_column_words(column))}" for column in table.columns]


def _column_words(column: Column) -> dict[str, str]:
    words = {"kind": _string(column.kind)}
    if column.low is not None:
        words["low"] = _end(column, column.low)
    if column.high is not None:
        words["high"] = _end(column, column.high)
    if column.keys is not None:
        words["keys"] = "[" + ", ".join(_literal(key) for key in column.keys) + "]"
    return words


def _end(column: Column, end: Fraction) -> str:
    return _string(end_text(end, column.kind)) if column.kind in ("date", "timestamp") else _number(end)


def _inline(words: dict[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in words.items()) + " }"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _literal(key: Key) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key) if isinstance(key, int) else _string(key)


def _number(value: Fraction) -> str:
    """A decimal when that is exact and short, else a fraction; in quotes, so that no reader makes it a float."""
    for places in range(31):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
            return f'"{"-" if value < 0 else ""}{whole}{"." + part if part else ""}"'
    return f'"{value}"'


def _string(text: str) -> str:
    """A TOML basic string: control characters escaped, everything else as it is."""
    return '"' + "".join(_ESCAPES.get(letter) or _plain(letter) for letter in text) + '"'


def _plain(letter: str) -> str:
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
