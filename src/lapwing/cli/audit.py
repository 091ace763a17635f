"""``lapwing audit``: attack a callable, or our own pipeline on made-up tables, and show what was found."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import click
from rich.markup import escape

from lapwing.audit import attack_steps, awkward
from lapwing.audit.audit_function import ABSENT, SECONDS
from lapwing.audit.finding import REFUTED, TOO_FEW, Finding
from lapwing.audit.neighbouring_inputs import Pair, pairs_of
from lapwing.audit.pair_attack import Claim, Listener, Progress
from lapwing.audit.report import report
from lapwing.cli import pictures
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.question_options import read_sql
from lapwing.cli.whole_files import write_whole
from lapwing.errors import InvalidInput

EXITS = {REFUTED: 1, TOO_FEW: 3}
#: Seconds between two looks at the bound so far.
EVERY = 1.0


@click.command()
@click.argument("target", metavar="MODULE:FUNCTION|SOURCE")
@click.argument("sql", required=False)
@click.option("--epsilon", required=True, metavar="E", help="The claim: the price that is asked for it.")
@click.option("--delta", default="0", metavar="D", show_default=True, help="The claim's delta.")
@click.option("--left", metavar="JSON", help="One input. NaN and Infinity may be written.")
@click.option("--right", metavar="JSON", help="The neighbouring input.")
@click.option("--inputs", metavar="MODULE:PAIRS", help="Pairs of inputs: a list, a generator or a Hypothesis strategy.")
@click.option("--like", metavar="FILE", help="Make up tables from this policy (NAME.lapwing.toml).")
@click.option(
    "--neighbours",
    type=click.Choice(sorted(awkward.RELATIONS)),
    help="One row more or fewer, or one row changed; without inputs, awkward lists of numbers are made up.",
)
@click.option("--within", metavar="D", help="Make up numbers that differ by at most D, for a function of one number.")
@click.option("--bounds", metavar="LO:HI", help="The range of made-up numbers.")
@click.option(
    "--outside", is_flag=True, help="Make up what lies outside --bounds or the policy, too: it is said to be cut off."
)
@click.option(
    "--by", type=click.Choice(["unit", "row"]), default="unit", help="With --like: who is one more or changed."
)
@click.option("--no-nan", is_flag=True, help="Make up no NaN and no infinities.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=JSON", help="A keyword for every run, such as epsilon=1."
)
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=SECONDS, show_default=True)
@click.option("--confidence", default="0.999", show_default=True, help="How sure a refutation is.")
@click.option("--squeeze", is_flag=True, help="Use all the time, for the largest bound.")
@click.option("--no-replay", is_flag=True, help="Do not replace randomness for a look at what the two inputs change.")
@click.option("--seed", type=int, help="Which inputs are tried; never the noise.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the answers and the event to FILE.")
@click.option("--finding", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the finding to FILE.")
@json_option
@click.pass_context
def audit(
    context: click.Context,
    target: str,
    sql: str | None,
    epsilon: str,
    delta: str,
    left: str | None,
    right: str | None,
    inputs: str | None,
    like: str | None,
    neighbours: str | None,
    within: str | None,
    bounds: str | None,
    outside: bool,
    by: str,
    no_nan: bool,
    settings: tuple[str, ...],
    seconds: float,
    confidence: str,
    squeeze: bool,
    no_replay: bool,
    seed: int | None,
    plot: Path | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Attack a callable, ours or anybody's, and say with certainty how private it is not.

    \b
      lapwing audit wards:mean --epsilon 1 --left '[0.0]' --right '[0.0, 1.0]'
      lapwing audit wards:mean --epsilon 1 --neighbours replaced --bounds 0:1
      lapwing audit wards:mean --epsilon 1 --finding f.json; lapwing check f.json
      lapwing audit people.lapwing.toml "SELECT COUNT(*) FROM people" --epsilon 1

    The callable is run on two neighbouring inputs, thousands of times. An event that should tell them apart is chosen
    on some runs and bet on with others; what is won against the claim is evidence against it, whenever one stops, so
    Ctrl-C prints the bound so far. The audited module is imported and run: do not audit code that you would not run.

    With a policy and SQL, tables are made up from the policy, and no row of real data is read.

    Exit codes: 0 nothing found (which proves nothing), 1 refuted, 2 bad input, 3 could not have refuted (too few runs,
    only exceptions, or answers that cannot be looked into), 130 interrupted after the bound so far was printed, 70 a
    mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    _check_files(plot, file)
    claim = attack_steps.claim_of(epsilon, delta, confidence)
    keywords = dict(_setting(each) for each in settings)
    with working(f"auditing {target}") as say:
        listen = _listener(say)
        if sql is not None:
            found = _pipeline(target, read_sql(sql), claim, seconds, squeeze, seed, listen)
        else:
            function = _attribute(target)
            attack_steps.check_callable(function, None, seconds)
            work = attack_steps.Work(function, None, claim, seconds, squeeze, seed, target, listen, keywords)  # type: ignore[arg-type]  # callable, as was seen
            made = _Made(like, within, neighbours, bounds, outside, by == "row", not no_nan)
            pairs = _pairs(work, left, right, inputs, made)
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):  # thousands of runs may print
                found = attack_steps.whole(work, pairs, replay=not no_replay, twin=None, scale=None)
            found = found.showing(again=_again(target, found, neighbours, settings, epsilon, delta))
    _show(found, as_json)
    if plot is not None:
        pictures.save(pictures.audit_histograms(found), plot)
        people(to_stderr=True).print(f"picture written to {escape(str(plot))}")
    if file is not None:
        write_whole(file, json.dumps(found.to_json(), indent=1, ensure_ascii=False) + "\n")
        people(to_stderr=True).print(f"finding written to {escape(str(file))}")
    context.exit(1 if found.refuted else EXITS.get(found.verdict, 0))


def _check_files(plot: Path | None, file: Path | None) -> None:
    """Refuse files that could not be written, before any work is done."""
    if plot is not None:
        pictures.prepare(plot)
    if file is not None and not file.parent.is_dir():
        raise InvalidInput("F003", f"there is no folder {file.parent}", "Create it first")


def _show(found: Finding, as_json: bool) -> None:
    if as_json:
        emit(found.to_json())
    people(to_stderr=as_json).print(escape(report(found)), soft_wrap=True)


def _listener(say: Callable[[str], None]) -> Listener:
    bound, computed = 0.0, 0.0

    def heard(progress: Progress) -> None:
        nonlocal bound, computed
        if time.monotonic() >= computed + EVERY:
            bound, computed = progress.at_least(), time.monotonic()
        rate = f", {progress.rate:,.0f} pairs/s" if progress.rate else ""
        so_far = f", at least {bound:.3g} so far against {progress.claim:.3g}" if progress.event else ""
        say(f"{progress.phase}, {progress.pairs:,} pairs{rate}{so_far}, {progress.seconds_left:.0f} s left")

    return heard


# --- what is attacked ----------------------------------------------------------------------------------------


def _attribute(target: str) -> object:
    """What ``MODULE:NAME`` or ``FILE.py:NAME`` means."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name or place.endswith(":"):
        raise InvalidInput("Y213", f"{target!r} names no function", "Write MODULE:FUNCTION or FILE.py:FUNCTION")
    found: object = _module(place)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InvalidInput("Y213", f"there is no {name!r} in {place}", "Correct its name") from None
        except (Exception, SystemExit) as error:  # a module or a class may compute its attributes
            problem = f"{name!r} in {place} cannot be had: it raised {type(error).__name__}"
            raise InvalidInput("Y213", problem, "Try it with python first") from None
    return found


