"""Proofs by composition: a body cut into parts, each with a certificate of its own.

* ``public``: the part reads what was released before and public parameters only: post-processing.
* ``private``: a part that computes private values and releases nothing; later parts may use them.
* ``step``: a mechanism of its own, whose answer is released.
* ``call``: a call of another mechanism, by that one's certificate.
* ``branch``: an ``if`` that released values decide on, with the parts of both sides.
* ``sampled``: a step that uses the records through a sample of them only; the certificate is about the sample.
* ``loop``: a loop whose body is one, at most ``rounds`` times (a public formula). With a ``slack``, the rounds cost
  what advanced composition says, and the slack is added to δ; where a round is at most ``price``, a number, and so
  are the others, what optimal composition says, and the slack is the δ of all rounds.
* ``parallel``: a loop whose rounds look at different places of a list in which one place differs.
* ``spending``: a loop whose rounds pay different prices, added up in a variable (``account``, ``-left`` where it is
  lowered) that stays at most at ``limit``; ``then`` are the parts of a round. With a ``slack`` it adds up squares.
* ``concentrated``: the whole body, proved in ρ; with ``slack`` for δ it has an ε.
* ``gaussian``: the same of a body whose noise is all Gaussian; it has ``price`` for ε and ``slack`` for δ.
* ``unlikely``: the whole body, proved where its first coin is False; the coin's bias is added to δ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader

PartKind = Literal[
    "public", "private", "step", "call", "branch", "sampled", "loop", "parallel", "spending",
    "concentrated", "gaussian", "unlikely",
]  # fmt: skip
_KINDS: tuple[PartKind, ...] = get_args(PartKind)

#: Deeper branches than any program has.
MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class Stretch:
    """So many statements of the body, and what they are; ``inner`` is the certificate of a step or of a round."""

    statements: int
    kind: PartKind
    inner: object | None = None
    rounds: str | None = None
    slack: str | None = None
    price: str | None = None
    then: tuple[Stretch, ...] = ()
    otherwise: tuple[Stretch, ...] = ()
    account: str | None = None
    limit: str | None = None


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
    if part.kind == "spending":
        found |= {"account": part.account, "limit": part.limit}
        found["then"] = [stretch_to_json(each, certificate) for each in part.then]
    if part.kind == "branch":
        for name, side in (("then", part.then), ("otherwise", part.otherwise)):
            found[name] = [stretch_to_json(each, certificate) for each in side]
    return found


def stretch_from_json(read: Reader, data: object, certificate: Callable[[object], object], nesting: int = 0) -> Stretch:
    """The part that ``data`` states."""
    if nesting > MAX_NESTING:
        raise InvalidInput("C103", "parts are nested too deep", "Give the object that prove wrote")
    kind = data.get("kind") if isinstance(data, dict) else None
    word = cast("PartKind", read.word(kind, "kind", *_KINDS))
    wanted = {
        "step": ("certificate",),
        "call": ("certificate",),
        "parallel": ("certificate",),
        "unlikely": ("certificate",),
        "branch": ("then", "otherwise"),
        "spending": ("account", "limit", "then"),
        "sampled": ("certificate",),
        "loop": ("certificate", "rounds"),
        "concentrated": ("certificate", "slack"),
        "gaussian": ("certificate", "slack", "price"),
    }.get(word, ())
    optional = {"loop": ("slack", "price"), "spending": ("slack",)}.get(word, ())
    further = [each for each in optional if isinstance(data, dict) and each in data]
    fields = read.fields(data, "part", ("statements", "kind", *wanted, *further))
    count = fields["statements"]
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidInput("C103", "statements is not a whole number of 1 or more", "Give the object that prove wrote")

    def side(name: str) -> tuple[Stretch, ...]:
        inner = read.items(fields[name], name) if name in fields else ()
        return tuple(stretch_from_json(read, each, certificate, nesting + 1) for each in inner)

    return Stretch(
        count,
        word,
        certificate(fields["certificate"]) if "certificate" in fields else None,
        read.formula(fields["rounds"], "rounds") if word == "loop" else None,
        read.formula(fields["slack"], "slack") if "slack" in fields else None,
        read.formula(fields["price"], "price") if "price" in fields else None,
        side("then"),
        side("otherwise"),
        read.formula(fields["account"], "account") if "account" in fields else None,
        read.formula(fields["limit"], "limit") if "limit" in fields else None,
    )
