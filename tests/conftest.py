"""One Hypothesis profile, tables of one width, and the reasons of what was skipped, a line each."""

import os
from collections import Counter

from hypothesis import HealthCheck, settings

# The same examples in every run, so that a change is what made a test fail; LAPWING_EXPLORE=1 looks at others, and more.
EXPLORE = bool(os.environ.get("LAPWING_EXPLORE"))
settings.register_profile(
    "lapwing",
    max_examples=200 if EXPLORE else 50,
    deadline=None,  # a busy machine is not a bug
    print_blob=True,
    derandomize=not EXPLORE,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lapwing")


# Tables are as wide as in a pipe, whatever the width of the terminal that the tests run in.
os.environ.pop("COLUMNS", None)


def pytest_terminal_summary(terminalreporter):
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section("skipped", sep="-")
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count:,} {'test' if count == 1 else 'tests'}: {reason}")