def _module(place: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        if place.endswith(".py"):
            return _from_file(Path(place))
        return importlib.import_module(place)
    except ImportError as error:
        raise InvalidInput("Y214", f"{place} cannot be imported: {error}", "Correct its name, or install it") from None
    except (Exception, SystemExit) as error:  # the module's own code failed, or left
        problem = f"{place} cannot be imported: it raised {type(error).__name__}"
        raise InvalidInput("Y214", problem, "Import it with python first") from None


def _from_file(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file) if file.is_file() else None
    if spec is None or spec.loader is None:
        raise InvalidInput("Y214", f"there is no file {str(file)!r}", "Correct its path")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # as an import would: dataclasses and pickles look their module up
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True)
class _Made:
    """What inputs are made up from."""

    like: str | None
    within: str | None
    neighbours: str | None
    bounds: str | None
    outside: bool
    by_row: bool
    nan: bool


def _pairs(
    work: attack_steps.Work, left: str | None, right: str | None, inputs: str | None, made: _Made
) -> list[Pair] | None:
    given = [left is not None or right is not None, inputs is not None, made.like is not None, made.within is not None]
    if sum(given) > 1:
        remedy = "Give --left and --right, or --inputs, or --like, or --within"
        raise InvalidInput("Y201", "inputs are given in two ways", remedy)
    if inputs is not None:
        return pairs_of(_attribute(inputs), work.seed)
    if made.like is not None:
        from lapwing.audit.made_up_tables import table_pairs  # a policy brings dates and tables along

        ways = {"outside": made.outside, "by_row": made.by_row}
        return table_pairs(work.function, made.like, made.neighbours, work.seed, **ways)
    ends = None if made.bounds is None else _ends(made.bounds)
    if made.within is not None:
        return awkward.within(made.within, *(ends or (None, None)))
    if not any(given) and made.neighbours is not None:
        return attack_steps.made_up(work.function, made.neighbours, work.seed, ends, nan=made.nan, outside=made.outside)
    if not any(given) and attack_steps.is_readable(work.function):
        return None
    one, two = (
        ABSENT if text is None else _input(text, option) for text, option in ((left, "--left"), (right, "--right"))
    )
    return attack_steps.pairs_given(work.function, ABSENT, one, two, made.neighbours, "", work.seed)


