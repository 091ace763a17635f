"""A finding: what an audit saw and what it staked, whole enough for anyone to compute its bound again.

The one idea: the bound follows from counts and stakes alone. Which event was bet on, and on which side it was expected
more often, is stated in words; how often it happened is stated chunk by chunk, with the stakes that were fixed before
the chunk was drawn. The runs themselves cannot be repeated, so a finding is the auditor's word for its counts, and
arithmetic from there on.

A finding speaks about one pair of inputs and one claim (ε, δ): for every event and in both orders,
P(event on one side) <= e^ε · P(event on the other) + δ. ``at_least`` is a lower bound on the ε that the callable really
has on this pair, at the claimed δ, wrong with probability at most 1 - ``confidence``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader
from lapwing.kernel.evidence.values import number_from_json

REFUTED, NOT_REFUTED, TOO_FEW = "refuted", "not refuted", "could not have refuted"
VERDICTS = (REFUTED, NOT_REFUTED, TOO_FEW)
#: What may be said of a source besides; nothing where it cannot be read.
EXACTLY = ("", "proved", "refuted")
LEFT, RIGHT = "left", "right"
#: Stakes stay below this share of the largest that could never make anybody poor beyond nothing.
BOLDNESS = Fraction(95, 100)
#: Longest list that is read, and most bets (chunks times accounts): an audit makes a few ten thousand of them.
MOST, MOST_BETS = 20_000, 40_000

_READER = Reader("C120", "C121", "lapwing audit --finding")
_FIELDS = (
    "kind", "target", "epsilon", "delta", "confidence", "share", "relation", "left", "right", "verdict", "at_least",
    "log_wealth", "could_reach", "pairs", "events", "accounts", "chunks", "seconds", "suspicions", "notes", "exact",
    "digest",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Watched:
    """An event in words, the side on which it was expected more often, and how often it was seen while betting."""

    text: str
    likelier: str
    left: int
    right: int
    pairs: int

    def to_json(self) -> dict[str, object]:
        """The event as a JSON object."""
        return {"text": self.text, "likelier": self.likelier, "left": self.left, "right": self.right, "of": self.pairs}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pairs drawn under one event with one stake per account, all fixed before the first of them was drawn.

    ``both``, ``likelier``, ``other``, ``neither`` count the pairs by the sides on which the event happened.
    """

    event: int
    both: int
    likelier: int
    other: int
    neither: int
    stakes: tuple[Fraction, ...]

    @property
    def pairs(self) -> int:
        """How many pairs were drawn."""
        return self.both + self.likelier + self.other + self.neither


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit found about one pair of inputs; ``verdict`` is one of *refuted*, *not refuted*, *could not have*.

    ``share`` is the part of the permitted error 1 - ``confidence`` that was set aside for this pair, where several
    were tried. ``log_wealth`` is the most that the accounts ever held, as a logarithm, betting against the claim.
    """

    target: str
    epsilon: Fraction
    delta: Fraction
    confidence: Fraction
    share: Fraction
    relation: str
    left: str
    right: str
    verdict: str
    at_least: Fraction
    log_wealth: Fraction
    could_reach: Fraction
    pairs: int
    events: tuple[Watched, ...]
    accounts: tuple[Fraction, ...]
    chunks: tuple[Chunk, ...]
    seconds: float = 0.0
    suspicions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: what is certain about a source that can be read, "proved" or "refuted"; its own certificate or witness shows it
    exact: str = ""
    #: what is only for the report and a picture, and no part of the evidence
    shown: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)

    @property
    def refuted(self) -> bool:
        """Whether the claim is false: at this confidence, or exactly."""
        return self.verdict == REFUTED or self.exact == REFUTED

    @property
    def event(self) -> str:
        """The event that was last bet on, in words; empty if there was none."""
        return self.events[-1].text if self.events else ""

    @property
    def counts(self) -> tuple[int, int, int]:
        """How often the last event was seen on the left, on the right, and in how many pairs."""
        last = self.events[-1] if self.events else Watched("", LEFT, 0, 0, 0)
        return last.left, last.right, last.pairs

    def __str__(self) -> str:
        from lapwing.audit.report import report  # the words are no part of the evidence

        return report(self)

    def to_json(self) -> dict[str, object]:
        """The finding as a JSON object. Numbers that the bound depends on are strings: no reader rounds them."""
        data: dict[str, object] = {
            "kind": "finding",
            "target": self.target,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "confidence": str(self.confidence),
            "share": str(self.share),
            "relation": self.relation,
            "left": self.left,
            "right": self.right,
            "verdict": self.verdict,
            "at_least": str(self.at_least),
            "log_wealth": str(self.log_wealth),
            "could_reach": str(self.could_reach),
            "pairs": self.pairs,
            "events": [event.to_json() for event in self.events],
            "accounts": [str(weight) for weight in self.accounts],
            "chunks": [_chunk_to_json(chunk) for chunk in self.chunks],
            "seconds": self.seconds,
            "suspicions": list(self.suspicions),
            "notes": list(self.notes),
            "exact": self.exact,
        }
        return {**data, "digest": digest(data)}

    @classmethod
    def from_json(cls, data: object) -> Finding:
        """The finding that ``data`` states; refuses missing and unknown fields and anything of the wrong type."""
        found = _READER.fields(data, "finding", _FIELDS)
        if found["kind"] != "finding":
            raise InvalidInput("C120", "the object's kind is not 'finding'", _READER.again)
        accounts = tuple(number_from_json(each, "accounts") for each in _several(found["accounts"], "accounts"))
        chunks = _several(found["chunks"], "chunks")
        if len(chunks) * len(accounts) > MOST_BETS:
            raise InvalidInput("C121", f"there are more than {MOST_BETS} bets", _READER.again)
        return cls(
            target=_words(found["target"], "target"),
            epsilon=number_from_json(found["epsilon"], "epsilon"),
            delta=number_from_json(found["delta"], "delta"),
            confidence=number_from_json(found["confidence"], "confidence"),
            share=number_from_json(found["share"], "share"),
            relation=_words(found["relation"], "relation"),
            left=_words(found["left"], "left"),
            right=_words(found["right"], "right"),
            verdict=_READER.word(found["verdict"], "verdict", *VERDICTS),
            at_least=number_from_json(found["at_least"], "at_least"),
            log_wealth=number_from_json(found["log_wealth"], "log_wealth"),
            could_reach=number_from_json(found["could_reach"], "could_reach"),
            pairs=_count(found["pairs"], "pairs"),
            events=tuple(_event(each) for each in _several(found["events"], "events")),
            accounts=accounts,
            chunks=tuple(_chunk(each, len(accounts)) for each in chunks),
            seconds=_seconds(found["seconds"]),
            suspicions=tuple(_words(each, "a suspicion") for each in _several(found["suspicions"], "suspicions")),
            notes=tuple(_words(each, "a note") for each in _several(found["notes"], "notes")),
            exact=_words(found["exact"], "exact"),
        )

    @property
    def name(self) -> str:
        """What was audited, in one line: a forger's text must not look like two verdicts, or move a cursor."""
        shown = "".join(each if each.isprintable() else " " for each in self.target)
        return " ".join(shown.split())

    def showing(self, **more: object) -> Finding:
        """The same finding with something for its report."""
        return replace(self, shown={**self.shown, **more})


