"""The README says how many lines a person has to trust for each thing that Lapwing says; they are counted here."""

import ast
import re

import pytest

from tests.house.counting import (
    CHECKER,
    ENGINES,
    ENTRIES,
    HOUSE,
    METHODS,
    NOT_TRUSTED,
    ROOT,
    answered_by,
    code_lines,
    imports,
    reached,
    resting_on,
    trusted_lines,
)

#: The README may say a rounded figure, not a wrong one.
TOLERANCE = 0.03
ROW = re.compile(r"^\| \*([\w ]+)\* \|[^|]*\| ([\d,]+) \|$", re.MULTILINE)
BY_ENGINE = re.compile(r"^\| (\w+) \| ([\d,]+) \|$", re.MULTILINE)
BY_METHOD = re.compile(r"^\| `(\w+)`[^|]* \| ([\d,]+) \|$", re.MULTILINE)
#: No more than this, whatever the README says.
MOST = {"a SQL answer": 9_280}
#: Code lines of a room, and of the whole house. A new rule may raise them, and says so; to be lowered as they shrink.
SIZES = {"kernel": 19_830, ".": 74_700}
#: What alone may be called where the data, or the budget, is touched; the ledger's and the engines' own files aside.
LOOKING = {"fetch", "redeem", "charge"}


def names(what):
    return names_of(reached(ENTRIES[what]))


def names_of(paths):
    return {path.relative_to(HOUSE).as_posix() for path in paths}


def test_lines_are_counted_without_what_is_not_code(tmp_path):
    (tmp_path / "a.py").write_text(
        '"""Two\nlines."""\n\n# why\nx = (\n    1,  # one\n)\n\n\ndef f():\n    """One."""\n    return x\n'
    )
    assert code_lines(tmp_path / "a.py") == 5


def test_what_is_trusted_is_what_is_reached():
    assert {
        "kernel/relational/lockstep.py",
        "kernel/folds/release_prices.py",
        "kernel/prices/prices.py",
        "kernel/program/printer.py",
    } <= names("proved")
    assert not names("proved") & {"kernel/distribution/all_states.py", "source/parse.py", "kernel/run/draws.py"}
    for what in ("refuted", "flow", "accuracy"):  # no evidence is judged by drawing noise
        assert not names(what) & {"kernel/run/draws.py", "noise/forms.py", "noise/source.py", "noise/laplace.py"}
    answer = names("a SQL answer")
    for name in (
        "ledger/charging.py",
        "engines/duckdb.py",
        "query/lowering/relations.py",
        "kernel/release/release.py",
        "noise/laplace.py",
        "policy/policy_reader.py",
        "session/road.py",
    ):
        assert name in answer, name
    searching = [name for name in answer if name.startswith(("search/", "decide/", "source/", "query/rules/", "cli/"))]
    assert not searching, f"an answer would rest on {searching}"


@pytest.mark.parametrize("what", ENTRIES)
def test_the_readme_says_how_many_lines_there_are_to_trust(what):
    stated = {name: int(count.replace(",", "")) for name, count in ROW.findall((ROOT / "README.md").read_text())}
    assert set(stated) == set(ENTRIES), "the README has no row for each of them under 'What you trust'"
    true = trusted_lines()[what]
    assert abs(stated[what] - true) <= TOLERANCE * true, f"the README says {stated[what]}, and it is {true}"
    assert true <= MOST.get(what, true)


@pytest.mark.parametrize("method", METHODS)
def test_the_readme_says_what_a_certificate_of_one_method_rests_on(method):
    table = (ROOT / "README.md").read_text().partition("| a certificate by |")[2]
    stated = {name: int(count.replace(",", "")) for name, count in BY_METHOD.findall(table)}
    assert set(stated) == set(METHODS)
    true = sum(map(code_lines, resting_on(method)))
    assert abs(stated[method] - true) <= TOLERANCE * true, f"the README says {stated[method]}, and it is {true}"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_readme_says_what_an_answer_of_one_engine_rests_on(engine):
    table = (ROOT / "README.md").read_text().partition("| an answer of |")[2]
    stated = {name: int(count.replace(",", "")) for name, count in BY_ENGINE.findall(table)}
    assert set(stated) == set(ENGINES)
    true = sum(map(code_lines, answered_by(engine)))
    assert abs(stated[engine] - true) <= TOLERANCE * true, f"the README says {stated[engine]}, and it is {true}"


def test_engines_are_told_apart_by_what_is_imported_for_each():
    together = {path for engine in ENGINES for path in answered_by(engine)}
    assert together == set(reached(ENTRIES["a SQL answer"])), "something is trusted for no engine"
    for engine, places in ENGINES.items():
        own = names_of(answered_by(engine))
        assert all(any(name.startswith(place) for name in own) for place in places), "nothing is there any more"
        assert {"session/road.py", "query/lowering/lower.py", "kernel/release/release.py", "noise/laplace.py"} <= own


def test_methods_of_proof_are_told_apart_by_what_the_checker_imports():
    called = {path.relative_to(HOUSE / "kernel").as_posix() for path in imports(HOUSE / CHECKER)}
    assert {each for files in METHODS.values() for each in files} <= called, "the checker reaches them another way now"
    together = {path for method in METHODS for path in resting_on(method)}
    assert together == set(reached(ENTRIES["proved"])), "something is trusted for no method"
    for method, files in METHODS.items():
        assert {HOUSE / "kernel" / each for each in files} <= set(resting_on(method))
    assert not [path for path in resting_on("coupling") if path.parent.name in ("folds", "composition")]


@pytest.mark.parametrize("room", SIZES)
def test_rooms_do_not_grow(room):
    assert sum(map(code_lines, (HOUSE / room).glob("**/*.py"))) <= SIZES[room]


def test_the_road_alone_charges_and_looks():
    """What makes questions and shows answers is not trusted: it must not reach for the data by itself."""
    for path in HOUSE.glob("**/*.py"):
        name = path.relative_to(HOUSE).as_posix()
        # a rehearsal has an engine of its own, over rows that the policy alone makes up
        if name in ("session/road.py", "session/rehearsing.py") or name.startswith(("ledger/", "engines/")):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr
            assert called not in LOOKING, f"{name}:{node.lineno} calls {called}"


def test_what_is_not_trusted_is_reached():
    for name in NOT_TRUSTED:
        assert name in {path.relative_to(HOUSE).as_posix() for path in reached(ENTRIES["a SQL answer"], frozenset())}


def test_the_checker_is_read_in_one_sitting():
    files = [HOUSE / name for name in names("proved") if name.startswith("kernel/relational/")]
    longest = max(files, key=lambda path: len(path.read_text().splitlines()))
    assert len(longest.read_text().splitlines()) <= 300, f"{longest.name} has grown past one idea"
    assert sum(map(code_lines, files)) <= 3620
