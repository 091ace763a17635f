"""Every typing rule against its fixture: what it accepts, with the facts derived, and what it refuses, and where."""

import re
from pathlib import Path

import pytest

from lapwing.errors import LapwingError
from lapwing.query.prepare import prepare
from tests.query.tables import POLICIES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "corpus" / "sql"
RULES = ROOT / "src" / "lapwing" / "query" / "rules"
BLOCK = re.compile(r"-- (accepted|refused): (.*)\n((?:(?!--).*\n)+?)(?=\n|\Z)")


def blocks():
    for path in sorted(FOLDER.glob("*.sql")):
        text = path.read_text()
        policy = re.search(r"-- policy: (\w+)", text)[1]
        found = BLOCK.findall(text)
        assert len(found) == len(re.findall(r"-- (?:accepted|refused):", text)), path.name
        for number, (verdict, expected, sql) in enumerate(found, 1):
            yield pytest.param(policy, verdict, expected, sql.strip().removesuffix(";"), id=f"{path.stem}-{number}")


def facts(query):
    """The measurements of a query in short: what, range, and how a person's rows are bounded."""
    found = []
    for each in query.aggregate.measurements:
        words = [each.function.value]
        if each.low is not None:
            words.append(f"{float(each.low):g}..{float(each.high):g}")
        if each.fraction is not None:
            words.append(f"at {each.fraction}")
        words.append(f"{each.bounding.value} {each.rows_per_unit}")
        found.append(" ".join(words))
    by = [f"{key.name}({'?' if key.values is None else len(key.values)})" for key in query.aggregate.keys]
    return "; ".join(found or ["nothing"]) + (f" by {', '.join(by)}" if by else "")


@pytest.mark.parametrize(("policy", "verdict", "expected", "sql"), list(blocks()))
def test_fixture(policy, verdict, expected, sql):
    if verdict == "accepted":
        assert facts(prepare(sql, POLICIES[policy])) == expected
        return
    with pytest.raises(LapwingError) as refusal:
        prepare(sql, POLICIES[policy])
    first = str(refusal.value).splitlines()[0]
    place = re.search(r"[(](\d+:\d+)[)]", first)[1]
    assert f"{refusal.value.code} {place}" == expected


def test_every_rule_has_its_fixture():
    # no SQL asks for what was cut: --cut does, and tests/session/test_cutting.py holds it
    rules = {path.stem for path in RULES.glob("*.py")} - {"__init__", "cut"}
    assert rules - {path.stem for path in FOLDER.glob("*.sql")} == set()


def test_every_fixture_accepts_and_refuses():
    for path in FOLDER.glob("*.sql"):
        assert {verdict for verdict, _, _ in BLOCK.findall(path.read_text())} == {"accepted", "refused"}, path.name
