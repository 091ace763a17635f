"""A witness against a privacy claim: two neighbouring inputs, an event, and its probability on each.

The one idea: a witness is complete. It names the mechanism (and fingerprints its source), every argument of both runs
and the event, so that anyone can recompute its numbers.

Probabilities are exact or intervals; ``log_ratio`` encloses ln(P_left / P_right). What refutes a claim:

* ε: ln(P_left / P_right) > ε, where ``claim_value`` is ε;
* (ε, δ): P_left − e^ε·P_right > δ, where ``claim_delta`` is δ;
* ρ-zCDP: the Rényi divergence of order ``order`` between the two answers to "did the event happen?" is above
  ρ·order ([BS16]: post-processing cannot raise it), where ``claim_value`` is ρ.

A mechanism without a claim has no ``claim_value``; its witness is a lower bound on any ε it could claim.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import decimal_down, decimal_up
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.event import Event, event_from_json, event_to_json
from lapwing.kernel.evidence.values import (
    Value,
    inputs_from_json,
    json_type,
    number_from_json,
    text_from_json,
    value_to_json,
)
from lapwing.kernel.evidence.witness_format import FORMAT, check_format

#: Digits of an interval's ends in JSON, rounded outward. Exact numbers are written whole up to EXACT_DIGITS.
DIGITS, EXACT_DIGITS = 24, 60

_REQUIRED = (
    "format", "file", "function", "source", "left", "right", "output",
    "probability_left", "probability_right", "log_ratio", "claim_value",
)  # fmt: skip
_OPTIONAL = ("claim_delta", "order", "closed_form")


@dataclass(frozen=True, slots=True)
class LogRatio:
    """An interval around ln(P_left / P_right); ``None`` for an end is infinity (P_right is, or may be, 0)."""

    lower: Fraction | None
    upper: Fraction | None

    def __post_init__(self) -> None:
        if self.upper is not None and (self.lower is None or self.lower > self.upper):
            raise InvalidInput("C104", "log_ratio has its low end above its high end", "Write it [low, high]")


@dataclass(frozen=True, slots=True)
class Witness:
    """Everything needed to recompute one violation. ``closed_form`` is the log ratio in symbols, such as ``ln(3)``."""

    file: str
    function: str
    source: str
    left: Mapping[str, Value]
    right: Mapping[str, Value]
    output: Event
    probability_left: Interval
    probability_right: Interval
    log_ratio: LogRatio
    claim_value: Interval | None
    claim_delta: Interval | None = None
    order: Fraction | None = None
    closed_form: str | None = None

    def to_json(self) -> dict[str, object]:
        """The witness as a JSON object. Interval ends are rounded outward to 24 digits."""
        data: dict[str, object] = {
            "kind": "witness",
            "format": FORMAT,
            "file": self.file,
            "function": self.function,
            "source": self.source,
            "left": {name: value_to_json(value) for name, value in self.left.items()},
            "right": {name: value_to_json(value) for name, value in self.right.items()},
            "output": event_to_json(self.output),
            "probability_left": interval_to_json(self.probability_left),
            "probability_right": interval_to_json(self.probability_right),
            "log_ratio": log_ratio_to_json(self.log_ratio),
            "claim_value": None if self.claim_value is None else interval_to_json(self.claim_value),
        }
        if self.claim_delta is not None:
            data["claim_delta"] = interval_to_json(self.claim_delta)
        if self.order is not None:
            data["order"] = str(self.order)
        if self.closed_form is not None:
            data["closed_form"] = self.closed_form
        return data

    @classmethod
    def from_json(cls, data: object) -> Witness:
        """The witness that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        if not isinstance(data, Mapping):
            raise InvalidInput("C102", f"a witness is a JSON {json_type(data)}", "Give the object that refute wrote")
        check_format(data, "witness", "lapwing refute --witness")
        missing = [name for name in _REQUIRED if name not in data]
        unknown = [str(name) for name in data if name not in (*_REQUIRED, *_OPTIONAL, "kind")]
        if missing or unknown:
            problem = f"has no field {missing[0]!r}" if missing else f"has an unknown field {unknown[0][:40]!r}"
            raise InvalidInput("C102", f"the witness {problem}", "Write it again with lapwing refute --witness")
        if data.get("kind", "witness") != "witness":
            raise InvalidInput("C102", "the object's kind is not 'witness'", "Give the object that refute wrote")
        order = number_from_json(data["order"], "order") if "order" in data else None
        if order is not None and order <= 1:
            raise InvalidInput("C104", "order is not above 1", "Give a Rényi order such as '2'")
        return cls(
            file=text_from_json(data["file"], "file", "C103"),
            function=text_from_json(data["function"], "function", "C103"),
            source=text_from_json(data["source"], "source", "C103"),
            left=inputs_from_json(data["left"], "left"),
            right=inputs_from_json(data["right"], "right"),
            output=event_from_json(data["output"]),
            probability_left=_probability(data["probability_left"], "probability_left"),
            probability_right=_probability(data["probability_right"], "probability_right"),
            log_ratio=_log_ratio_from_json(data["log_ratio"]),
            claim_value=None if data["claim_value"] is None else interval_from_json(data["claim_value"], "claim_value"),
            claim_delta=interval_from_json(data["claim_delta"], "claim_delta") if "claim_delta" in data else None,
            order=order,
            closed_form=text_from_json(data["closed_form"], "closed_form", "C103") if "closed_form" in data else None,
        )


