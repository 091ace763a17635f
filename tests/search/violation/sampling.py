"""Do samples look as if they came from an exact distribution? One χ² test, with rare answers pooled."""

from collections import Counter
from fractions import Fraction

from scipy.stats import chi2

from lapwing.source import Runnable
from lapwing.source.original import Source
from lapwing.source.printed_modules import show_module


def runnable(module, name):
    """The mechanism as people call it."""
    return Runnable(name, Source(show_module(module), "<sampled>"))


def samples(subject, inputs, count):
    """Answers of ``count`` runs of the mechanism, as the distributions write them."""
    run = runnable(subject.module, subject.mechanism.name).run
    given = {name: _given(value) for name, value in inputs.items()}
    return Counter(written(run(given)) for _ in range(count))


def _given(value):
    if isinstance(value, tuple):
        return [_given(item) for item in value]
    return value if isinstance(value, bool) else int(value) if value.denominator == 1 else value


def written(value):
    """An answer as the distributions write it."""
    if isinstance(value, list | tuple):
        return tuple(written(item) for item in value)
    return value if isinstance(value, bool) else Fraction(value)


def p_value(masses, seen):
    """The probability that samples of ``masses`` (event → probability) lie at least as far from it as these do."""
    count = sum(seen.values())
    statistic, cells = 0.0, 0
    rest_expected, rest_seen = float(count), count
    for output, mass in masses.items():
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
