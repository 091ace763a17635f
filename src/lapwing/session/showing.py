"""Groups whose keys are unknown: how many people one needs to be shown, said before anything is charged, and after.

The one idea: the threshold follows from the price alone, so an answer that will be empty can be foreseen, and an
analyst who expects smaller groups is told so instead of paying for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lapwing.errors import InvalidInput
from lapwing.query.answers.table import Answers
from lapwing.session.compounding import Compound


def people_needed(asked: Compound) -> int | None:
    """How many people a group must have, about: noise moves it a little. None where all groups are shown."""
    chosen = (each.selection for each in asked.parts)
    return max((each.threshold for each in chosen if each is not None), default=None)


def check_shown(needed: int | None, rows: int | None, *, anyway: bool) -> None:
    """Refuses a question of which the analyst expects groups that are too small to be shown."""
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise InvalidInput("S139", "the guessed number of rows is not a count", "Give a whole number from 1")
    if needed is None or rows is None or anyway or rows >= needed:
        return
    raise InvalidInput(
        "S153",
        f"a group needs about {needed:,} people to be shown, and those of {rows:,} rows have fewer: nothing is charged",
        "Pay more, declare the keys, set groups_per_unit in the policy, or ask all the same with anyway (--anyway)",
    )


def without_margins(answers: Answers) -> Iterator[str]:
    """Numbers with noise of which no ± is known in any row: without a word they would look exact."""
    for name, cells in zip(answers.names, answers.columns, strict=True):
        margins = cells.margins()
        if margins is not None and answers.rows and not np.isfinite(margins[~cells.missing]).any():
            yield f"No ± is known of {name}: with this noise, or of such a choice, it says little."


def shown_notes(asked: Compound, groups: int) -> Iterator[str]:
    """What a reader must know of groups that are not shown."""
    needed = people_needed(asked)
    if needed is None:
        return
    yield f"A group needed about {needed:,} people to be shown."
    if groups == 0:
        yield (
            "No group is shown: none was found with so many people, after noise. A higher price lowers their number, "
            "and so does a smaller groups_per_unit in the policy; known keys need none."
        )
