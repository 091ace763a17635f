"""Proofs by composition: a body cut into parts, each with a certificate of its own.

* ``public``: the part reads what was released before and public parameters only: post-processing.
* ``private``: a part that computes private values and releases nothing; later parts may use them.
* ``step``: a mechanism of its own, whose answer is released.
* ``call``: a call of another mechanism, by that one's certificate.
* ``sampled``: a step that uses the records through a sample of them only; the certificate is about the sample.
* ``loop``: a loop whose body is one, at most ``rounds`` times (a public formula). With a ``slack``, the rounds cost
  what advanced composition says, and the slack is added to δ; where a round is at most ``price``, a number, and so
  are the others, what optimal composition says, and the slack is the δ of all rounds.
* ``concentrated``: the whole body, proved in ρ; with ``slack`` for δ it has an ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader

PartKind = Literal["public", "private", "step", "call", "sampled", "loop", "concentrated"]
_KINDS: tuple[PartKind, ...] = get_args(PartKind)


@dataclass(frozen=True, slots=True)
class Stretch:
    """So many statements of the body, and what they are; ``inner`` is the certificate of a step or of a round."""

    statements: int
    kind: PartKind
    inner: object | None = None
    rounds: str | None = None
    slack: str | None = None
    price: str | None = None


def stretch_to_json(part: Stretch, certificate: Callable[[object], object]) -> dict[str, object]:
    """A part as a JSON object."""
    found: dict[str, object] = {"statements": part.statements, "kind": part.kind}
    if part.inner is not None:
        found["certificate"] = certificate(part.inner)
    if part.rounds is not None:
        found["rounds"] = part.rounds
    if part.slack is not None:
        found["slack"] = part.slack
    if part.price is not None:
        found["price"] = part.price
    return found


def stretch_from_json(read: Reader, data: object, certificate: Callable[[object], object]) -> Stretch:
    """The part that ``data`` states."""
    kind = data.get("kind") if isinstance(data, dict) else None
    word = cast("PartKind", read.word(kind, "kind", *_KINDS))
    wanted = {
        "step": ("certificate",),
        "call": ("certificate",),
        "sampled": ("certificate",),
        "loop": ("certificate", "rounds"),
        "concentrated": ("certificate", "slack"),
    }.get(word, ())
    further = [each for each in ("slack", "price") if word == "loop" and isinstance(data, dict) and each in data]
    fields = read.fields(data, "part", ("statements", "kind", *wanted, *further))
    count = fields["statements"]
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidInput("C103", "statements is not a whole number of 1 or more", "Give the object that prove wrote")
    return Stretch(
        count,
        word,
        certificate(fields["certificate"]) if wanted else None,
        read.formula(fields["rounds"], "rounds") if word == "loop" else None,
        read.formula(fields["slack"], "slack") if "slack" in fields else None,
        read.formula(fields["price"], "price") if "price" in fields else None,
    )
