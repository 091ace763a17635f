"""How a plan looks before it is paid for: a line for each answer, with what it may be off by and what it will be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from lapwing.session.rendering import TextColumn, amounts, laid_out, on_one_line, percent, shown

if TYPE_CHECKING:
    from lapwing.session.planning import Plan, Planned


def plan_lines(plan: Plan) -> list[Text]:
    """The plan as a table of the terminal."""
    rows = [row for each in plan.questions for row in _rows(each)]
    heads = ("question", "price", "answer", "may be off by", "± planned", "")
    cells = [[head, *(row[at] for row in rows)] for at, head in enumerate(heads)]
    numeric = (False, False, False, True, True, False)
    return laid_out([TextColumn(each, number) for each, number in zip(cells, numeric, strict=True) if any(each[1:])])


def plan_remarks(plan: Plan, *, running: str = "plan.run()") -> Iterator[str]:
    """What the plan costs in all, what that leaves, and what it takes for granted; ``running`` is how to pay."""
    worth = "" if plan.worth is None else f", which is worth {amounts(plan.worth, up=True)}"
    yet = "; nothing is charged yet" if running else ""
    yield f"all together {amounts(plan.price, up=True)}{worth}, in one charge{yet}"
    if plan.after is None:
        yield f"this is more than is left: {amounts(plan.left, up=False)}"
    else:
        how = f"; to pay and see the answers: {running}" if running else ""
        yield f"{amounts(plan.after, up=False)} would be left{how}"
    if not plan.meets and plan.ratio is not None:
        yield f"the errors are up to {plan.ratio:.3g} times what they may be: pay more, or allow larger ones"
    yield f"each ± holds with {percent(plan.confidence)} confidence, for groups as large as was guessed"
    for each in plan.questions:
        if each.threshold is not None:
            yield f"{each.name}: a group needs about {each.threshold:,} people to be shown"
        if each.at_worst:
            names = " and ".join(each.at_worst)
            yield f"{each.name}: the ± of {names} is at worst; for a closer one say what you expect of it"
    for note in dict.fromkeys(note for each in plan.questions for note in each.notes):
        yield f"note: {note}"


def plan_text(plan: Plan) -> str:
    """The plan as plain text."""
    return "\n".join([*(line.plain for line in plan_lines(plan)), *plan_remarks(plan)])


def _rows(question: Planned) -> Iterator[tuple[str, ...]]:
    first = True
    for name, margin in question.margins.items():
        limit = question.limits.get(name, "")
        planned = ("rank" if name in question.ranked else "?") if margin is None else shown(margin, margin)
        ratio = question.ratios.get(name, 0.0)
        missed = ratio is None or ratio > 1
        head = (on_one_line(question.name), amounts(question.price, up=True)) if first else ("", "")
        yield (*head, on_one_line(name), f"± {limit}" if limit else "", planned, "missed" if missed else "")
        first = False
