"""``lapwing feasible``: which secrets agree with what was seen, how much it tells, how fast guessing shrinks them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lapwing.algebra.exact import exact
from lapwing.cli import pictures
from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.numbers import answer, probability
from lapwing.cli.targets import Target, fitting, read_target, read_value
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.flow import NEVER
from lapwing.kernel.evidence.values import Value, value_to_json
from lapwing.kernel.evidence.witness import interval_to_json
from lapwing.kernel.flow.runs import settled
from lapwing.kernel.flow.visibility import policy
from lapwing.kernel.run.inputs import public as fitted
from lapwing.search.flow.attack import Asked, Attack, Effort, efforts
from lapwing.search.flow.feasible import Domain, Feasible, Secret, hidden, missing_domain, secrets
from lapwing.search.flow.feasible import feasible as compute
from lapwing.search.flow.paths import formula

#: Questions asked unless told otherwise, bars and secrets shown, and the widest bar.
GUESSES, ROWS, WIDTH = 20, 24, 50
#: Bits of the largest secret in the table of efforts: the work grows with the square of the number of secrets.
MOST_BITS = 10

_LARGE = re.compile(r"(?=.*\d{10})-?\d+:-?\d+(?:\^\d{1,2})?")
_DOMAIN = re.compile(r"(-?\d{1,9}):(-?\d{1,9})(?:\^(\d{1,2}))?")


@click.command()
@click.argument("target", metavar="PATH::NAME")
@click.option("--public", "settings", multiple=True, metavar="NAME=VALUE", help="What is known of the inputs.")
@click.option("--observe", metavar="VALUE", help="The result that was seen; 'never' for a run that does not end.")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="NAME=LOW:HIGH",
    help="Whole numbers that a secret may be; LOW:HIGH^4 for lists of 4.",
)
@click.option("--attack", metavar="NAME=LOW:HIGH", help="Ask again and again, choosing this public parameter.")
@click.option(
    "--guesses", type=click.IntRange(1, 100_000), default=GUESSES, show_default=True, help="Questions to ask."
)
@click.option("--bits", metavar="FROM:TO", help="With --attack: what secrets of so many bits take, counted.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="With --attack: draw |Ω| to FILE.")
@json_option
def feasible(
    target: str,
    settings: tuple[str, ...],
    observe: str | None,
    domains: tuple[str, ...],
    attack: str | None,
    guesses: int,
    bits: str | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """The feasible set: all secrets that agree with what was seen.

    \b
      lapwing feasible pin.py --public guess=1234 --observe false \\
          --domain pin=0:10000
      lapwing feasible pin.py --domain pin=0:10000 --attack guess=0:10000
      lapwing feasible pin.py --attack guess=0:2 --bits 1:8

    Finite domains are counted, with the leakage of one run under a uniform prior: by min-entropy (how much easier
    the secret is to guess) and by Shannon (how many bits the result says about it). Without any domain the set
    is described as a formula over the secrets. --attack plays an attacker who picks each question well, against the
    worst secret; --bits counts the questions and the match evaluations over all secrets of each size (Theorem 1 of
    Volpano and Smith: with match alone they are exponentially many).

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    if plot is not None:
        pictures.prepare(plot)
    found = read_target(target)
    given = {name: _domain(text, f"--domain {name}") for name, text in _pairs("--domain", domains).items()}
    _check_names(found, given)
    guess = None if attack is None else _attack(attack)
    public = _public(found, settings, None if guess is None else guess[0])
    if observe is None and guess is None:
        raise InvalidInput("W129", "nothing was observed and nothing is asked", "Give --observe VALUE, or --attack")
    if plot is not None and (guess is None or (bits is not None and not given)):
        raise InvalidInput("W129", "there is no shrinking set to draw", "Give --attack and --domain with --plot")
    console = people(to_stderr=as_json)
    result: dict[str, object] = {"function": found.mechanism.name, "file": found.file}
    with working("running every secret"):
        if observe is not None:
            result |= _observed(found, public, observe, given, console)
        if guess is not None:
            result |= _attacked(found, public, guess, given, guesses, bits, plot, console)
    if as_json:
        emit(result)
    if plot is not None:
        people(to_stderr=True).print(f"picture written to {escape(str(plot))}")


# --- reading ---------------------------------------------------------------------------------------------


def _pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, separator, value = (part.strip() for part in word.partition("="))
        if not separator or not name.isidentifier() or name in found:
            problem = f"{option} {word[:40]!r} is not NAME=VALUE, or gives a name twice"
            raise InvalidInput("W130", problem, f"Write each name once: {option} x=1")
        found[name] = value
    return found


def _domain(text: str, option: str) -> Domain:
    said = f"{option} {text[:40]!r}"
    if _LARGE.fullmatch(text):
        raise InvalidInput("W130", f"{said} is too large to count", "Give ends of at most 9 digits")
    parts = _DOMAIN.fullmatch(text)
    if parts is None:
        raise InvalidInput("W130", f"{said} is no range of whole numbers", "Write LOW:HIGH, such as 0:10000")
    if int(parts[1]) >= int(parts[2]):
        raise InvalidInput("W130", f"{said} is empty: its low end is not below its high end", "Swap the two ends")
    return Domain(int(parts[1]), int(parts[2]), None if parts[3] is None else int(parts[3]))


