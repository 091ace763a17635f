"""How answers and quotes look: a table with ± for a terminal, and one with error bars for a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from lapwing.algebra.exact import decimal_down, decimal_up

if TYPE_CHECKING:
    from lapwing.session.applying import Applied
    from lapwing.session.asking import Session
    from lapwing.session.quoting import Offer, Quote
    from lapwing.session.release import Release

#: Longer tables are shown in part; the data frames have all of it.
SHOWN = 60
_WORDS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}


def as_lines(release: Release) -> list[Text]:
    """The answers as a table of the terminal: numbers to the right, each with its ±.

    Laid out here because rich takes longer over a hundred rows than everything else around the engine together.
    """
    return laid_out(_columns(release))


def laid_out(columns: Sequence[TextColumn]) -> list[Text]:
    """Columns of the terminal side by side, the first line in bold."""
    styles = ["dim" if column.is_margin else None for column in columns]
    lines = []
    for i, cells in enumerate(_padded(columns)):
        line = Text(style="bold" if i == 0 else "")
        for style, cell in zip(styles, cells, strict=True):
            line.append(f"{cell}  ", style if i > 0 else None)
        line.rstrip()
        lines.append(line)
    return lines


def _padded(columns: Sequence[TextColumn]) -> Iterator[Sequence[str]]:
    """The cells of each line, as wide as their columns: numbers to the right, texts to the left."""
    wide = []
    for column in columns:
        lengths = [cell_len(cell) for cell in column.cells]
        spaces = [" " * (max(lengths) - length) for length in lengths]
        both = zip(spaces, column.cells, strict=True)
        wide.append([space + cell if column.is_number else cell + space for space, cell in both])
    return zip(*wide, strict=True)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of the terminal: its name, then its cells."""

    cells: list[str]
    is_number: bool
    is_margin: bool = False


def _columns(release: Release) -> list[TextColumn]:
    columns = []
    for name in release.columns:
        values = release.table.column(name).slice(0, SHOWN).to_pylist()
        margins = release.margins.column(name).slice(0, SHOWN).to_pylist()
        cells = [on_one_line(shown(*each)) for each in zip(values, margins, strict=True)]
        columns.append(TextColumn([on_one_line(name), *cells], _is_numeric(release, name)))
        if release.has_margins(name):
            sure = ["not known" if margin is None else shown(margin, margin) for margin in margins]
            columns.append(
                TextColumn([f"± noise {percent(release.confidence)}", *sure], is_number=True, is_margin=True)
            )
    return columns


def on_one_line(text: str) -> str:
    """A text of the data without what would move the cursor, or colour the terminal."""
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


def summary(release: Release) -> str:
    """What was paid, what is left, and how much of the table is shown."""
    word = "spent" if release.receipt else "would cost"  # nothing was charged for a rehearsal
    paid = "already paid for" if release.repeated else f"{word} {amounts(release.spent, up=True)}"
    more = release.table.num_rows - SHOWN
    rest = f"{more:,} more rows; " if more > 0 else ""
    return f"{rest}{paid}; {amounts(release.remaining, up=False)} left"


def percent(confidence: float | Fraction) -> str:
    """``95%``, ``99.9%``: never rounded up to a certainty that is not there."""
    return f"{decimal_down(100 * Fraction(str(float(confidence))), 6)}%"


def amounts(parts: Mapping[str, str], *, up: bool) -> str:
    """``ε 0.5, δ 1e-6``: rounded so that nobody is promised more than there is."""
    text = decimal_up if up else decimal_down
    return ", ".join(f"{_WORDS.get(name, name)} {text(Fraction(value))}" for name, value in parts.items())


def shown(value: object, margin: float | None) -> str:
    """A number to two significant digits of its margin; text as it is, and whole numbers without one (years, keys)."""
    if value is None:
        return "—"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if margin is None or margin <= 0 or not math.isfinite(margin):
        return str(value) if isinstance(value, int) else f"{value:,.6g}"
    digits = max(0, 1 - math.floor(math.log10(margin)))
    return f"{value:,.{digits}f}" if not isinstance(value, int) else f"{value:,}"


def as_text(release: Release) -> str:
    """The release as plain text."""
    notes = (f"note: {note}" for note in release.notes)
    lines = ("  ".join(cells).rstrip() for cells in _padded(_columns(release)))
    return "\n".join([*lines, summary(release), *notes])


def quote_lines(quote: Quote) -> list[Text]:
    """The offers of a quote as a table of the terminal."""
    columns = [TextColumn(["price", *(amounts(each.price, up=True) for each in quote.offers)], is_number=False)]
    for name in quote.margins:
        cells = [_offered(quote, name, each) for each in quote.offers]
        columns.append(TextColumn([on_one_line(f"{name} ±"), *cells], is_number=True))
    dear = ["" if each.affordable else "more than is left" for each in quote.offers]
    return laid_out([*columns, TextColumn(["", *dear], is_number=False)] if any(dear) else columns)


