"""The README says how many lines a person has to trust to believe *proved*; they are counted here.

Counted are lines with code: no blank lines, comments or docstrings. The checker is whatever ``check/certificate.py``
reaches inside ``check/``; what reads programs is whatever it reaches inside ``program/``; the rest of what it reaches
is certificates and exact numbers.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
#: The README may say a rounded figure, not a wrong one.
TOLERANCE = 0.03
SENTENCE = re.compile(
    r"([\d,]+) lines that check a proof and ([\d,]+) that read the program and ([\d,]+) about certificates"
)
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(path):
    text = path.read_text()
    written = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOT_CODE:
            written |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Module(body=[first, *_]) | ast.ClassDef(body=[first, *_]) | ast.FunctionDef(body=[first, *_]):
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    written -= set(range(first.lineno, first.end_lineno + 1))
    return len(written)


def reached(start):
    """The files of Lapwing that ``start`` imports, also through others; itself first."""
    found, waiting = [], [start]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and re.match(r"lapwing\b", node.module or ""):
                names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
                files = [SOURCE / f"{name.replace('.', '/')}.py" for name in names]
                waiting += [each for each in files if each.is_file()]
    return found


def trusted():
    """The files that a proof is believed on, by room; a folder above the repository may have any name."""
    found = {"check": [], "program": [], "below": []}
    for path in reached(SOURCE / "lapwing/check/certificate.py"):
        room = path.relative_to(SOURCE / "lapwing").parts[0]
        found[room if room in found else "below"].append(path)
    return found


def counts():
    return [sum(map(code_lines, paths)) for paths in trusted().values()]


def test_lines_are_counted_without_what_is_not_code(tmp_path):
    (tmp_path / "a.py").write_text(
        '"""Two\nlines."""\n\n# why\nx = (\n    1,  # one\n)\n\n\ndef f():\n    """One."""\n    return x\n'
    )
    assert code_lines(tmp_path / "a.py") == 5


def test_what_is_trusted_is_what_is_reached():
    names = {str(path.relative_to(SOURCE / "lapwing")) for path in reached(SOURCE / "lapwing/check/certificate.py")}
    assert {"check/couplings/execution.py", "check/prices.py", "program/parse.py", "program/secrecy.py"} <= names
    assert not names & {"check/interpret.py", "program/run.py", "program/draws.py"}


def test_the_readme_says_how_many_lines_there_are_to_trust():
    found = SENTENCE.search(" ".join((ROOT / "README.md").read_text().split()))
    assert found is not None, "the README does not say how many lines have to be trusted"
    stated = [int(each.replace(",", "")) for each in found.groups()]
    for said, true in zip(stated, counts(), strict=True):
        assert abs(said - true) <= TOLERANCE * true, f"the README says {stated}, and it is {counts()}"


def test_the_checker_is_read_in_one_sitting():
    longest = max(trusted()["check"], key=lambda path: len(path.read_text().splitlines()))
    assert len(longest.read_text().splitlines()) <= 250, f"{longest.name} has grown past one idea"
    assert counts()[0] <= 1700
