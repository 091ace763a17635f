"""What a command is about: a mechanism named ``PATH::NAME``, and values given for its parameters."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TypeVar

import click

from lapwing.algebra.exact import exact
from lapwing.checking import read_text
from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.run.inputs import public
from lapwing.search.violation.subject import ORDINARY
from lapwing.source.parse import mechanism_names, parse_text

Command = TypeVar("Command", bound=Callable[..., object])

set_option = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Fix a public parameter, such as --set epsilon=1/2."
)
states_option = click.option(
    "--max-states",
    type=click.IntRange(1),
    default=ORDINARY.states,
    help=f"States of one probability, at most.  [default: {ORDINARY.states}, less in a search]",
)
rounds_option = click.option(
    "--max-rounds",
    type=click.IntRange(1),
    default=ORDINARY.rounds,
    help=f"Rounds of one loop, at most.  [default: {ORDINARY.rounds}, less in a search]",
)


#: Seconds that no search is given, and that every clock can count.
YEAR = 366 * 24 * 3600


def limit_option(default: float, text: str) -> Callable[[Command], Command]:
    """``--limit`` of a command that searches: seconds, ``default`` of them unless told otherwise."""
    kind = click.FloatRange(1, YEAR)
    return click.option(
        "--limit", type=kind, metavar="SECONDS", default=default, show_default=True, help=text, callback=_number
    )


def _number(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    """The value; a range does not notice what is no number."""
    if isnan(value):
        raise click.BadParameter("nan is not a number of seconds.")
    return value


#: What a file lacks that has nothing to work on, and what to do about it.
NO_MECHANISM = ("mechanism", "Put @mechanism(...) on a function")


@dataclass(frozen=True, slots=True)
class Target:
    """A mechanism in a file, with the text that it was read from."""

    file: str
    source: str
    module: ir.Module
    mechanism: ir.Mechanism


def read_target(text: str) -> Target:
    """The mechanism that ``PATH::NAME`` means; ``PATH`` alone is enough where the file has only one."""
    file, separator, name = text.partition("::")
    source = read_text(Path(file))
    names = mechanism_names(source, file)
    if not names:
        lacking, remedy = NO_MECHANISM
        raise InvalidInput("F011", f"{file} has no {lacking}", remedy)
    if not separator and len(names) > 1:
        raise InvalidInput(
            "F011", f"{file} has several mechanisms: {', '.join(names)}", f"Name one: {file}::{names[0]}"
        )
    name = name if separator else names[0]
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        remedy = f"Did you mean {near[0]}?" if near else f"Name one of {', '.join(names)}"
        raise InvalidInput("F012", f"{file} has no mechanism {name!r}", remedy)
    module = parse_text(source, file, only=name)
    return Target(file, source, module, module[name])


def read_targets(words: Sequence[str], lacking: str, remedy: str) -> list[tuple[str, str]]:
    """(file, function) pairs, each once; a file stands for all its functions, a folder for all its files with some.

    ``lacking`` says what a file without any has not, and ``remedy`` what to do about it.
    """
    found: dict[tuple[str, str], None] = {}
    for word in words:
        path, separator, _ = word.partition("::")
        if separator:
            target = read_target(word)
            found[target.file, target.mechanism.name] = None
            continue
        files = sorted(Path(path).rglob("*.py")) if Path(path).is_dir() else [Path(path)]
        pairs = [(str(file), name) for file in files for name in mechanism_names(read_text(file), str(file))]
        if not pairs:
            raise InvalidInput("F011", f"{path} has no {lacking}", remedy)
        found |= dict.fromkeys(pairs)
    return list(found)


def read_settings(settings: Sequence[str]) -> dict[str, object]:
    """``NAME=VALUE`` words as values."""
    found: dict[str, object] = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if not separator or not name.strip().isidentifier():
            raise InvalidInput("F013", f"--set {_cut(setting)!r} is not NAME=VALUE", "Write --set epsilon=1")
        if name.strip() in found:
            raise InvalidInput("F013", f"--set gives {_cut(name.strip())!r} twice", "Keep one of the two")
        found[name.strip()] = _setting(value.strip(), name.strip())
    return found


def _setting(text: str, name: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return read_value(text, f"--set {name}") if text.startswith("[") else exact(text, name)


def read_inputs(text: str, option: str) -> dict[str, object]:
    """A JSON object of arguments; its decimals are read as written, not as floats."""
    found = read_value(text, option)
    if not isinstance(found, dict):
        raise InvalidInput(
            "F014", f"{option} is not a JSON object", 'Write something like \'{"q": [0, 1], "epsilon": 1}\''
        )
    return found


def read_value(text: str, option: str) -> object:
    """JSON whose numbers stay exact."""

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidInput("F014", f"{option} gives {_cut(twice)!r} twice", "Keep one of the two")
        return dict(pairs)

    try:
        return json.loads(text, parse_float=exact, parse_int=exact, parse_constant=exact, object_pairs_hook=distinct)
    except RecursionError:
        raise InvalidInput("F014", f"{option} is nested too deep", "Give ordinary lists") from None
    except json.JSONDecodeError as error:
        remedy = 'Write something like \'{"q": [0, 1], "epsilon": 1}\''
        raise InvalidInput("F014", f"{option} is not JSON (character {error.pos + 1})", remedy) from None


def fitting(mechanism: ir.Mechanism, given: Mapping[str, object]) -> dict[str, object]:
    """The arguments, exactly; refuses one that does not have its parameter's type."""
    types = {parameter.name: parameter.type for parameter in mechanism.parameters}
    return {name: public(value, types[name], name) if name in types else value for name, value in given.items()}


def _cut(text: str) -> str:
    """A word in a message: whole when it is short."""
    return text if len(text) <= 40 else f"{text[:37]}..."
