"""``lapwing.audit``: attack a callable and say how private it is not.

The one idea: one function for one pair, many pairs, a Hypothesis strategy or made-up inputs; what differs is only where
the pairs come from. Everything heavy is read when an audit starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lapwing.algebra.exact import Number
    from lapwing.audit.finding import Finding
    from lapwing.audit.pair_attack import Listener
    from lapwing.audit.sampling import Many

#: Stands for an input that was not given: None is an input.
ABSENT = object()
SECONDS = 60.0


def audit(
    function: Callable[..., object] | None = None,
    left: object = ABSENT,
    right: object = ABSENT,
    *,
    epsilon: Number,
    delta: Number = 0,
    neighbours: object = None,
    batch: Many | None = None,
    seconds: float = SECONDS,
    confidence: Number = "0.999",
    squeeze: bool = False,
    replay: bool = True,
    twin: Callable[..., object] | None = None,
    scale: Number | None = None,
    seed: int | None = None,
    settings: Mapping[str, object] | None = None,
    relation: str = "",
    name: str | None = None,
    listen: Listener | None = None,
) -> Finding:
    """Attack ``function`` on neighbouring inputs and return a :class:`~lapwing.audit.finding.Finding`.

    Give two inputs, or ``neighbours``: pairs of inputs, a Hypothesis strategy for pairs, or what
    :func:`lapwing.audit.awkward.added` and ``replaced`` make up. ``batch(input, n)`` may stand for the function where
    it can give ``n`` answers at once. The claim is (``epsilon``, ``delta``); ``relation`` says in words how the inputs
    differ. The verdict *refuted* is wrong with probability at most 1 - ``confidence``, whatever the callable is and
    whenever the audit ends. With ``squeeze`` all ``seconds`` are used for the largest bound. ``twin`` is the same
    pipeline without its noise, and ``scale`` the Laplace scale of the noise it left out. ``settings`` are passed on as
    keywords in every run. ``seed`` fixes which inputs are tried, never the noise.

    A mechanism in Lapwing's language is first put to the prover and the refuter, and needs no inputs: where its source
    is refuted, the inputs that refute it are attacked.
    """
    from lapwing.audit import attack_steps

    claim = attack_steps.claim_of(epsilon, delta, confidence)
    attack_steps.check_callable(function, batch, seconds)
    pairs = None
    if left is not ABSENT or right is not ABSENT or neighbours is not None or not attack_steps.is_readable(function):
        pairs = attack_steps.pairs_given(function, ABSENT, left, right, neighbours, relation, seed)
    named = name or attack_steps.name_of(function, batch)
    listener = listen or (lambda _: None)
    work = attack_steps.Work(function, batch, claim, float(seconds), squeeze, seed, named, listener, settings or {})
    return attack_steps.whole(work, pairs, replay=replay, twin=twin, scale=scale)