def _input(text: str, option: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(
            "Y215", f"{option} is not JSON", "Write a value such as '[0.0, 1.0]' or '\"text\"'"
        ) from None


def _setting(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InvalidInput("Y215", f"--set {text!r} is not NAME=VALUE", "Write --set epsilon=1")
    return name, _input(value, f"--set {name}")


def _ends(text: str) -> tuple[str, str]:
    low, colon, high = text.partition(":")
    if not colon:
        raise InvalidInput("Y215", f"--bounds {text!r} is not LO:HI", "Write --bounds 0:1")
    return low, high


def _again(
    target: str, found: Finding, neighbours: str | None, settings: tuple[str, ...], epsilon: str, delta: str
) -> str | None:
    """The command that attacks the same pair again, if its inputs can be written as JSON."""
    pair = found.shown.get("pair")
    if not isinstance(pair, Pair):
        return None
    try:
        sides = [json.dumps(side) for side in (pair.left, pair.right)]
    except (TypeError, ValueError):
        return None
    if max(map(len, sides)) > 400:
        return None
    words = ["lapwing", "audit", target, "--epsilon", epsilon, *(["--delta", delta] if Fraction(found.delta) else [])]
    words += ["--left", sides[0], "--right", sides[1], *(["--neighbours", neighbours] if neighbours else [])]
    words += [word for each in settings for word in ("--set", each)]
    return shlex.join(words)


def _pipeline(
    source: str, sql: str, claim: Claim, seconds: float, squeeze: bool, seed: int | None, listen: Listener
) -> Finding:
    from lapwing.audit.pipeline import audit_query  # an engine takes a moment to load

    return audit_query(source, sql, claim, seconds=seconds, squeeze=squeeze, seed=seed, listen=listen)
