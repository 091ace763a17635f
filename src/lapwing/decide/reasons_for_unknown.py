"""What is said of a mechanism that was not decided: which of a few things happened, and what would work instead.

The one idea: a reason names what stopped a proof, in the words of the rule that stopped; whoever wrote the program
wants to know what kind of trouble that is and what to write. Nothing here is believed by anybody: it is advice.
"""

from __future__ import annotations

from typing import Final

#: How a reason begins, and which thing happened; whatever begins otherwise names a construct that is not followed.
HAPPENED: Final = (
    ("only at a higher price", "only at a higher price"),
    ("it needs an assumption", "needs an assumption"),
    ("no shift works", "no shift works"),
    ("no coupling that was tried", "no shift works"),
    ("a shift works for three rounds", "no invariant found"),
    ("a proof of", "proof not accepted"),
    ("the time limit passed", "out of time"),
)
NOT_FOLLOWED: Final = "not followed"

#: Words of a reason, and what would work. The first that is found counts, so the telling ones stand first.
_INSTEAD: Final = (
    ("it needs an assumption", None),
    ("please report", None),
    ("only at a higher price", "Claim the bound that is proved, or draw more noise"),
    (
        "no shift works",
        "More noise, or a larger claim; without a claim the smallest bound that can be proved is shown. If the claim is"
        " true, lapwing refute finds no violation and a proof may be written by hand",
    ),
    (
        "a shift works for three rounds",
        "Write the invariant by hand in STEM.FUNCTION.json beside the source (docs/how-to/prove-by-hand.md)",
    ),
    ("the time limit passed", "More time, with --limit"),
    ("sensitivities do not follow a branch", "Add the noise first, and let the noisy number decide on the branch"),
    ("what decides on a branch is not released", "Add the noise first, and let the noisy number decide on the branch"),
    (
        "private data decide whether this is done",
        "In one loop over the records add a term of the record alone (x if x > 0 else 0) to a total; a test may read"
        " the record and what is public, not a total",
    ),
    ("private data decide how often", "Go over a public number of rounds, and let a test inside skip the rest"),
    (
        "a private value decides how many rounds",
        "Go over a public number of rounds, and let a test inside skip the rest",
    ),
    ("a test is about a total", "Add noise to the total, and test the noisy number"),
    ("this depends on a total that is not released", "Add noise to the total, and go on with the noisy number"),
    (
        "a total that was clipped",
        "Clip the records instead of the total; or add noise to each total, and compute with the noisy numbers",
    ),
    ("a total is multiplied by a total", "Add noise to each total, and multiply the noisy numbers"),
    ("is not linear", "Multiply and divide private values and noise by public numbers only"),
    ("all records are walked over for each record", "Compare each record with public values, in one loop"),
    ("one element of a list of records is read", "Go over all records, and add up what is wanted of each"),
    ("records are counted or paired", "With one record more, all that follow it move; replaced() keeps their places"),
    ("gets noise of its own", "Add up first, and add noise to the total once"),
    ("noise is used for each record", "Add up first, and add noise to the total once"),
    ("one noise is used for many records", "Add up first, and add noise to the total once"),
    ("without noise", "Add noise to it, as in x + laplace(1 / epsilon)"),
    ("possible on one input and not on the other", "Give every answer some probability on every input"),
    ("nothing bounds how far", "Bound it: clip(x, low, high)"),
    ("unbounded", "Bound it: clip(x, low, high)"),
    ("Gaussian noise has no bound on ε alone", 'A claim with a delta, ("epsilon", "delta"), or zcdp("rho")'),
    ("give ε and ρ, not (ε, δ)", "Noise for the ε of the claim alone; or gaussian noise"),
    ("gives a bound on ε", "A claim of ε alone"),
    ("integer noise is added to what may move by a fraction", "laplace instead of discrete_laplace, or whole numbers"),
    ("is set twice", "Give the second value another name"),
    ("differ in length", "each(d), one(d) or replaced(), whose neighbours have one length; or totals of the records"),
    ("too many", "Fewer cases: a smaller range, or one draw where there are several"),
    ("say so with an assert", None),
)


def happened(reason: str | None) -> str:
    """Which thing happened, of a few."""
    return next((kind for start, kind in HAPPENED if (reason or "").startswith(start)), NOT_FOLLOWED)


def instead(reason: str | None) -> str | None:
    """What would work, as far as somebody has thought of it."""
    return next((advice for words, advice in _INSTEAD if words in (reason or "")), None)


def as_reason(reason: str) -> str:
    """The reason, beginning with what happened."""
    told = happened(reason) != NOT_FOLLOWED or reason.startswith((NOT_FOLLOWED, "please"))
    return reason if told or "please report" in reason else f"{NOT_FOLLOWED}: {reason}"
