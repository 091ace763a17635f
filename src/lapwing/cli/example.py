"""``lapwing example``: a bundled table, a plan for one, or programs with known verdicts, to try things on."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import click

from lapwing.cli.console import emit, json_option, people
from lapwing.errors import InvalidInput

#: What is bundled, and what to do with each first.
EXAMPLES = {
    "corpus": "lapwing prove corpus/proved/sparse_vector.py",
    "people": "lapwing protect people.parquet --unit person --epsilon 2 --bounds age=0:100 --bounds income=0:150000 "
    "--keys region=north,east,south,west,coast",
    "visits": "lapwing protect visits.parquet --unit person --rows-per-unit 10 --epsilon 2 --bounds cost=0:1000",
    "wishes": "lapwing plan wishes.toml",
}
#: All others are tables.
FILES = {"corpus": "corpus", "wishes": "wishes.toml"}


@click.command()
@click.argument("name", type=click.Choice(sorted(EXAMPLES)))
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Where to put it.  [default: here]",
)
@json_option
def example(name: str, folder: Path, as_json: bool) -> None:
    """Put a bundled table of made-up people into a folder, to try things on. A file that is there is not overwritten.

    "wishes" is a plan for the table of people, and "corpus" a folder of programs with their true verdicts.

    \b
      lapwing example people
      lapwing example visits --folder /tmp
      lapwing example corpus

    Exit codes: 0 done, 2 bad input, 130 interrupted, 70 a mistake in Lapwing.
    """  # noqa: D301  # click reads \b, the character, as "keep these lines"
    target = folder / FILES.get(name, f"{name}.parquet")
    if target.exists():
        raise InvalidInput("F022", f"{target} is there already", "Use it, or give another --folder")
    try:
        if name == "corpus":
            shutil.copytree(_corpus(), target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            with resources.as_file(resources.files("lapwing") / "data" / target.name) as source:
                shutil.copyfile(source, target)
    except OSError:
        raise InvalidInput("F003", f"{target} cannot be written", "Give a --folder that you may write to") from None
    if as_json:
        emit({"name": name, "path": str(target)})
    console = people(to_stderr=as_json)
    console.print(f"wrote {target}; now, say:", soft_wrap=True)
    console.print(f"  {EXAMPLES[name]}", soft_wrap=True, highlight=False)


def _corpus() -> Path:
    """The programs: in the package, or beside the sources of a clone."""
    package = Path(str(resources.files("lapwing")))
    bundled = package / "data" / "corpus"
    return bundled if bundled.is_dir() else package.parents[1] / "corpus"
