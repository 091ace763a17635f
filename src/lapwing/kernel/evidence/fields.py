"""Reading evidence from JSON: objects with exactly their fields, lists, positions and texts; all else is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing.errors import InvalidInput
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.values import json_type, text_from_json
from lapwing.kernel.formulas.reading import WORDS, formula, shown


@dataclass(frozen=True, slots=True)
class Reader:
    """How one kind of evidence is read: the codes of its refusals (of a shape, of a value), and who writes it.

    ``longest`` limits a text, where formulas are read from it.
    """

    shape: str
    value: str
    command: str
    longest: int | None = None

    @property
    def again(self) -> str:
        """What to do about evidence that is not as it was written."""
        return f"Write it again with {self.command}"

    def fields(self, data: object, what: str, names: tuple[str, ...]) -> Mapping[str, object]:
        """The object, if it has these fields and no others."""
        if not isinstance(data, Mapping):
            raise InvalidInput(self.shape, f"a {what} is a JSON {json_type(data)}", self.again)
        missing = [name for name in names if name not in data]
        unknown = [str(name) for name in data if name not in names]
        if missing or unknown:
            problem = f"has no field {missing[0]!r}" if missing else f"has an unknown field {unknown[0][:40]!r}"
            raise InvalidInput(self.shape, f"the {what} {problem}", self.again)
        return data

    def items(self, data: object, name: str) -> list[object]:
        """The list."""
        if not isinstance(data, list):
            raise InvalidInput(self.value, f"{name} is a JSON {json_type(data)}", "Give a list")
        return data

    def position(self, data: object, name: str) -> int:
        """The number of a site or loop, counted from 1 in program order."""
        if isinstance(data, bool) or not isinstance(data, int) or data < 1:
            problem = f"{name} is not a whole number from 1"
            raise InvalidInput(self.value, problem, "Number sites and loops in program order")
        return data

    def word(self, data: object, name: str, *words: str) -> str:
        """One of the words that mean something here."""
        if data not in words or not isinstance(data, str):
            raise InvalidInput(self.value, f"{name} is none of {', '.join(words)}", f"Write {name} as one of these")
        return data

    def formula(self, data: object, name: str, words: frozenset[str] = WORDS) -> str:
        """A formula, printed from what is read of it: what is checked is what people are shown."""
        try:
            return shown(formula(self.text(data, name), words))
        except Unproved as doubt:
            raise InvalidInput(self.value, f"{name}: {doubt}", "Write it as the documentation does") from None

    def text(self, data: object, name: str) -> str:
        """A text that is not empty, and not too long."""
        found = text_from_json(data, name, self.value)
        if self.longest is not None and len(found) > self.longest:
            raise InvalidInput(self.value, f"{name} is longer than {self.longest} characters", "Give a shorter formula")
        return found
