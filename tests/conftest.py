"""One Hypothesis profile, noise that repeats, files in memory, a part of each long shelf, and what was skipped."""

import gc
import os
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from tests import in_memory
from tests.repeatable import FRESH, repeatable

in_memory.move()

# The same examples in every run, so that a failure is due to a change; LAPWING_EXPLORE=1 looks at others, and more.
EXPLORE = bool(os.environ.get("LAPWING_EXPLORE"))
settings.register_profile(
    "lapwing",
    max_examples=200 if EXPLORE else 30,
    deadline=None,  # a busy machine is not a bug
    print_blob=True,
    derandomize=not EXPLORE,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lapwing")


@pytest.fixture(autouse=True)
def same_noise(request):
    """Noise that a test's name decides; fresh noise, where that is asked for or tested."""
    if EXPLORE or request.node.nodeid.startswith(FRESH):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        repeatable(request.node.nodeid, patch)
        yield


#: Shelves of programs that are decided one by one, of which every run takes every so many; LAPWING_EXPLORE=1 takes all.
#: Each is named by how the names of its tests begin.
SHELVES = {
    "audit/test_audit.py::test_a_leak": 2,
    "audit/test_hidden.py": 6,
    "audit/test_innocent.py": 5,
    "audit/test_pipeline.py": 4,
    "audit/test_strangers.py": 6,
    "bugs/test_bug_10_missing_bounds.py::test_an_unbounded_column": 2,
    "cli/test_interruption.py::test_proving": 3,
    "contracts/test_one_person.py": 2,
    "contracts/test_same_integers.py::test_joins": 2,
    "contracts/test_same_integers.py::test_odd_cells": 8,
    "contracts/test_words_on_postgresql.py": 6,
    "kernel/composition/test_accounts.py": 2,
    "kernel/composition/test_approximate_calls.py": 5,
    "kernel/composition/test_composition.py": 5,
    "kernel/composition/test_gaussian_tails.py": 2,
    "kernel/composition/test_sampling.py": 3,
    "kernel/composition/test_steered.py": 6,
    "kernel/distribution/test_cells.py::test_cells_enclose": 4,
    "kernel/folds/test_leaks.py": 4,
    "kernel/folds/test_lifting.py": 4,
    "kernel/folds/test_prices.py": 3,
    "kernel/folds/test_tables.py": 6,
    "kernel/release/test_families.py::test_one_person": 2,
    "kernel/test_certificate_mutations.py::test_every_mutant": 4,
    "kernel/test_random_certificates.py": 2,
    "kernel/test_responses.py": 3,
    "kernel/test_responses_told.py": 3,
    "library/test_mechanisms.py::test_the_prover": 3,
    "query/lowering/test_naming.py::test_a_column_may_have": 2,
    "query/test_neighbouring_tables.py": 3,
    "query/test_random_questions.py": 2,
    "query/test_reference_on_files.py": 4,
    "query/test_words_mean_the_same.py": 4,
    "search/privacy/test_adaptive.py": 4,
    "search/privacy/test_approximate_programs.py": 8,
    "search/privacy/test_broken_prover.py": 6,
    "search/privacy/test_coupling.py": 3,
    "search/privacy/test_horn.py": 3,
    "search/privacy/test_looking_ahead.py": 3,
    "search/privacy/test_maxima_of_counts.py": 4,
    "search/privacy/test_mutated_programs.py::test_proofs_and_refutations": 14,
    "search/privacy/test_noise_up_front.py": 4,
    "search/privacy/test_redrawn.py": 5,
    "search/privacy/test_spellings.py": 8,
    "search/privacy/test_states_of_records.py": 24,
    "search/privacy/test_traps.py::test_a_trap": 2,
    "search/privacy/test_twenty_one.py": 9,
    "search/privacy/test_windows_of_records.py": 14,
    "search/violation/test_crowds.py": 6,
    "search/violation/test_longer.py": 3,
    "search/violation/test_random_programs.py": 4,
    "search/violation/test_samples.py": 4,
    "search/violation/test_search.py::test_a_right_program": 4,
    "session/test_killed.py": 2,
    "session/test_neighbouring_plans.py": 2,
    "session/test_quotes_come_true.py": 2,
}


def pytest_collection_modifyitems(config, items):
    if EXPLORE or any("::" in each for each in config.args):
        return
    seen, kept, left = Counter(), [], []
    for item in items:
        function = item.nodeid.partition("[")[0]
        every = next((step for shelf, step in SHELVES.items() if function.startswith(f"tests/{shelf}")), 1)
        (left if seen[function] % every else kept).append(item)
        seen[function] += 1
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_collection_finish():
    """What all the tests are made of stays: Python need not look through it for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    gc.unfreeze()  # libraries count what is left of theirs when Python ends


# A shell that runs the tests in the background has them ignore Ctrl-C, and what they start with them: a test that
# presses it would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tables are as wide as in a pipe, whatever the width of the terminal that the tests run in.
os.environ.pop("COLUMNS", None)


def pytest_terminal_summary(terminalreporter):
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section("skipped", sep="-")
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count:,} {'test' if count == 1 else 'tests'}: {reason}")
