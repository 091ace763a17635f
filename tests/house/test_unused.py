"""Nothing stands in the house that nobody calls.

The one idea: what is used is named a second time, a private function in its own file and anything else anywhere in
the code. What a framework calls by its name (a decorated function, a method that overrides) is not looked at.
"""

import ast
import re
from collections import Counter

from tests.house.counting import HOUSE, ROOT

WORD = re.compile(r"\w+")


def definitions(tree):
    """Functions and classes of a module, and private methods, that carry no decorator; and whether they are methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            method = isinstance(node, ast.ClassDef)
            for each in filter(_is_plain, node.body):
                # __getattr__ is Python's, _repr_svg_ is Jupyter's
                if not each.name.endswith("_") and (each.name.startswith("_") or not method):
                    yield each.name, method


def _is_plain(node):
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.decorator_list


def unused(files, everywhere):
    """(file, name) of what is named only where it is defined."""
    for path, text in files.items():
        here = Counter(WORD.findall(text))
        for name, method in definitions(ast.parse(text)):
            if (here if name.startswith("_") and not method else everywhere)[name] < 2:
                yield path.relative_to(HOUSE).as_posix(), name


def test_everything_is_called_somewhere():
    files = {path: path.read_text() for path in sorted(HOUSE.glob("**/*.py"))}
    others = [
        path.read_text() for room in ("src/*.py", "tests/**/*.py", "benchmarks/**/*.py") for path in ROOT.glob(room)
    ]
    everywhere = Counter(word for text in (*files.values(), *others) for word in WORD.findall(text))
    found = dict(unused(files, everywhere))
    assert not found


def test_what_nobody_calls_is_noticed():
    text = "def used(): ...\ndef _lost(): return used()\nclass A:\n    def _gone(self): return A\n"
    found = unused({HOUSE / "a.py": text}, Counter(WORD.findall(text)))
    assert [name for _, name in found] == ["_lost", "_gone"]
