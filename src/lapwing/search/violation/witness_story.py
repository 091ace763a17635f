"""A witness as a story: two inputs side by side, the answer, how likely it is on each, and what was claimed.

The one idea: a reader should be able to check it by hand, or paste the last lines into Python and see the numbers
come out again.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from lapwing.algebra.balls import Interval, ball, to_interval
from lapwing.algebra.exact import decimal_down, decimal_up, shown
from lapwing.kernel.evidence.event import AnyOf, Anything, Between, Event, Prefix
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.evidence.witness import Witness

_DIGITS = 6


def story(witness: Witness) -> str:
    """The witness in words, ending in lines to paste into Python."""
    names = list(witness.left)
    width = max(len(name) for name in names) + 2
    lefts = [_shown(witness.left[name]) for name in names]
    column = max(len("left"), *(len(text) for text in lefts)) + 3
    lines = [f"{witness.function} on two neighbouring inputs:", ""]
    lines.append(f"  {'':{width}}{'left':{column}}right")
    for name, left in zip(names, lefts, strict=True):
        mark = "" if witness.left[name] == witness.right[name] else "   <- differs"
        lines.append(f"  {name:{width}}{left:{column}}{_shown(witness.right[name])}{mark}")
    lines += [
        "",
        f"The answer {event_text(witness.output)} has probability",
        f"  on the left   {_interval_text(witness.probability_left)}",
        f"  on the right  {_interval_text(witness.probability_right)}",
        "",
        *_verdict(witness),
        "",
        "To see it again:",
        *(f"  {line}" for line in snippet(witness)),
    ]
    return "\n".join(lines)


def brief(witness: Witness) -> str:
    """The witness in half a sentence: what was lost, with which answer, on which inputs."""
    public = {name: value for name, value in witness.left.items() if witness.right.get(name) == value}
    left, right = (
        ", ".join(f"{name} = {_shown(value)}" for name, value in side.items() if name not in public)
        for side in (witness.left, witness.right)
    )
    given = ", ".join(f"{name} = {_shown(value)}" for name, value in public.items())
    where = f"{left} against {right}" + (f", with {given}" if given else "")
    allowed = ""
    if witness.claim_value is not None and witness.claim_delta is not None:
        allowed = f" at epsilon = {_short(witness.claim_value.upper)}, of {_short(witness.claim_delta.upper)} allowed"
    elif witness.claim_value is not None:  # at large parameters a large loss may be less than is claimed
        allowed = f" of {_short(witness.claim_value.upper)} allowed"
    return f"{certain_loss(witness)}{allowed}, of the answer {event_text(witness.output)} on {where}"


def certain_loss(witness: Witness) -> str:
    """The privacy loss, or beside a claim with a delta the delta, that a witness shows for certain, rounded down."""
    if witness.claim_delta is not None and witness.claim_value is not None:
        excess = (
            witness.probability_left.lower - _exponential(witness.claim_value.upper) * witness.probability_right.upper
        )
        return f"delta found {decimal_down(excess)}"
    ratio = witness.log_ratio.lower
    return "loss found infinite" if ratio is None else f"loss found {decimal_down(ratio)}"


def _verdict(witness: Witness) -> list[str]:
    left, right = witness.probability_left, witness.probability_right
    if right.upper == 0:
        ratio = "It cannot happen on the right at all: the privacy loss is infinite"
    else:
        times = decimal_down(left.lower / right.upper)
        loss = decimal_down(witness.log_ratio.lower or Fraction(0))
        size = f"at least {loss}"
        if witness.closed_form not in (None, "inf"):
            size = f"{witness.closed_form}, {size}" if "ln" in str(witness.closed_form) else str(witness.closed_form)
        ratio = f"At least {times} times as likely on the left: a privacy loss of {size}"
        if right.lower == 0:
            ratio += "\n(it may be impossible on the right; what is left is the error of computing)"
    if witness.claim_value is None:
        return [ratio + ".", "Nothing is claimed; any true claim is at least that."]
    claim = witness.claim_value.upper
    if witness.order is not None:
        return [
            ratio + ".",
            f"The divergence of order {witness.order} is above rho times it, for rho = {_short(claim)}.",
        ]
    if witness.claim_delta is not None:
        excess = decimal_down(left.lower - _exponential(claim) * right.upper)
        return [
            ratio + ".",
            f"P_left - e^epsilon P_right is at least {excess}, above the claimed delta of "
            f"{_short(witness.claim_delta.upper)} at epsilon = {_short(claim)}.",
        ]
    return [
        ratio + ".",
        f"The claim allows {_short(claim)}, that is {decimal_up(_exponential(claim))} times as likely.",
    ]


def snippet(witness: Witness) -> list[str]:
    """Lines of Python that compute both probabilities again and check them."""
    return [
        "import lapwing",
        f"left = {_literal_inputs(witness.left)}",
        f"right = {_literal_inputs(witness.right)}",
        f"print(lapwing.refute({f'{witness.file}::{witness.function}'!r}, left=left, right=right))",
    ]


def event_text(event: Event) -> str:
    """An answer, or a set of answers, in words."""
    match event:
        case Anything():
            return "of any kind"
        case Between(low, high):
            if low is not None and high is not None:
                return f"from {shown(low)} to {shown(high)}"
            if high is not None:
                return f"of at most {shown(high)}"
            return "of any kind" if low is None else f"of at least {shown(low)}"
        case Prefix(elements):
            return f"beginning with [{', '.join(map(event_text, elements))}]"
        case AnyOf(events):
            few = ", ".join(map(event_text, events[:6]))
            return f"among {few}" + (f" and {len(events) - 6} more" if len(events) > 6 else "")
        case tuple():
            return f"[{', '.join(map(event_text, event))}]"
        case _:
            return str(event)


def _shown(value: Value) -> str:
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else str(value)


def _literal_inputs(inputs: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{name!r}: {_input_literal(value)}" for name, value in inputs.items()) + "}"


def _input_literal(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_input_literal, value))}]"
    if isinstance(value, bool) or value.denominator == 1:
        return str(value)
    return repr(str(value))


def _interval_text(interval: Interval) -> str:
    if interval.is_exact:
        return f"{interval.lower}"
    low, high = decimal_down(interval.lower, _DIGITS), decimal_up(interval.upper, _DIGITS)
    return f"{low} to {high}"


def _short(number: Fraction) -> str:
    return str(number) if len(str(number)) <= 12 else decimal_down(number)


def _exponential(value: Fraction) -> Fraction:
    return to_interval(ball(value).exp()).upper