def _check_names(target: Target, domains: Mapping[str, Domain]) -> None:
    names = [parameter.name for parameter in hidden(target.mechanism)]
    for name in domains:
        if name not in names:
            known = ", ".join(names) or "none"
            raise InvalidInput(
                "W131", f"'{name[:40]}' is not a hidden parameter of {target.mechanism.name}", f"Hidden: {known}"
            )


def _attack(text: str) -> tuple[str, Domain]:
    ((name, span),) = _pairs("--attack", [text]).items()
    return name, _domain(span, f"--attack {name}")


def _public(target: Target, settings: Sequence[str], guess: str | None) -> dict[str, Value]:
    """Every visible parameter but the one that an attacker chooses."""
    labels = policy(target.mechanism)
    needed = {name for name in labels.labels if labels.visible(name) and name != guess}
    given = _pairs("--public", settings)
    for name in (*given, *needed):
        if name not in needed or name not in given:
            problem = f"'{name[:40]}' is {'missing' if name in needed else 'no visible parameter'}"
            wanted = " ".join(f"--public {each}=…" for each in sorted(needed)) or "no --public"
            raise InvalidInput("W131", problem, f"Give {wanted}")
    values = {name: _value(text, f"--public {name}") for name, text in given.items()}
    return {name: settled(value) for name, value in fitting(target.mechanism, values).items()}