def digest(data: Mapping[str, object]) -> str:
    """A fingerprint of the finding's JSON: it tells a slip of the hand, not a forger."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _chunk_to_json(chunk: Chunk) -> dict[str, object]:
    return {
        "event": chunk.event,
        "counts": [chunk.both, chunk.likelier, chunk.other, chunk.neither],
        "stakes": [str(stake) for stake in chunk.stakes],
    }


def _chunk(data: object, accounts: int) -> Chunk:
    found = _READER.fields(data, "chunk", ("event", "counts", "stakes"))
    counts = [_count(each, "a count") for each in _READER.items(found["counts"], "counts")]
    stakes = [number_from_json(each, "a stake") for each in _READER.items(found["stakes"], "stakes")]
    if len(counts) != 4 or len(stakes) != accounts:
        raise InvalidInput("C121", "a chunk has not four counts and a stake per account", _READER.again)
    both, likelier, other, neither = counts
    return Chunk(_count(found["event"], "event"), both, likelier, other, neither, tuple(stakes))


def _event(data: object) -> Watched:
    found = _READER.fields(data, "event", ("text", "likelier", "left", "right", "of"))
    likelier = _READER.word(found["likelier"], "likelier", LEFT, RIGHT)
    left, right, pairs = (_count(found[name], name) for name in ("left", "right", "of"))
    return Watched(_words(found["text"], "text"), likelier, left, right, pairs)


def _several(data: object, name: str) -> list[object]:
    items = _READER.items(data, name)
    if len(items) > MOST:
        raise InvalidInput("C121", f"{name} has more than {MOST} entries", _READER.again)
    return items


def _words(data: object, name: str) -> str:
    if not isinstance(data, str):
        raise InvalidInput("C121", f"{name} is no text", _READER.again)
    return data


def _count(data: object, name: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data < 2**63:
        raise InvalidInput("C121", f"{name} is not a count", _READER.again)
    return data


def _seconds(data: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 <= data < 1e9:
        raise InvalidInput("C121", "seconds is no time", _READER.again)
    return float(data)
