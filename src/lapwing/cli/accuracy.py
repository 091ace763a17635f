"""``lapwing accuracy``: how far an answer strays, except with probability β; proved for all sizes, or refuted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.numbers import probability
from lapwing.cli.targets import (
    NO_MECHANISM,
    limit_option,
    read_settings,
    read_targets,
    set_option,
)
from lapwing.cli.whole_files import write_whole
from lapwing.decide.accuracy import LIMIT, readings
from lapwing.decide.verdict import Verdict
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.accuracy import AccuracyCertificate, AccuracyWitness, write_accuracy
from lapwing.kernel.program import ir, walk
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.symbolic.formulas_of_runs import formula
from lapwing.search.accuracy import standard_conditions
from lapwing.search.accuracy.accuracy_story import proved_condition
from lapwing.search.violation.inaccuracy import Failure
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_file

REFUTED, UNKNOWN = 1, 3
_COLOURS = {"proved": "bold green", "refuted": "bold red", "unknown": "bold yellow"}


@click.command()
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::NAME]...")
@click.option("--condition", help="On the parameters and result; gamma is the margin to be found.")
@click.option("--beta", help="The probability with which the condition may fail.  [default: beta, any]")
@click.option("--gamma", help="A margin above 0: find the probability that goes with it.")
@set_option
@click.option("--certificates", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write them to DIR.")
@click.option("--show", "told", is_flag=True, help="Print each proof, rule by rule.")
@click.option("--exact/--no-exact", default=True, show_default=True, help="Compute exact failures on small inputs.")
@limit_option(LIMIT, "Seconds (of processor time) for each proof.")
@json_option
@click.pass_context
def accuracy(
    context: click.Context,
    targets: tuple[str, ...],
    condition: str | None,
    beta: str | None,
    gamma: str | None,
    settings: tuple[str, ...],
    folder: Path | None,
    told: bool,
    exact: bool,
    limit: float,
    as_json: bool,
) -> None:
    """Derive how accurate each mechanism is, or check what it claims.

    \b
      lapwing accuracy sum.py --condition "abs(result - sum(q)) <= gamma"
      lapwing accuracy noisy_max.py --gamma 30
      lapwing accuracy claims.py --show   what @accurate("...", beta="...") states

    Without a condition and without @accurate, what is usual for the types of the mechanism is tried. gamma is found as
    an expression in the public parameters, for all sizes. Next to a bound stands the exact probability on small inputs,
    so that its looseness is visible.

    Exit codes: 0 all proved, 1 some refuted, 3 some unknown and none refuted, 2 bad input, 130 interrupted,
    70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    given = read_settings(settings)
    console = people(to_stderr=as_json)
    pairs = read_targets(targets, *NO_MECHANISM)
    mechanisms = {(file, name): parse_file(file, only=name)[name] for file, name in pairs}
    for mechanism in mechanisms.values():
        _check_claims(mechanism, condition, beta, gamma)
    _check_settings(given, mechanisms.values())
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    verdicts: set[str] = set()
    for file, name in pairs:
        found = readings(file, name, condition, beta or "beta", gamma, given, exact, limit)
        for number, reading in enumerate(_waiting(found, name), 1):
            verdicts.add(reading.verdict)
            evidence = reading.certificate or reading.witness
            if folder is not None and evidence is not None:
                last = "" if number == 1 else f".{number}"
                write_whole(folder / f"{Path(file).stem}.{name}.accuracy{last}.json", write_accuracy(evidence))
            if as_json:
                emit(reading.to_json())
            _print(reading, mechanisms[file, name], told, console)
    context.exit(REFUTED if "refuted" in verdicts else UNKNOWN if "unknown" in verdicts else 0)


def _check_claims(mechanism: ir.Mechanism, condition: str | None, beta: str | None, gamma: str | None) -> None:
    """Refuse what would not be used: a beta beside a claim with its own, a margin for a condition without one."""
    name = mechanism.name
    if condition is None and mechanism.accuracy:
        if beta is not None:
            remedy = "Leave --beta out, or give a --condition too; an open beta is set with --set beta=0.05"
            raise InvalidInput("U106", f"--beta is not used: {name} states its own with @accurate", remedy)
        claims = mechanism.accuracy
    else:
        texts = [condition] if condition is not None else list(standard_conditions(mechanism)) or ["True"]
        claims = tuple(read_condition(mechanism, text, beta or "beta") for text in texts)
    if gamma is None or mechanism.parameter("gamma") is not None:
        return  # a parameter of that name is refused where the margin is read
    if not any("gamma" in walk.names(claim.condition) for claim in claims):
        said = f"--gamma is not used: the condition of {name} has no gamma"
        raise InvalidInput("U106", said, 'Leave it out, or write one: --condition "abs(result - x) <= gamma"')
    margin = read_condition(mechanism, f"({gamma}) >= 0", "beta").condition
    assert isinstance(margin, ir.Compare)  # noqa: S101  # it was written as one
    if not walk.names(margin.left) and enclosed(margin.left, {}).lower <= 0:
        raise InvalidInput("U105", "--gamma is not above 0", "Give a margin such as 10")


