"""Values of a mechanism (inputs, answers) in exact form, and their JSON.

A value is a Fraction, a bool, or a tuple of values (the language's lists and tuples both). In JSON a number is a
*string* (``"3/8"``, ``"0.5"``), so that no reader rounds it; truth values and lists are JSON's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.written_numbers import numeral

Value = Fraction | bool | tuple["Value", ...]

#: Deeper lists than any mechanism's type would need; a limit keeps hostile input from exhausting the stack.
MAX_DEPTH = 50


def value_to_json(value: Value) -> object:
    """``value`` as JSON: numbers become strings."""
    if isinstance(value, bool):
        return value
    if isinstance(value, tuple):
        return [value_to_json(element) for element in value]
    return str(value)


def value_from_json(data: object, name: str, depth: int = 0) -> Value:
    """The value that ``data`` states; refuses JSON numbers (a reader may have rounded them), null and objects."""
    if isinstance(data, bool):
        return data
    if isinstance(data, str):
        return number_from_json(data, name)
    if isinstance(data, list):
        if depth >= MAX_DEPTH:
            raise InvalidInput("C103", f"{name} is nested more than {MAX_DEPTH} deep", "Give a value of ordinary shape")
        return tuple(value_from_json(element, name, depth + 1) for element in data)
    raise InvalidInput(
        "C103", f"{name} holds a JSON {json_type(data)}", 'Write numbers as strings such as "3/8", lists as [..]'
    )


def number_from_json(data: object, name: str) -> Fraction:
    """An exact number written as a string."""
    if not isinstance(data, str):
        raise InvalidInput("C103", f"{name} is a JSON {json_type(data)}", 'Write the number as a string such as "3/8"')
    return numeral(data, name)


def inputs_from_json(data: object, name: str) -> dict[str, Value]:
    """One run's arguments: an object from parameter names to values."""
    if not isinstance(data, Mapping):
        raise InvalidInput("C103", f"{name} is a JSON {json_type(data)}", 'Give an object such as {"epsilon": "1"}')
    return {str(key): value_from_json(value, f"{name}.{key}") for key, value in data.items()}


def text_from_json(data: object, name: str, code: str) -> str:
    """A text that is not empty, of characters that can be shown: on a terminal, others would move the cursor."""
    if not isinstance(data, str) or not data:
        raise InvalidInput(code, f"{name} is a JSON {json_type(data)}", "Give it as a string that is not empty")
    if not data.isprintable():
        raise InvalidInput(
            code, f"{name} holds characters that cannot be shown", "Give it on one line, in plain letters"
        )
    return data


def json_type(data: object) -> str:
    """What JSON calls the type of ``data``."""
    if data is None:
        return "null"
    names: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "truth value"), ((int, float), "number"), (str, "string"), ((list, tuple), "list"), (Mapping, "object"),
    )  # fmt: skip
    return next((word for types, word in names if isinstance(data, types)), type(data).__name__)
