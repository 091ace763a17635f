"""A finding in words: what was claimed, what was seen, and how to see it again."""

from __future__ import annotations

import math
import textwrap
from fractions import Fraction

from lapwing.algebra.exact import decimal_down, shown
from lapwing.audit.finding import REFUTED, TOO_FEW, Finding

#: Numbers in a report, and the widest column of inputs.
DIGITS, WIDEST = 4, 48
#: Letters that are repeated before two inputs differ.
_BEFORE = 12
#: Above this e^ε is not written out.
_SAID = 50.0


def report(finding: Finding) -> str:
    """The finding as a person reads it."""
    parts = [headline(finding)]
    if finding.events:
        parts.append(_table(finding))
    if finding.suspicions:
        parts.append("\n".join(f"Suspicion: {each}." for each in finding.suspicions))
    if finding.notes:
        parts.append("\n".join(f"{each}." for each in finding.notes))
    again = finding.shown.get("again")
    if isinstance(again, str) and finding.verdict == REFUTED:
        parts.append(f"To see it again: {again}")
    return "\n\n".join(parts)


def headline(finding: Finding) -> str:
    """The verdict in one sentence."""
    name = finding.target or "the callable"
    claim = claimed(finding.epsilon, finding.delta)
    sure = f"{_percent(finding.confidence)} sure"
    bound = decimal_down(finding.at_least, DIGITS)
    pairs = f"{finding.pairs:,} pairs"
    if finding.verdict == REFUTED:
        at = " at the same delta" if finding.delta else ""
        return f"{name} is not {claim}-differentially private: epsilon is at least {bound}{at} ({sure}, {pairs})."
    if finding.refuted:
        return f"{name} is not {claim}-differentially private: that is computed exactly ({pairs} alone do not show it)."
    reach = decimal_down(finding.could_reach, DIGITS)
    if finding.verdict == TOO_FEW and finding.shown.get("opaque"):
        return f"{name}: {pairs} could not have refuted {claim}, because not all of its answers could be looked into."
    if finding.verdict == TOO_FEW:
        return f"{name}: {pairs} could not have refuted {claim}; they could show an epsilon of {reach} at most."
    return (
        f"{name} is not refuted at {claim}: epsilon is at least {bound} on this pair ({sure}, {pairs}); "
        f"so many pairs could have shown up to {reach}. That proves nothing."
    )


def claimed(epsilon: Fraction, delta: Fraction) -> str:
    """The claim as people write it."""
    return f"({shown(epsilon)}, {shown(delta)})" if delta else shown(epsilon)


def _table(finding: Finding) -> str:
    last = finding.events[-1]
    left, right, pairs = finding.counts
    one, other = _inputs(finding.left, finding.right)
    rows = [
        ("", "left", "right"),
        ("input", one, other + (f"   <- {finding.relation}" if finding.relation else "")),
        ("seen", f"{left:,} of {pairs:,}", f"{right:,} of {pairs:,}"),
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"  {a:<{widths[0]}}   {b:<{widths[1]}}   {c}".rstrip() for a, b, c in rows]
    event = textwrap.wrap(last.text, 90, subsequent_indent=" " * 10)
    factor = f" = {math.exp(float(finding.epsilon)):.3g}" if finding.epsilon <= _SAID else ""
    claim = f"e^{shown(finding.epsilon)}{factor} times as likely" + (
        f" and {shown(finding.delta)} more" if finding.delta else ""
    )
    shows = decimal_down(max(Fraction(1), Fraction(math.exp(min(float(finding.at_least), _SAID)) * (1 - 1e-9))), 3)
    return "\n".join(
        [
            *lines,
            f"  event   {event[0] if event else ''}",
            *event[1:],
            f"  claim   at most {claim};  certified: at least {shows} times",
        ]
    )


def _inputs(left: str, right: str) -> tuple[str, str]:
    """Both inputs on a line each; where they do not fit, from a little before the place where they differ."""
    one, other = (" ".join(text.split()) for text in (left, right))
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    alike = next(differing, min(len(one), len(other)))
    begin = alike - _BEFORE if max(len(one), len(other)) > WIDEST and alike > 2 * _BEFORE else 0
    return _short(one, begin), _short(other, begin)


def _short(text: str, begin: int = 0) -> str:
    text = f"…{text[begin + 1 :]}" if begin else text
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _percent(confidence: Fraction) -> str:
    return f"{decimal_down(confidence * 100, 12)} %"
