"""``python -m benchmarks [NAME ...]``: run the named benchmarks, or all, and fail if a target was missed.

A benchmark is a module of this folder with a ``main() -> bool``: prints a table of ratios, says whether every
target was met.
"""

import importlib
import pkgutil
import sys

import benchmarks


def main(wanted: list[str]) -> int:
    """Exit code 0 when every target of every benchmark was met."""
    modules = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    known = sorted(name for name in modules if not name.startswith("_"))
    unknown = set(wanted) - set(known)
    if unknown:
        print(f"no benchmark named {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
        return 2
    missed = []
    for name in wanted or known:
        print(f"== {name}", flush=True)
        if not importlib.import_module(f"benchmarks.{name}").main():
            missed.append(name)
    print(f"targets missed in: {', '.join(missed)}" if missed else "every target met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