def quote_remarks(quote: Quote, *, expecting: str = 'expect={"NAME": VALUE}') -> Iterator[str]:
    """What a quote takes for granted, and what else is known before paying; ``expecting`` is how to say more."""
    guesses = " and ".join(f"{name} is about {shown(value, None)}" for name, value in quote.expected.items())
    expected = f", if {guesses}" if guesses else ""
    yield f"for groups of {quote.rows:,} rows{expected}, {percent(quote.confidence)} confidence; nothing was charged"
    if quote.at_worst:
        names = " and ".join(quote.at_worst)
        yield f"the ± of {names} is at worst, wherever values lie in their range; for a closer one: {expecting}"
    shares = ", ".join(f"{what} {amounts(share, up=True)}" for what, share in quote.measurements)
    yield f"the first price is shared: {shares}"
    if quote.threshold is not None:
        yield f"a group needs about {quote.threshold:,} people to be shown"
    yield from (f"note: {note}" for note in quote.notes)


def _offered(quote: Quote, name: str, offer: Offer) -> str:
    margin = offer.margins[name]
    if margin is None:
        return "rank" if name in quote.ranked else "?"
    return shown(margin, margin)


def quote_text(quote: Quote) -> str:
    """The quote as plain text."""
    return "\n".join([*(line.plain for line in quote_lines(quote)), *quote_remarks(quote)])


def applied_text(applied: Applied) -> str:
    """What a mechanism answered, as plain text."""
    mechanism, queries = applied.certificate["mechanism"], applied.certificate["queries"]
    of = f"{len(queries)} queries" if len(queries) > 1 else "1 query"
    value = applied.value
    if isinstance(value, list) and len(value) > SHOWN:
        value = f"[{', '.join(map(str, value[:SHOWN]))}, … {len(value) - SHOWN:,} more]"
    return (
        f"{mechanism['function']} of {of}: {value}\n"
        f"spent {amounts(applied.spent, up=True)}; {amounts(applied.remaining, up=False)} left"
    )


def session_text(session: Session) -> str:
    """Whose session it is, and about what."""
    parts = session.part.path() if session.part is not None else ()
    where = ", ".join(f"{part.column} = {part.key!r}" for part in parts)
    closed = ", closed" if session.engine.closed else ""
    most = max((part.multiplicity for part in parts), default=1)
    shared = f"; a person may be in {most} parts, and each part is charged {most} times" if most > 1 else ""
    return f"Session of {session.policy.name} as {session.analyst}{', part ' + where if where else ''}{shared}{closed}"


def as_html(release: Release) -> str:
    """The release for a notebook: beside each number a bar with its margin, drawn to one scale in each column."""
    scales = {name: _scale(release, name) for name in release.columns}
    head = "".join(f"<th>{html.escape(name)}</th>" for name in release.columns)
    rows = zip(release.table.slice(0, SHOWN).to_pylist(), release.margins.slice(0, SHOWN).to_pylist(), strict=True)
    body = "".join(
        "<tr>" + "".join(_cell(values[name], margins[name], scales[name]) for name in release.columns) + "</tr>"
        for values, margins in rows
    )
    notes = "".join(f"<br><small>{html.escape(note)}</small>" for note in release.notes)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<small>{html.escape(summary(release))}</small>{notes}"
    )


def _cell(value: object, margin: float | None, scale: tuple[float, float] | None) -> str:
    text = html.escape(shown(value, margin))
    if margin is None or scale is None or not isinstance(value, int | float):
        return f"<td>{text}</td>"
    text += f" ± {html.escape(shown(margin, margin))}"
    low, high = scale
    width = 100 / (high - low) if high > low else 0.0
    left, right, at = ((edge - low) * width for edge in (value - margin, value + margin, value))
    bar = (
        '<svg width="104" height="10" role="img"><title>the answer and its margin</title>'
        f'<line x1="{left + 2:.1f}" x2="{right + 2:.1f}" y1="5" y2="5" stroke="#888" stroke-width="2"/>'
        f'<circle cx="{at + 2:.1f}" cy="5" r="3" fill="#246"/></svg>'
    )
    return f'<td style="text-align:right">{text} {bar}</td>'


def _scale(release: Release, name: str) -> tuple[float, float] | None:
    """The least and largest end of an error bar in a column."""
    values: list[Any] = release.table.column(name).slice(0, SHOWN).to_pylist()
    margins: list[Any] = release.margins.column(name).slice(0, SHOWN).to_pylist()
    ends = [(v - m, v + m) for v, m in zip(values, margins, strict=True) if m is not None and v is not None]
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def _is_numeric(release: Release, name: str) -> bool:
    kind = str(release.table.schema.field(name).type)
    return kind in {"int64", "double"}
