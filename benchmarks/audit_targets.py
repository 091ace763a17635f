"""Other people's libraries under audit, each in an environment of its own that this script makes.

    python benchmarks/audit_targets.py [FOLDER]

FOLDER (one among the temporary files unless given) keeps the environments: a second run starts at once. For each target
it prints the verdict, the certified bound, pairs, seconds by the clock and of computing. It fails if a known leak is
not refuted within 30 seconds of computing at 99.9 % (by the clock it may take longer, on a busy machine), or if a
control is, which is attacked for 30 seconds by the clock. What a driver audits is in
``_audit_drivers.py``; nothing in Lapwing knows a target.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Seconds of computing in which a leak must be refuted; and by the clock, in which there must have been as many.
SECONDS, CLOCK = 30.0, 150.0
LEAKS, HOLDS = "refuted", "not refuted"
#: By environment: what is installed beside Lapwing, and the targets with the verdict that is expected.
ENVIRONMENTS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "opendp-0.16.0": (
        ("opendp[polars]==0.16.0",),
        {
            "laplace_threshold": LEAKS, "polars_cast_count": LEAKS, "polars_group_sum": LEAKS, "bitvector": HOLDS,
            "opendp_laplace": HOLDS,
        },
    ),
    "opendp-0.14.1": (("opendp==0.14.1",), {"bitvector": LEAKS}),
    "diffprivlib-0.6.6": (
        ("diffprivlib==0.6.6", "scikit-learn<1.6"),
        {
            "diffprivlib_laplace": LEAKS, "tool_mean": LEAKS, "tool_var": LEAKS, "tool_std": LEAKS, "tool_sum": LEAKS,
            "tool_median": LEAKS, "tool_quantile": LEAKS, "nanmean_of_nothing": LEAKS, "mean_of_nothing": LEAKS,
            "linear_regression": LEAKS, "nansum": LEAKS, "control_histogram": HOLDS, "control_count": HOLDS,
        },
    ),
    "numpy": (
        (),
        {
            "numpy_laplace": LEAKS, "lattice_laplace": HOLDS, "textbook_mean": LEAKS, "svt5": LEAKS, "svt6": LEAKS,
            "noisy_max_value": LEAKS,
        },
    ),
}  # fmt: skip


def environment(folder: Path, name: str, packages: tuple[str, ...]) -> Path:
    """The Python of an environment that has Lapwing's dependencies and the target; made if it is not there."""
    place = folder / name
    python = place / "bin" / "python"
    done = place / "installed"
    if not done.is_file():
        print(f"making the environment {name} ...", flush=True)
        venv.create(place, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(ROOT), *packages], check=True)  # noqa: S603  # our own words
        done.touch()
    return python


def audited(python: Path, names: list[str], seconds: float) -> list[dict[str, object]]:
    """What the audits of these targets say, in their environment; the source tree, not the installed copy, runs."""
    command = [str(python), str(ROOT / "benchmarks" / "_audit_drivers.py"), str(seconds), *names]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False)  # noqa: S603  # our own words
    if done.returncode or done.stderr:
        print(done.stderr[-2000:])
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main(folder: Path | None = None) -> bool:
    """Audit every target; whether all are as expected."""
    folder = folder or Path(tempfile.gettempdir()) / "lapwing-audit-targets"
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, (packages, expected) in ENVIRONMENTS.items():
        python = environment(folder, name, packages)
        print(f"\n{name:20} {'verdict':12} {'claim':>8} {'at least':>9} {'pairs':>9} {'seconds':>8} {'computing':>10}")
        results = {}
        for verdict, limit in ((LEAKS, CLOCK), (HOLDS, SECONDS)):
            names = [each for each, wanted in expected.items() if wanted == verdict]
            found = audited(python, names, limit) if names else []
            results |= {str(result["target"]): result for result in found}
        for target, verdict in expected.items():
            result = results.get(target)
            if result is None:
                wrong += 1
                print(f"{target:20} no result: expected {verdict}")
                continue
            claim, seconds, computing = (
                result["claim"],
                *(float(str(result[each])) for each in ("seconds", "computing")),
            )
            late = verdict == LEAKS and computing > SECONDS
            good = result["verdict"] == verdict and result["rechecked"] and not late
            wrong += not good
            mark = "" if good else f"   <- expected {verdict}" + (" in time" if late else "")
            print(
                f"{target:20} {result['verdict']!s:12} {claim[0]:>8.3g} {result['at_least']:>9.4g} "  # type: ignore[index]  # two numbers
                f"{result['pairs']:>9,} {seconds:>8.2f} {computing:>10.2f}  {str(result['event'])[:60]}{mark}",
                flush=True,
            )
    print(f"\n{wrong} not as expected" if wrong else "\nall as expected")
    return not wrong


if __name__ == "__main__":
    sys.exit(0 if main(Path(sys.argv[1]) if len(sys.argv) > 1 else None) else 1)
