"""Where a file of the house is tested: ``python -m tests.house.where kernel/prices/prices.py``.

The one idea: a file is tested where a test has its name, or imports it. A part of something larger, which nobody calls
from outside, is tested through it; then ``THROUGH`` says where, by the longest beginning of its path.
"""

import ast
import sys
from functools import cache

from tests.house.counting import HOUSE, ROOT

TESTS = ROOT / "tests"
#: What is tested through something larger, and where.
THROUGH = {
    "algebra/accounting/": "algebra/accounting",
    "algebra/composition/": "algebra",
    "audit/": "audit",
    "cli/": "cli",
    "cli/touring/": "cli/test_demo.py",
    "engines/": "contracts/test_engines.py",
    "engines/postgresql/": "contracts/test_same_integers.py",
    "engines/spark/": "contracts/test_same_integers.py",
    "kernel/accuracy/": "kernel/test_accuracy.py",
    "kernel/composition/": "kernel/composition",
    "kernel/distribution/": "kernel/distribution/test_probability.py",
    "kernel/evidence/": "kernel/evidence",
    "kernel/flow/": "kernel/test_flow.py",
    "kernel/folds/": "kernel/folds",
    "kernel/operators.py": "kernel/test_python_agrees.py",
    "kernel/prices/": "kernel/composition",
    "kernel/program/": "source/test_printer.py",
    "kernel/relational/": "kernel/test_certificate_conditions.py",
    "kernel/run/": "kernel/test_python_agrees.py",
    "kernel/symbolic/": "kernel/test_accuracy.py",
    "kernel/wellformed/": "source/test_secrecy.py",
    "kernel/written_numbers.py": "kernel/evidence/test_witness.py",
    "ledger/": "ledger",
    "ledger/stores/": "contracts/test_stores.py",
    "library/mechanisms/": "library/test_mechanisms.py",
    "noise/": "contracts",
    "policy/": "policy",
    "query/": "query/test_prepare.py",
    "query/answers/": "query/test_answers.py",
    "query/lowering/": "query/lowering",
    "query/rules/": "query/test_fixtures.py",
    "search/accuracy/": "search/accuracy",
    "search/allowances.py": "search/accuracy/test_margins.py",
    "search/flow/": "search/flow",
    "search/privacy/": "search/privacy/test_corpus.py",
    "search/violation/": "search/violation",
    "server/": "server/test_api.py",
    "server/pages/": "server/test_pages.py",
    "session/": "session/test_asking.py",
    "source/": "source/test_meaning.py",
}


@cache
def tests():
    """Every file of tests, with the names that it imports, and the modules whose names it says."""
    return {path: frozenset(_said(ast.parse(path.read_text()))) for path in sorted(TESTS.glob("**/*.py"))}


def _said(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("lapwing."):
            yield node.value


def by_name(path):
    """Tests that have the file's name, in its folder or one that this lies in; and tests that import it."""
    place = path.relative_to(HOUSE)
    module = ".".join(("lapwing", *place.with_suffix("").parts))
    named = {TESTS / folder / f"test_{path.name}" for folder in place.parents if folder.parts}
    return [each for each, said in tests().items() if each in named or module in said]


def through(path):
    """The beginning of the file's path under which something larger is listed that it is tested through."""
    name = path.relative_to(HOUSE).as_posix()
    return max((each for each in THROUGH if name.startswith(each)), key=len, default=None)


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        file = HOUSE / asked.removeprefix("src/lapwing/")
        found = [each.relative_to(ROOT).as_posix() for each in by_name(file)]
        larger = through(file)
        print(f"{asked}: {', '.join(found) if found or larger is None else f'through tests/{THROUGH[larger]}'}")
