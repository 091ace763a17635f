"""The steps of a coupling proof that cost a probability δ, or a price that is no shift: tails, intervals, pairs.

The one idea: each names an event or an interval and what it may cost in all; :mod:`lapwing.kernel.relational` asks for
every condition under which that is true. Words of formulas besides those of every coupling:

* ``tries(n)``: how often the draws of the n-th entry of ``bad``, and of those ``beside`` it, were made so far while
  their condition held;
* ``uses(k)``: how often site ``k`` was moved onto an interval so far;
* ``width(k)``: the least width of such an interval, as ``intervals`` states it of site ``k``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.fields import Reader

Side = Literal["above", "below", "beyond"]
_ENDS = 2


@dataclass(frozen=True, slots=True)
class Subset:
    """An alignment: the first run's noise is ``inside`` an interval, the second's anything of the one it is ``onto``.

    The ends speak of what is known in both runs before the draw.
    """

    inside: tuple[str, str]
    onto: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Spread:
    """What the subsets of a site cost: ``uses`` of them in one run, each at most ``price``.

    Each takes away at most ``extra`` of the interval in all, and leaves at least ``width`` of it.
    """

    site: int
    extra: str
    width: str
    uses: str
    price: str


@dataclass(frozen=True, slots=True)
class Tail:
    """Noise that one run is assumed not to draw, at the price of its probability: *up to bad*.

    Of the first run: while ``given`` holds before the draw, the noise of ``site`` is not ``start`` or ``above`` (nor
    its negative or ``below``; ``beyond`` is both). ``start`` is at least ``least``, a public number, and there are at
    most ``count`` such draws in a run. Of the second ``run``: the same of draws that it makes alone.

    An entry ``beside`` another one is counted together with it: there are at most so many draws of both.
    """

    site: int
    run: int
    given: str
    side: Side
    start: str
    least: str
    count: str
    beside: int | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """A draw that the first run makes in one branch while the second makes another in the other branch."""

    first: int
    second: int
    alignment: object


def spread_to_json(each: Spread) -> dict[str, object]:
    """The entry as a JSON object."""
    return {"site": each.site, "extra": each.extra, "width": each.width, "uses": each.uses, "price": each.price}


def spread_from_json(read: Reader, data: object) -> Spread:
    """The entry that ``data`` states."""
    fields = read.fields(data, "spread", ("site", "extra", "width", "uses", "price"))
    return Spread(
        read.position(fields["site"], "site"),
        *(read.formula(fields[name], name) for name in ("extra", "width", "uses", "price")),
    )


def tail_to_json(each: Tail) -> dict[str, object]:
    """The entry as a JSON object."""
    return {
        "site": each.site,
        "run": each.run,
        "given": each.given,
        "tail": each.side,
        "from": each.start,
        "least": each.least,
        "count": each.count,
        **({} if each.beside is None else {"beside": each.beside}),
    }


def tail_from_json(read: Reader, data: object) -> Tail:
    """The entry that ``data`` states."""
    names = ("site", "run", "given", "tail", "from", "least", "count")
    together = ("beside",) if isinstance(data, dict) and "beside" in data else ()
    fields = read.fields(data, "bad event", (*names, *together))
    run = read.position(fields["run"], "run")
    if run > 2:
        raise InvalidInput(read.value, "run is neither 1 nor 2", "Name the first run or the second")
    given, start, least, count = (read.formula(fields[name], name) for name in ("given", "from", "least", "count"))
    side = cast("Side", read.word(fields["tail"], "tail", "above", "below", "beyond"))
    beside = read.position(fields["beside"], "beside") if together else None
    return Tail(read.position(fields["site"], "site"), run, given, side, start, least, count, beside)


def pairing_to_json(each: Pairing, write: Callable[[object], object]) -> dict[str, object]:
    """The entry as a JSON object."""
    return {"first": each.first, "second": each.second, "alignment": write(each.alignment)}


def pairing_from_json(read: Reader, data: object, tree: Callable[[object], object]) -> Pairing:
    """The entry that ``data`` states."""
    fields = read.fields(data, "pair", ("first", "second", "alignment"))
    first, second = (read.position(fields[name], name) for name in ("first", "second"))
    return Pairing(first, second, tree(fields["alignment"]))


def subset_from_json(read: Reader, data: object) -> Subset:
    """The leaf of an alignment that ``data`` states."""
    fields = read.fields(data, "alignment", ("subset", "onto"))
    return Subset(*(_ends(read, fields[name], name) for name in ("subset", "onto")))


def _ends(read: Reader, data: object, name: str) -> tuple[str, str]:
    ends = read.items(data, name)
    if len(ends) != _ENDS:
        raise InvalidInput(read.value, f"{name} has other than two ends", "Give the lower and the upper end")
    return read.formula(ends[0], name), read.formula(ends[1], name)
