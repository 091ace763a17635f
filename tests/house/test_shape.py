"""The shape of the house: one idea, one name, one file of a length that can be read in one sitting.

The lists say what is still otherwise, each with its reason, and shrink: an entry that is not needed any more fails too.
"""

import ast
from collections import defaultdict
from functools import cache

import pytest

from tests.house.counting import HOUSE

LONGEST_FILE, LONGEST_CLASS = 400, 250

NOT_YET = "not yet renamed"


def _each(names, reason, ending=".py"):
    return {f"{name}{ending}": reason for name in names.split()}


#: File names that several rooms have: each names the same idea, seen from its room.
REPEATED_FILES = {
    "__init__.py": "Python's",
    "__main__.py": "Python's",
    **_each(
        "gaussian histogram randomized_response renyi sensitivity ",
        "a law or a mechanism of the field, seen from each room",
    ),
    **_each(
        "account accuracy asking certificates explain feasible flow ledger loss neighbours questions run ",
        "the command of that name, and what it shows",
    ),
    **_each(
        "composition draws enumeration inputs invariants linear loops publics runs solver states terms values ",
        "search and kernel each have their own meaning, on purpose",
    ),
    **_each(
        "application certificate plan release witness ",
        "evidence as data, and whoever checks or makes it",
    ),
    **_each(
        "bounding expressions groups joins scalars types ",
        "a plan's own, and the printer's of the same idea",
    ),
    **_each("duckdb postgresql ", "an engine or a store, and the phrases of that database"),
    **_each("connection reader scans schemas ", "the same part of each engine that is a server"),
}
#: Class names that several files have. A name with an underscore is its file's own business.
REPEATED_CLASSES = {
    **_each(
        "Account Accounts Asked Attack Binding Cells Claim Derivation Derived Desk Draw Failed Finding Form "
        "Found Grown Item Lattice Name Node Noise Number Order Outcome Pair People Priced Product Rates Remaining "
        "Rows Scope Search Seeded Shape Source Split Statistic Terms Text Truth Typed Unbounded Watched "
        "Way Wish ",
        NOT_YET,
        "",
    ),
    **_each(
        "Gaussian Laplace Poisson RandomizedResponse ",
        "a mechanism: its noise, and its place in an accountant's expression",
        "",
    ),
    **_each(
        "Composed Composition Part Turns ",
        "steps of a mechanism are composed; so are runs for flow, parts of a table, and turns of a server",
        "",
    ),
    **_each(
        "Answers Cost Enumeration Sensitivity Site ",
        "evidence of each kind has its own",
        "",
    ),
    **_each(
        "Evaluator Inputs Reader State ",
        "search and kernel each have their own meaning, on purpose",
        "",
    ),
    **_each(
        "Call Column Policy Range Table ",
        "a column or call of a plan, of a policy, of a program",
        "",
    ),
    **_each("Connection Stored ", "the same part of each engine that is a server", ""),
}
LONG_FILES = {
    "kernel/evidence/certificate.py": "every kind of proof, and its JSON, in one place",
    "kernel/program/ir.py": "every node of the language, and nothing else",
}
LONG_CLASSES = {
    "DuckDB": "not yet divided",
    "Scalars": "a method for each word of SQL",
    "Walk": "not yet divided",
}


def files():
    return sorted(HOUSE.glob("**/*.py"))


@cache
def classes():
    """(file, name, lines) of every class."""
    return [
        (path, node.name, node.end_lineno - node.lineno + 1)
        for path in files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    ]


def places(paths):
    return sorted(path.relative_to(HOUSE).as_posix() for path in paths)


def repeated(pairs):
    found = defaultdict(set)
    for name, path in pairs:
        found[name].add(path)
    return {name: places(paths) for name, paths in found.items() if len(paths) > 1}


def test_a_file_name_says_one_thing():
    found = repeated((path.name, path) for path in files())
    new = {name: paths for name, paths in found.items() if name not in REPEATED_FILES}
    assert not new, f"give one of each another name, or REPEATED_FILES a reason: {new}"
    assert set(REPEATED_FILES) <= set(found), f"no longer repeated: {set(REPEATED_FILES) - set(found)}"


def test_a_class_name_says_one_thing():
    found = repeated((name, path) for path, name, _ in classes() if not name.startswith("_"))
    new = {name: paths for name, paths in found.items() if name not in REPEATED_CLASSES}
    assert not new, f"give one of each another name, or REPEATED_CLASSES a reason: {new}"
    assert set(REPEATED_CLASSES) <= set(found), f"no longer repeated: {set(REPEATED_CLASSES) - set(found)}"


def test_files_are_read_in_one_sitting():
    lengths = {path.relative_to(HOUSE).as_posix(): len(path.read_text().splitlines()) for path in files()}
    found = {name: count for name, count in lengths.items() if count > LONGEST_FILE}
    assert not set(found) - set(LONG_FILES), f"longer than {LONGEST_FILE} lines: {found}"
    assert set(LONG_FILES) <= set(found), f"no longer long: {set(LONG_FILES) - set(found)}"


def test_classes_are_read_in_one_sitting():
    found = {name: lines for _, name, lines in classes()}
    found = {name: count for name, count in found.items() if count > LONGEST_CLASS}
    assert not set(found) - set(LONG_CLASSES), f"longer than {LONGEST_CLASS} lines: {found}"
    assert set(LONG_CLASSES) <= set(found), f"no longer long: {set(LONG_CLASSES) - set(found)}"


@pytest.mark.parametrize("reasons", [REPEATED_FILES, REPEATED_CLASSES, LONG_FILES, LONG_CLASSES])
def test_every_exception_has_a_reason(reasons):
    assert all(reason.strip() for reason in reasons.values())