def _value(text: str, option: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return read_value(text, option) if text.startswith(("[", "{")) else exact(text, option)


# --- what was observed -----------------------------------------------------------------------------------


def _observed(
    target: Target, public: Mapping[str, Value], text: str, domains: Mapping[str, Domain], console: Console
) -> dict[str, object]:
    mechanism = target.mechanism
    seen: Value | None = None
    if text.strip() != NEVER:
        seen = settled(fitted(_value(text.strip(), "--observe"), mechanism.returns, "--observe"))
    names = tuple(parameter.name for parameter in hidden(mechanism))
    inputs = ", ".join(f"{name} = {answer(value)}" for name, value in public.items())
    shown = "no answer ever" if seen is None else answer(seen)
    title = f"[bold]{escape(mechanism.name)}[/]: Ω({escape(inputs) or '·'}; {escape(shown)})"
    if missing_domain(mechanism, domains) is not None and seen is not None and not domains:
        described = formula(mechanism, public, seen)
        console.print(title, soft_wrap=True)
        console.print(f"  {escape(' and '.join(names))} such that [bold]{escape(described)}[/]", soft_wrap=True)
        return {"observed": value_to_json(seen), "formula": described}
    result = compute(target.module, mechanism.name, public, seen, secrets(mechanism, domains))
    described = _described(result)
    console.print(title, soft_wrap=True)
    console.print(
        f"  [bold]{len(result.agreeing)}[/] of {result.secrets} secrets agree: {escape(described)}", soft_wrap=True
    )
    table = Table(box=None, padding=(0, 3, 0, 0), show_header=False)
    left = result.left
    rows = [
        ("uncertainty before", f"{probability(result.prior)} bits"),
        ("uncertainty now", "none: it cannot happen" if left is None else f"{probability(left)} bits (min-entropy)"),
        ("one run tells", f"{probability(result.shannon)} bits on average (Shannon)"),
        (
            "",
            f"log2({result.vulnerability}) = {probability(result.min_entropy_leakage)} bits at most (min-entropy)",
        ),
        ("answers possible", str(result.answers)),
    ]
    for row in rows:
        table.add_row(*row)
    console.print(table)
    if not result.certain:
        _likelihoods(result, console)
    return {
        "observed": NEVER if seen is None else value_to_json(seen),
        "secrets": result.secrets,
        "feasible": len(result.agreeing),
        "set": described,
        "prior_bits": interval_to_json(result.prior),
        "remaining_bits": None if left is None else interval_to_json(left),
        "shannon_leakage": interval_to_json(result.shannon),
        "min_entropy_leakage": interval_to_json(result.min_entropy_leakage),
        "vulnerability": str(result.vulnerability),
        "answers": result.answers,
    }


def _described(result: Feasible) -> str:
    """The set in short: ranges of one number, or its first elements."""
    found = sorted(result.agreeing)
    if len(result.names) == 1 and all(isinstance(secret[0], Fraction) for secret in found):
        runs: list[list[Fraction]] = []
        for (number,) in found:
            if isinstance(number, Fraction) and runs and runs[-1][-1] + 1 == number:
                runs[-1][1:] = [number]
            elif isinstance(number, Fraction):
                runs.append([number])
        parts = [answer(run[0]) if len(run) == 1 else f"{answer(run[0])}…{answer(run[-1])}" for run in runs]
        return f"{result.names[0]} in {_first(parts)}" if parts else "none"
    return _first([_named(result.names, secret) for secret in found]) or "none"


def _first(parts: Sequence[str]) -> str:
    return ", ".join(parts[:8]) + (f", and {len(parts) - 8} more" if len(parts) > 8 else "")


def _named(names: Sequence[str], secret: Secret) -> str:
    return " ".join(f"{name} = {answer(value)}" for name, value in zip(names, secret, strict=True))


def _likelihoods(result: Feasible, console: Console) -> None:
    """With noise the set alone says too little: some of its secrets are likelier than others."""
    total = sum(result.agreeing.values(), Fraction(0))
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for heading in ("secret", "P(seen | secret)", "P(secret | seen)"):
        table.add_column(heading, overflow="fold")
    ranked = sorted(result.agreeing.items(), key=lambda item: -item[1])
    for secret, chance in ranked[:ROWS]:
        table.add_row(escape(_named(result.names, secret)), str(chance), str(chance / total))
    console.print(table)


# --- the attacker ----------------------------------------------------------------------------------------


def _attacked(
    target: Target,
    public: Mapping[str, Value],
    guess: tuple[str, Domain],
    domains: Mapping[str, Domain],
    guesses: int,
    bits: str | None,
    plot: Path | None,
    console: Console,
) -> dict[str, object]:
    name, span = guess
    attacker = Attack(target.module, target.mechanism.name, name, span.low, span.high, public)
    result: dict[str, object] = {}
    if bits is not None:
        table = efforts(attacker, _one_secret(target), _bits(bits))
        _effort_table(table, console)
        result["efforts"] = [_effort_json(each) for each in table]
    if bits is None or domains:
        domain = secrets(target.mechanism, domains)
        asked = attacker.shrinking(domain, guesses)
        _bars(len(domain), asked, console)
        result["shrinking"] = [len(domain), *(each.left for each in asked)]
        result["guesses"] = [each.guess for each in asked]
        if plot is not None:
            _draw(target.mechanism.name, [len(domain), *(each.left for each in asked)], plot)
    return result


def _one_secret(target: Target) -> str:
    names = [parameter.name for parameter in hidden(target.mechanism)]
    if len(names) != 1:
        raise InvalidInput("W131", f"{target.mechanism.name} hides {len(names)} parameters", "--bits needs exactly one")
    return names[0]


def _bits(text: str) -> range:
    parts = re.fullmatch(r"(\d{1,2})(?::(\d{1,2}))?", text.strip())
    low, high = (int(parts[1]), int(parts[2] or parts[1])) if parts is not None else (0, 0)
    if not 1 <= low <= high <= MOST_BITS:
        raise InvalidInput("W130", f"--bits {text[:40]!r} is not in 1:{MOST_BITS}", "Write FROM:TO, such as 1:8")
    return range(low, high + 1)


def _effort_table(table: Sequence[Effort], console: Console) -> None:
    console.print("questions, and matches evaluated, to find any secret; the least worst case of all strategies")
    shown = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for heading in ("bits", "worst", "mean", "worst matches", "mean", "best possible"):
        shown.add_column(heading, justify="right")
    for each in table:
        cells = (each.worst, each.mean, each.worst_matches, each.mean_matches)
        words = ["never" if cell is None else f"{float(cell):.6g}" for cell in cells]
        shown.add_row(str(each.bits), *words, "" if each.least is None else str(each.least))
    console.print(shown)


def _effort_json(effort: Effort) -> dict[str, object]:
    return {
        "bits": effort.bits,
        "worst": effort.worst,
        "mean": None if effort.mean is None else str(effort.mean),
        "worst_matches": effort.worst_matches,
        "mean_matches": None if effort.mean_matches is None else str(effort.mean_matches),
        "least_worst": effort.least,
    }


def _bars(start: int, asked: Sequence[Asked], console: Console) -> None:
    """|Ω| after each question, as bars."""
    console.print(f"[bold]|Ω|[/] before: {start}; the worst secret, question by question")
    for place, each in enumerate(asked[:ROWS], 1):
        bar = "█" * max(1, round(WIDTH * each.left / start))
        got = "never ends" if each.answer is None else answer(each.answer)
        console.print(
            f"  {place:>4}  {bar:<{WIDTH}} {each.left:>7}   [dim]{each.guess} → {escape(got)}[/]", soft_wrap=True
        )
    if len(asked) > ROWS:
        console.print(f"  [dim]… and {len(asked) - ROWS} more questions, after which {asked[-1].left} are left[/]")
    left = asked[-1].left if asked else start
    found = "the secret is found" if left == 1 else f"{left} of {start} secrets are left"
    console.print(f"  after {len(asked)} questions {found}" if asked else "  no question tells anything")


def _draw(name: str, sizes: Sequence[int], file: Path) -> None:
    from matplotlib.figure import Figure  # here, so that only --plot needs the extra

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.bar(range(len(sizes)), sizes, color=pictures.ACCENT, width=0.8)
    axes.set_title(f"{name}: secrets that still agree with every answer", color=pictures.INK, loc="left")
    axes.set_xlabel("questions asked")
    axes.set_ylabel("|Ω|")
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.annotate(str(sizes[-1]), (len(sizes) - 1, sizes[-1]), ha="center", va="bottom", color=pictures.INK)
    pictures.save(figure, file)
