"""Only the noise room touches a random generator. Import contracts see modules; this sees attributes too."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "lapwing"
FORBIDDEN = {"urandom", "getrandom", "SystemRandom", "default_rng", "token_bytes", "randbits", "uuid4"}


def random_uses(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (
            node.attr in FORBIDDEN or (node.attr == "random" and getattr(node.value, "id", "") in {"np", "numpy"})
        ):
            yield node.lineno, node.attr
        if isinstance(node, ast.ImportFrom) and node.module in {"random", "secrets", "numpy.random", "uuid"}:
            yield node.lineno, node.module
        if isinstance(node, ast.ImportFrom) and {alias.name for alias in node.names} & FORBIDDEN:
            yield node.lineno, node.module


def test_no_entropy_outside_the_one_source():
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    assert files.pop("noise/source.py")
    assert not {
        name: found for name, path in files.items() if (found := list(random_uses(ast.parse(path.read_text()))))
    }


@pytest.mark.parametrize(
    "bad", ["import os\nos.urandom(8)", "import numpy as np\nnp.random.laplace()", "from secrets import randbits"]
)
def test_the_scan_sees_what_it_should(bad):
    assert list(random_uses(ast.parse(bad)))
