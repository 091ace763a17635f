"""Reads the corpus: every program with the truth written in its ``#:`` lines (grammar in corpus/README.md)."""

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from lapwing.source.parse import mechanism_names

ROOT = Path(__file__).resolve().parents[1] / "corpus"
_EXPECT = re.compile(r"refuted n=(?P<n>\d+)(?: given (?P<given>\w+=\S+(?: \w+=\S+)*?))? growth (?P<growth>.+)")


@dataclass(frozen=True)
class Program:
    """One program of the corpus."""

    path: Path
    mechanism: str
    verdict: str
    example: dict
    #: of proved programs: the bound, as text
    bound: str | None = None
    #: of refuted programs: from how many elements on, with which public parameters, by which law
    smallest: int | None = None
    given: dict = field(default_factory=dict)
    growth: str | None = None
    needs: str | None = None

    @property
    def label(self):
        return f"{self.path.parent.name}/{self.path.stem}"


def read(path):
    text = path.read_text()
    lines = dict(line[3:].split(maxsplit=1) for line in text.splitlines() if line.startswith("#: "))
    names = mechanism_names(text)
    mechanism = lines.get("mechanism", names[-1] if len(names) == 1 else None)
    assert mechanism in names, f"{path}: say which mechanism is meant"
    verdict, rest = lines["expect"].split(maxsplit=1)
    assert verdict == path.parent.name, f"{path}: stands in the wrong folder"
    common = {
        "path": path,
        "mechanism": mechanism,
        "verdict": verdict,
        "example": json.loads(lines["example"]),
        "needs": lines.get("needs"),
    }
    if verdict == "proved":
        return Program(**common, bound=rest)
    found = _EXPECT.fullmatch(lines["expect"])
    assert found, f"{path}: not in the grammar"
    pairs = (pair.split("=") for pair in (found["given"] or "").split())
    given = {name: Fraction(value) for name, value in pairs}
    return Program(**common, smallest=int(found["n"]), given=given, growth=found["growth"])


def programs(verdict="*"):
    """Every program with a claim of privacy, or those of one verdict, in order."""
    folders = ("proved", "refuted", "unknown")
    return [read(path) for path in sorted(ROOT.glob(f"{verdict}/*.py")) if path.parent.name in folders]
