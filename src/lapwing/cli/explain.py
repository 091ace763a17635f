"""``lapwing explain``: the plan of a query as a tree, with what one person can change at each node."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.tree import Tree

from lapwing.cli.console import emit, json_option, people
from lapwing.cli.question_options import analyst_option, opened, read_sql
from lapwing.query.explain import Node


@click.command()
@click.argument("source")
@click.argument("sql")
@analyst_option
@json_option
def explain(source: str, sql: str, analyst: str | None, as_json: bool) -> None:
    """Show how a query was understood: its plan, the rule at each node, and what one person can change there.

    Nothing is charged and no data is read.

    Exit codes: 0 done, 2 the query is refused, 130 interrupted, 70 a mistake in Lapwing.
    """
    with opened(source, analyst) as session:
        plan = session.explain(read_sql(sql))
    if as_json:
        emit(_json(plan))
    people(to_stderr=as_json).print(_tree(plan))


def _tree(node: Node, parent: Tree | None = None) -> Tree:
    facts = "".join(f"\n[dim]{escape(fact)}[/]" for fact in node.facts)
    label = f"[bold]{escape(node.label)}[/]{facts}"
    branch = Tree(label) if parent is None else parent.add(label)
    for child in node.children:
        _tree(child, branch)
    return branch


def _json(node: Node) -> dict[str, object]:
    return {"node": node.label, "facts": list(node.facts), "children": [_json(child) for child in node.children]}
