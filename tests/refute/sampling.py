"""Do samples look as if they came from an exact distribution? One χ² test, with rare answers pooled."""

from collections import Counter

from scipy.stats import chi2

from lapwing.program.interpret import STEPS, Meter, program


def plain(value):
    """An answer of a run as the distributions write it: lists and tuples alike become tuples."""
    return tuple(plain(item) for item in value) if isinstance(value, list | tuple) else value


def samples(subject, inputs, count):
    """Answers of ``count`` runs of the interpreter that runs mechanisms, on the lattice of whole numbers."""
    run = program(subject.module, subject.mechanism.name)
    exact = {name: _unwrapped(value) for name, value in inputs.items()}
    return Counter(plain(run(dict(exact), Meter(STEPS, 0))) for _ in range(count))


def _unwrapped(value):
    """Whole numbers as ints, as a run has them: they index lists."""
    if isinstance(value, tuple):
        return tuple(_unwrapped(item) for item in value)
    return value if isinstance(value, bool) or value.denominator != 1 else value.numerator


def p_value(distribution, seen):
    """The probability that samples of the distribution lie at least as far from it as these do."""
    count = sum(seen.values())
    statistic, cells = 0.0, 0
    rest_expected, rest_seen = float(count), count
    for output, mass in distribution.masses.items():
        expected = count * float(mass)
        if expected >= 8:
            statistic += (seen[output] - expected) ** 2 / expected
            cells += 1
            rest_expected -= expected
            rest_seen -= seen[output]
    if rest_expected >= 8:
        statistic += (rest_seen - rest_expected) ** 2 / rest_expected
        cells += 1
    elif rest_seen > 0:
        statistic += max(0.0, rest_seen - rest_expected) ** 2 / max(rest_expected, 1.0)
    return float(chi2.sf(statistic, max(cells - 1, 1)))


def impossible(distribution, seen):
    """Answers that were drawn although their probability is at most what escaped."""
    return [output for output in seen if output not in distribution.masses and distribution.escaped < 1e-12]
