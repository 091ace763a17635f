"""The report of a plan as one page of HTML: it needs no script, no network and no other file.

The one idea: what is on the page was paid for. Answers and their ±, prices, and the certificates that anybody can save
and check; nothing else is known here.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lapwing.session.charts import charts
from lapwing.session.release import Release
from lapwing.session.rendering import amounts, percent, shown

if TYPE_CHECKING:
    from lapwing.session.reporting import Report

#: Longer tables are shown in part; the data of the report have all of it.
_MOST_ROWS = 500
_STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d2421; --quiet: #5b6661; --line: #d9dcd6; --bar: #7fb3a3;
  --green: #1f6f5c; }
@media (prefers-color-scheme: dark) { :root { --paper: #131816; --ink: #e7ebe8; --quiet: #9aa7a1; --line: #33403b;
  --bar: #3f7d6d; --green: #6cc3a9; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 0 auto; padding: 1rem; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-size: .85rem; } .number { text-align: right; white-space: nowrap; }
.quiet { color: var(--quiet); font-size: .9rem; } a { color: var(--green); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 6px; padding: .6rem;
  font-size: .9rem; }
figure { margin: 1rem 0; } figcaption { font-weight: 600; }
.chart { width: 100%; max-width: 40rem; height: auto; display: block; } .chart .bar { fill: var(--bar); }
.chart .faint { fill: var(--line); } .chart .axis { stroke: var(--quiet); } .chart .whisker { stroke: var(--ink);
  stroke-width: 1.6; } .chart text { fill: var(--ink); font-size: 13px; } .chart .label { text-anchor: end; }
"""


def report_page(report: Report) -> str:
    """The page."""
    parts = zip(report.plan["questions"], report, strict=True)
    sections = "".join(_section(*each, number) for number, each in enumerate(parts, 1))
    when = str(report.receipt.get("time", ""))[:16].replace("T", " ")
    who = html.escape(str(report.receipt.get("analyst", "")))
    whole = _saved(report.to_json(), "report.json", "all answers and certificates as JSON")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Private answers</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>"
        f"<h1>Private answers to {len(report)} {'question' if len(report) == 1 else 'questions'}</h1>"
        f"<p>All together {amounts(report.spent, up=True)}, paid as one charge by {who} on {when} UTC (entry "
        f"{html.escape(str(report.receipt.get('sequence', '')))} of the ledger). Each ± is about the noise, and holds "
        f"with {percent(report.plan['confidence'])} confidence.</p>"
        f"{_prices(report)}{sections}"
        f"<h2>Check it yourself</h2><p>Save {whole} and run <code>lapwing check report.json</code>: what each answer "
        "costs is derived again from its plan, by a small checker that knows nothing of how it was found. With "
        "<code>--source TABLE</code> it is compared with the policy and the ledger, too.</p></body></html>"
    )


def _prices(report: Report) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(str(each['name']))}</td><td>{amounts(each['price'], up=True)}</td>"
        f"<td>{_per_column(each['limits'])}</td>"
        f"<td>{_per_column({name: shown(value, value) for name, value in each['margins'].items() if value})}</td></tr>"
        for each in report.plan["questions"]
    )
    return (
        '<h2>What was planned</h2><div class="scroll"><table><thead><tr><th scope="col">question</th><th scope="col">'
        'price</th><th scope="col">may be off by</th><th scope="col">± planned</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _per_column(found: Mapping[str, object]) -> str:
    if len(found) == 1:
        return html.escape(f"± {next(iter(found.values()))}")
    return html.escape(", ".join(f"{name} ± {value}" for name, value in found.items()))


def _section(question: Mapping[str, Any], release: Release, number: int) -> str:
    pictures = "".join(
        f"<figure><figcaption>{html.escape(each.name)}</figcaption>{each.svg}</figure>"
        for each in charts(release.to_json())
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in release.notes)
    return (
        f"<h2>{html.escape(str(question['name']))}</h2><pre>{html.escape(str(question['query']))}</pre>{pictures}"
        f'<div class="scroll"><table>{"".join(_table(release))}</table></div>'
        f'<p class="quiet">{amounts(release.spent, up=True)} · '
        f"{_saved(release.to_json(), f'answer-{number}.json', 'answer and certificate')}</p>"
        + (f'<ul class="quiet">{notes}</ul>' if notes else "")
    )


def _table(release: Release) -> Iterator[str]:
    yield f"<thead><tr>{''.join(_heads(release))}</tr></thead><tbody>"
    rows = zip(release.table.to_pylist()[:_MOST_ROWS], release.margins.to_pylist()[:_MOST_ROWS], strict=True)
    for values, margins in rows:
        yield f"<tr>{''.join(_cells(release, values, margins))}</tr>"
    yield "</tbody>"
    if len(release) > _MOST_ROWS:
        yield f"<caption>{len(release) - _MOST_ROWS:,} more rows are in the saved answer</caption>"


def _heads(release: Release) -> Iterator[str]:
    for name in release.columns:
        kind = ' class="number"' if release.has_margins(name) else ""
        yield f'<th scope="col"{kind}>{html.escape(name)}</th>'
        if release.has_margins(name):
            yield '<th scope="col" class="number">± noise</th>'


def _cells(release: Release, values: Mapping[str, object], margins: Mapping[str, Any]) -> Iterator[str]:
    for name in release.columns:
        margin = margins[name]
        kind = ' class="number"' if release.has_margins(name) else ""
        yield f"<td{kind}>{html.escape(shown(values[name], margin))}</td>"
        if release.has_margins(name):
            yield f'<td class="number quiet">{"not known" if margin is None else shown(margin, margin)}</td>'


def _saved(content: object, name: str, words: str) -> str:
    """A link that saves what is on the page as a file."""
    data = base64.b64encode(json.dumps(content).encode()).decode()
    return f'<a download="{name}" href="data:application/json;base64,{data}">{words}</a>'
