"""Many pairs of inputs, a few runs each, to find the ones that deserve an attack.

The one idea: a crude score may order pairs, never accuse. Runs that ranked a pair are thrown away; the attack draws its
own. The error that an accusation may have is split between the pairs that are attacked, so that reporting the worst of
them needs no further correction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.audit.choosing_events import promise
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.pair_attack import Claim, Listener, Progress
from lapwing.audit.quiet_arithmetic import quietly
from lapwing.audit.run_limits import TimeIsUp
from lapwing.audit.sampling import Sampler
from lapwing.audit.sanity import always_raised
from lapwing.audit.seen_answers import Batch, Encoder
from lapwing.errors import InvalidInput

#: The share of the permitted error for the best pair, the second and the third.
SHARES = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
#: Runs per side in the first and the second sieve, how many pairs reach the second, and the share of the time for both.
FIRST, SECOND, KEPT, TIME = 24, 240, 8, 0.25
#: Runs of the first sieve where an attack itself has few: so many at least, or one in so many.
FEWEST = 8
#: What a callable raises when it is given what it never said it would take.
UNDECLARED = ("TypeError", "AttributeError", "NotImplementedError", "NameError", "ImportError", "ModuleNotFoundError")

Make = Callable[[Pair], Sampler]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A pair and how promising it looked; ``kinds`` are exceptions that make it no pair at all."""

    pair: Pair
    worth: tuple[float, float]
    refused: str | None = None


def most_promising(
    pairs: Sequence[Pair],
    make: Make,
    claim: Claim,
    seconds: float,
    listen: Listener,
    first: Sequence[Pair] = (),
    most: int | None = None,
) -> list[Pair]:
    """The pairs to attack, best first; ``first`` are attacked whatever the sieve says.

    Where an attack has ``most`` pairs of runs, and these are few, the first sieve has fewer still, and it is the only
    one.
    """
    deadline = time.monotonic() + seconds * TIME
    runs = FIRST if most is None else min(FIRST, max(FEWEST, most // FEWEST))
    ranked = _sieved(pairs, make, claim, runs, deadline, listen)
    refused = [each.refused for each in ranked if each.refused is not None]
    ranked = [each for each in ranked if each.refused is None]
    if not ranked:
        raise nothing_to_run(refused)
    ranked.sort(key=lambda each: each.worth, reverse=True)
    kept = ranked[:KEPT] if most is None or most > KEPT * SECOND else []
    again = _sieved([each.pair for each in kept], make, claim, SECOND, deadline, listen)
    best = sorted((each for each in again if each.refused is None), key=lambda each: each.worth, reverse=True)
    order = [*first, *(each.pair for each in best), *(each.pair for each in ranked)]
    distinct: list[Pair] = []
    for pair in order:
        if not any(pair is other for other in distinct):
            distinct.append(pair)
    return distinct[: len(SHARES)]


def _sieved(
    pairs: Sequence[Pair], make: Make, claim: Claim, runs: int, deadline: float, listen: Listener
) -> list[Ranked]:
    found = []
    for number, pair in enumerate(pairs):
        listen(
            Progress(
                f"looking at pair {number + 1} of {len(pairs)}", number, 0.0, "", 0.0, 1.0, deadline - time.monotonic()
            )
        )
        sampler = make(pair)
        try:
            left, right = sampler.draw(runs, deadline)
        except TimeIsUp:
            found += [Ranked(each, (0.0, 0.0)) for each in pairs[number:]]
            break
        refused = undeclared(pair, sampler.encoder, left, right) or always_raised(left, right, sampler.encoder)
        with quietly():
            worth = promise(left, right, sampler.encoder, claim.level, float(claim.delta))
        found.append(Ranked(pair, worth, refused))
    return found


def undeclared(pair: Pair, encoder: Encoder, *sides: Batch) -> str | None:
    """The exception of a made-up input that is of a type which the callable does not take; a leak is another matter."""
    if not pair.made_up:
        return None
    for side in sides:
        kinds = {encoder.name(code).removeprefix("raises ") for code in set(side.tags.tolist())}
        if kinds <= set(UNDECLARED):
            return sorted(kinds)[0]
    return None


def nothing_to_run(refused: Sequence[str]) -> InvalidInput:
    """The refusal of a callable that takes none of the inputs."""
    kinds = ", ".join(sorted(set(refused)))
    return InvalidInput(
        "Y202",
        f"the callable took none of {len(refused)} inputs: it raised {kinds}",
        "Give inputs of the type it takes: left and right, or pairs of them",
    )
