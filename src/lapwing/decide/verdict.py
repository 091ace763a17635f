"""What is said of one question about one mechanism, whichever question it is.

The one idea: a verdict is common to all questions (whose, where, what, why, with which evidence); what only one
question has stands beside it and is left empty by the others. Nothing in it is said that the kernel has not confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isinf
from typing import TYPE_CHECKING, Any, Literal

from lapwing.kernel.evidence.values import value_to_json
from lapwing.kernel.evidence.witness import Witness, interval_to_json

if TYPE_CHECKING:
    from lapwing.search.violation.inaccuracy import Failure

Question = Literal["privacy", "violation", "accuracy", "flow"]

_COMMON = ("function", "file", "line", "verdict")
_EVIDENCE = ("certificate", "witness")
#: What each question's JSON object holds, in order.
_FIELDS: Mapping[Question, tuple[str, ...]] = {
    "privacy": (
        *_COMMON, "claim", "bound", "seconds", "reason", "why", "remedy", "blocked_line", *_EVIDENCE,
        "largest_loss",
    ),
    "violation": (*_COMMON, "claim", "losses", "witness", "reason"),
    "accuracy": (
        *_COMMON, "condition", "beta", "gamma", "total", "given", "statement", "seconds", "reason", "exact", *_EVIDENCE,
    ),
    "flow": (*_COMMON, "how", "labels", "typing", "reason", "bound", "seconds", *_EVIDENCE),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a question about a mechanism.

    Privacy: proved, refuted or unknown. Violation: refuted or nothing found. Accuracy: proved, refuted or unknown.
    Flow: no flow, only by match, only by noise, leak or unknown. Certificate and witness are of the question's kind.
    """

    question: Question
    function: str
    file: str
    line: int
    verdict: str
    reason: str | None = None
    seconds: float = 0.0
    certificate: Any = None
    witness: Any = None
    #: the proof or the violation, in words
    story: str = ""
    #: privacy: what the source claims; what is proved, whatever the verdict; the line where a proof stopped
    claim: str | None = None
    bound: str | None = None
    blocked: int | None = None
    #: privacy, where the verdict is unknown: which of a few things happened, and what would work
    why: str | None = None
    remedy: str | None = None
    #: privacy: the largest loss found where it refutes nothing; violation: the worst loss at each size
    loss: Witness | None = None
    losses: Mapping[int, float] | None = None
    #: accuracy: the condition and its probability, the margin found, what is given, and exact failures beside it
    condition: str = ""
    beta: str = ""
    gamma: str | None = None
    total: str | None = None
    given: tuple[str, ...] = ()
    statement: str | None = None
    exact: tuple[Failure, ...] = ()
    private: frozenset[str] = frozenset()
    #: flow: by which method, the labels, and the typing derivation
    how: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    typing: Any = None

    def __str__(self) -> str:
        head = f"{self.function}: {self.verdict}"
        if self.bound is not None:
            head += f", bound {self.bound}"
        return "\n".join(part for part in (head, self.story or self.reason) if part)

    @property
    def largest(self) -> float | None:
        """The largest loss found at any size."""
        return max((self.losses or {}).values(), default=None)

    def to_json(self) -> dict[str, object]:
        """The verdict as a JSON object, with the fields of its question."""
        return {name: self._field(name) for name in _FIELDS[self.question]}

    def _field(self, name: str) -> object:
        match name:
            case "certificate" | "witness":
                evidence = getattr(self, name)
                return None if evidence is None else evidence.to_json()
            case "blocked_line":
                return self.blocked
            case "largest_loss":
                return None if self.loss is None else _as_loss(self.loss)
            case "losses":
                return losses_to_json(self.losses or {})
            case "given":
                return list(self.given)
            case "exact":
                return [_failure(each) for each in self.exact]
            case "typing":
                return [] if self.typing is None else [_judgement(each) for each in self.typing.judgements]
            case "labels":
                return dict(self.labels)
        return getattr(self, name)


def losses_to_json(losses: Mapping[int, float]) -> list[dict[str, object]]:
    """Losses by size, as floats close to their certain lower ends."""
    return [{"n": n, "loss": "inf" if isinf(loss) else max(round(loss, 9), 0.0)} for n, loss in losses.items()]


def _as_loss(witness: Witness) -> dict[str, object]:
    """The part of a witness that says what was computed: it accuses nobody."""
    kept = ("left", "right", "output", "probability_left", "probability_right", "log_ratio")
    return {name: value for name, value in witness.to_json().items() if name in kept}


def _failure(failure: Failure) -> dict[str, object]:
    return {
        "n": failure.n,
        "inputs": {name: value_to_json(value) for name, value in failure.inputs.items()},
        "bound": interval_to_json(failure.bound),
        "failure": interval_to_json(failure.exact),
        "factor": failure.factor,
    }


def _judgement(judgement: object) -> dict[str, object]:
    names = ("line", "pc", "rule", "statement", "holds", "reason")
    return {name: getattr(judgement, name) for name in names}
