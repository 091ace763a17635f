"""The package says what it needs, and needs no more than it says."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_published_dependencies_have_open_ranges():
    for requirement in PROJECT["dependencies"]:
        assert ">=" in requirement, requirement
        assert not re.search(r"==|<|~=", requirement), f"{requirement} closes its range"


#: The module that an extra brings, where its name is another one.
MODULES = {"plot": "matplotlib", "accounting": "dp_accounting", "bench": "opendp", "audit": "sklearn"}


def test_every_extra_is_imported_somewhere():
    """An extra that nothing imports promises what is not there."""
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("benchmarks/**/*.py")]
    text = "\n".join(path.read_text() for path in files)
    for extra in PROJECT["optional-dependencies"]:
        name = MODULES.get(extra, extra)
        assert re.search(rf"\b(import|from) {name}\b|import_module\(\"{name}\b|\"{name}\"", text), extra


def test_development_lock_is_exact():
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==\S+", line), line


def test_importing_lapwing_needs_no_extra():
    script = (
        "import sys\n"
        "for extra in ('matplotlib', 'dp_accounting', 'opendp', 'scipy', 'mpmath', 'hypothesis'):\n"
        "    sys.modules[extra] = None\n"
        "import lapwing, lapwing.cli, lapwing.noise, lapwing.algebra\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_version_is_stated_once_and_agrees():
    import lapwing

    assert PROJECT["version"] == lapwing.__version__


def test_every_lint_ignore_has_a_reason_beside_it():
    for path in (*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/**/*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.search(r"# (noqa|type: ignore)(?!.*#)[^#]*$", line)
            if found and "re.search" not in line:
                raise AssertionError(f"{path.relative_to(ROOT)}:{number} ignores a lint without saying why")
