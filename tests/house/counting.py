"""How many lines a person has to trust for each thing that Lapwing says, counted from imports.

Counted are lines with code: no blank lines, comments or docstrings. A file is trusted if an entry point imports it,
also through others. ``from package import Name`` is followed to the file that defines the name: the rest of a package
is loaded beside it and decides nothing. Imports that only a type checker reads are not followed.

What each of the five rests on:

- *proved*: the kernel's checker of certificates.
- *refuted*: the kernel's checker of witnesses.
- *flow*: the kernel's checker of evidence about flow.
- *accuracy*: the kernel's checkers of accuracy, of certificates and of witnesses.
- *a SQL answer*: the road (check, charge, look, noise), what opens a table (its policy and ledger), the engine that
  reads it, what prints a plan as SQL, the ledger, the policy, the kernel's release rule, and noise. *Not* trusted are
  what reads SQL into a plan and what chooses noise for a price: the kernel derives from the plan what one person can
  change and what that noise costs, and compares the plan's tables and units with the policy; the road prints that
  very plan. Nor is what writes a policy: an answer rests on the one that is read. Nor is ``session/asking.py``, which
  makes questions and shows answers: it holds no exact number, as the
  road alone charges, looks and adds noise (a test looks that nobody else does). Nor what is made of private numbers.
"""

import ast
import functools
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
HOUSE = SOURCE / "lapwing"
ENTRIES = {
    "proved": ["kernel/relational/certificate.py"],
    "refuted": ["kernel/distribution/witness.py"],
    "flow": ["kernel/flow/evidence.py"],
    "accuracy": ["kernel/accuracy/certificate.py", "kernel/accuracy/failure.py"],
    "a SQL answer": ["session/road.py", "session/noising.py", "session/opening.py", "engines/duckdb.py"],
}
#: What the checker of certificates imports for one method of proof alone.
CHECKER = "kernel/relational/certificate.py"
METHODS = {
    "coupling": ["relational/chances.py", "relational/deferring.py", "relational/lockstep.py", "relational/setting.py"],
    "sensitivity": ["relational/sensitivities.py"],
    "enumeration": ["relational/enumeration.py"],
    "fold": ["folds/release_prices.py", "folds/lifting.py"],
    "composed": ["composition/confirm.py"],
}
#: What an answer of one engine alone rests on: files, or folders of them. Of the two places for a ledger, SQLite is
#: counted with every engine, as it is where a ledger is kept if nobody says otherwise.
ENGINES = {
    "DuckDB": ["engines/duckdb.py", "query/lowering/dialects/duckdb.py"],
    "PostgreSQL": ["engines/postgresql/", "query/lowering/dialects/postgresql.py", "ledger/stores/postgresql.py"],
    "Spark": ["engines/spark/", "query/lowering/dialects/spark.py"],
}
#: Files that are reached, and decide nothing about privacy; the docstring says why.
NOT_TRUSTED = {"session/asking.py"}
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


@functools.cache
def code_lines(path):
    """Lines with code."""
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


@functools.cache
def imports(path):
    """The files of Lapwing that a file imports, each name followed to where it is defined."""
    return [file for module, name in _imported(path) for file in _defining(module, name)]


@functools.cache
def _imported(path):
    """(module, name) for every import that is run, wherever it stands."""
    return list(_found(ast.parse(path.read_text())))


def _found(tree):
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lapwing":
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, None) for each in node.names if each.name.split(".")[0] == "lapwing")


def _defining(module, name, depth=0):
    """The file of ``module.name``: a module, or whatever the module that re-exports the name imports it from."""
    base = SOURCE / module.replace(".", "/")
    if name is not None and (base / f"{name}.py").is_file():
        yield base / f"{name}.py"
    elif name is not None and (base / name / "__init__.py").is_file():
        yield base / name / "__init__.py"
    elif base.with_suffix(".py").is_file():
        yield base.with_suffix(".py")
    elif (base / "__init__.py").is_file() and depth < 10:
        again = [found for found in _imported(base / "__init__.py") if found[1] == name]
        for inner, same in again:
            yield from _defining(inner, same, depth + 1)
        if not again:
            yield base / "__init__.py"


def reached(starts, stop=frozenset(NOT_TRUSTED)):
    """The files that the entry points import, also through others; themselves first."""
    left_out = {HOUSE / name for name in stop}
    found = dict.fromkeys(HOUSE / start for start in starts if HOUSE / start not in left_out)
    waiting = list(found)
    while waiting:
        new = [path for path in dict.fromkeys(imports(waiting.pop(0))) if path not in found and path not in left_out]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)


@functools.cache
def trusted_lines():
    """Code lines for each of the five."""
    return {what: sum(map(code_lines, reached(starts))) for what, starts in ENTRIES.items()}


def answered_by(engine):
    """The files that an answer of one engine rests on: nothing of the others is run for it."""
    others = tuple(place for other, places in ENGINES.items() if other != engine for place in places)
    files = {path.relative_to(HOUSE).as_posix() for path in HOUSE.glob("**/*.py")}
    starts = [each for each in ENTRIES["a SQL answer"] if not each.startswith(others)]
    return reached(starts, {*NOT_TRUSTED, *(each for each in files if each.startswith(others))})


def resting_on(method):
    """The files that a certificate of one method rests on: the checker goes to no other method's files for it."""
    others = {HOUSE / "kernel" / each for other, files in METHODS.items() if other != method for each in files}
    checker = HOUSE / CHECKER
    starts = [path.relative_to(HOUSE).as_posix() for path in imports(checker) if path not in others]
    return [checker, *(path for path in reached(starts) if path != checker)]