def read_json(text: str) -> object:
    """JSON, strictly: no repeated keys, no NaN, nothing nested beyond what any of our files needs."""
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except InvalidInput:
        raise
    except RecursionError:
        raise InvalidInput("C101", "the text is nested too deep", "Give the JSON that Lapwing wrote") from None
    except ValueError as error:  # malformed, or a numeral longer than Python reads
        place = f" at {error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput("C101", f"the text is not JSON{place}", "Give the JSON that Lapwing wrote") from None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidInput("C101", "a JSON object repeats a key", "Keep one of the two")
    return found


def _refuse_constant(constant: str) -> object:
    raise InvalidInput("C101", f"the text holds {constant}, which is not JSON", "Write numbers as strings")


def interval_to_json(interval: Interval) -> object:
    """``"3/8"`` for an exact number, else ``[low, high]`` as decimals rounded outward."""
    if interval.is_exact and _digits(interval.lower) <= EXACT_DIGITS:
        return str(interval.lower)
    return [decimal_down(interval.lower, DIGITS), decimal_up(interval.upper, DIGITS)]


def interval_from_json(data: object, name: str) -> Interval:
    """The interval that ``data`` states."""
    if not isinstance(data, list):
        return Interval.point(number_from_json(data, name))
    if len(data) != 2:
        raise InvalidInput("C103", f"{name} is a list of {len(data)}", 'Write an interval as ["0.1", "0.2"]')
    low, high = (number_from_json(end, name) for end in data)
    if low > high:
        raise InvalidInput("C104", f"{name} has its low end above its high end", "Write it [low, high]")
    return Interval(low, high)


def _probability(data: object, name: str) -> Interval:
    interval = interval_from_json(data, name)
    if interval.upper < 0 or interval.lower > 1:
        raise InvalidInput("C104", f"{name} lies outside [0, 1]", "Give a probability")
    return interval


def log_ratio_to_json(ratio: LogRatio) -> object:
    """``[low, high]`` rounded outward, ``"inf"`` for infinity; one string for an exact number."""
    if ratio.lower is not None and ratio.upper is not None:
        return interval_to_json(Interval(ratio.lower, ratio.upper))
    return ["inf" if ratio.lower is None else decimal_down(ratio.lower, DIGITS), "inf"]


def _log_ratio_from_json(data: object) -> LogRatio:
    if isinstance(data, list) and len(data) == 2 and data[1] == "inf":
        return LogRatio(None if data[0] == "inf" else number_from_json(data[0], "log_ratio"), None)
    interval = interval_from_json(data, "log_ratio")
    return LogRatio(interval.lower, interval.upper)


def _digits(number: Fraction) -> int:
    """About how long the fraction is when written out."""
    return (number.numerator.bit_length() + number.denominator.bit_length()) * 3 // 10