def _waiting(found: Iterator[Verdict], name: str) -> Iterator[Verdict]:
    """Each verdict, with a word to whoever waits for it."""
    while True:
        with working(f"accuracy of {name}"):
            one = next(found, None)
        if one is None:
            return
        yield one


def _check_settings(given: Mapping[str, object], mechanisms: Iterable[ir.Mechanism]) -> None:
    """Refuse a setting that no mechanism would read; beta may be set where a claim leaves it open."""
    known = {"beta": None}
    for mechanism in mechanisms:
        known |= {each.name: None for each in mechanism.parameters if not each.private}
    for setting in given:
        if setting not in known:
            problem = f"--set {setting[:40]!r} names no public parameter"
            raise InvalidInput("F013", problem, f"Set one of: {', '.join(known)}")


# --- showing ---------------------------------------------------------------------------------------------


def _print(reading: Verdict, mechanism: ir.Mechanism, told: bool, console: Console) -> None:
    verdict = f"[{_COLOURS[reading.verdict]}]{reading.verdict}[/]"
    console.print(f"[bold]{escape(reading.function)}[/] [dim]{escape(reading.file)}:{reading.line}[/]")
    if reading.verdict == "unknown":
        about = f" {reading.condition}" if reading.condition else ""
        console.print(f"  {verdict}{escape(about)}: {escape(reading.reason or '')}", soft_wrap=True)
        return
    if reading.witness is not None:
        _print_witness(reading, reading.witness, verdict, console)
        return
    parts = walk.nodes(formula(reading.total or "0"))
    open_one = reading.total != reading.beta and any(isinstance(part, ir.Name | ir.Builtin) for part in parts)
    below = ", where that is below 1" if open_one else ""
    given = below + (f", given {', '.join(reading.given)}" if reading.given else "")
    condition = reading.condition
    if reading.certificate is not None:
        condition = proved_condition(reading.certificate, mechanism)
    said = f"{condition} fails with probability at most {reading.total}{given}"
    console.print(f"  {verdict} {escape(said)}", soft_wrap=True)
    if reading.gamma is not None:
        console.print(f"  gamma = {escape(reading.gamma)}", soft_wrap=True)
    if reading.certificate is not None:
        _print_shares(reading.certificate, console)
    _print_exact(reading.exact, reading.private, console)
    if told:
        console.print(escape(reading.story), soft_wrap=True)


def _print_shares(certificate: AccuracyCertificate, console: Console) -> None:
    paid = [each for each in certificate.sites if each.assumed != "nothing"]
    if len(paid) > 1:
        texts = (f"site {each.site}: {each.failure}" + f" x {each.count}" * (each.count != "1") for each in paid)
        console.print(f"  [dim]beta is shared out: {escape('; '.join(texts))}[/]", soft_wrap=True)


def _print_exact(exact: Sequence[Failure], private: frozenset[str], console: Console) -> None:
    if not exact:
        return
    public = {name: value for name, value in exact[0].inputs.items() if name not in private}
    said = ", ".join(f"{name} = {_value(value)}" for name, value in public.items())
    console.print(f"  [dim]exactly, on small inputs{escape(f' with {said}' if said else '')}:[/]", soft_wrap=True)
    table = Table(box=None, padding=(0, 3, 0, 2), header_style="dim")
    for heading in ("n", "bound", "exact failure", "factor", "on"):
        table.add_column(heading, justify="left" if heading == "on" else "right", overflow="fold")
    for each in exact:
        empty = each.bound.lower >= 1  # every probability is at most 1: there is nothing to compare
        factor = "" if each.factor is None or empty else f"{each.factor:.3g}"
        inputs = ", ".join(f"{name} = {_value(value)}" for name, value in each.inputs.items() if name in private)
        n = "" if each.n is None else str(each.n)
        bound = "1 or more" if empty else probability(each.bound)
        table.add_row(n, bound, probability(each.exact), factor, escape(inputs))
    console.print(table)
    if all(each.bound.lower >= 1 for each in exact):
        console.print("  [yellow]a bound of 1 or more says nothing: a larger gamma gives less[/]", soft_wrap=True)


def _print_witness(reading: Verdict, witness: AccuracyWitness, verdict: str, console: Console) -> None:
    console.print(f"  {verdict} {escape(reading.statement or '')}", soft_wrap=True)
    inputs = ", ".join(f"{name} = {_value(value)}" for name, value in {**witness.inputs, **witness.given}.items())
    console.print(f"  on {escape(inputs)}", soft_wrap=True)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(each) for each in value)}]"
    return str(value)
