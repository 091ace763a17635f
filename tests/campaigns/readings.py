"""Random programs, each read in six ways that have to agree.

1. Python itself, with given numbers for noise; 2. a run, given the same; 3. a run of the program as it is printed and
read again; 4. the probability of every answer, from one walk; 5. the probability of one answer, asked alone; 6. runs
with true noise, held against these probabilities, and (where all randomness is finite) every run of Python's, listed.
"""

from collections import Counter
from fractions import Fraction

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.program.printer import fingerprint
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.inputs import answer
from lapwing.kernel.run.interpret import program
from lapwing.search.violation.loss import enclosure
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.kernel.distribution.enumerating import enumerated
from tests.search.violation.sampling import p_value, written
from tests.source.generate import NAME, seeded
from tests.source.test_meaning import Script, environment, run_as_python, run_module
from tests.source.wider import ANSWER, wider

#: How coarse the real numbers of an answer are, and how far Python's floats may be off.
FLOOR, ROUNDING = 2.0**-20, 2.0**-40
#: Noise whose values cannot be listed.
UNLISTED = ("laplace(", "exponential(", "gaussian(")
#: Runs with true noise of each program, and how unlikely they may look: one false alarm in 20,000 campaigns of 5,000.
RUNS, UNLIKELY = 150, 1e-8


def generated(seed):
    """The seed's program: every second has the younger words as well."""
    return wider(seed) if seed % 2 else seeded(seed)


def disagreement(seed):
    """A word for what was compared, and the first two ways that disagree on the seed's program, or None."""
    made = generated(seed)
    text, inputs = made.text, {**made.inputs, **({"ask": lambda _told: ANSWER} if seed % 2 else {})}
    module = parse_text(text)
    printed = parse_text(show_module(module))
    if fingerprint(printed, NAME) != fingerprint(module, NAME):
        return "read", "the program and what is printed of it"
    ours, again = Script(seed), Script(seed)
    try:
        told = run_module(module, inputs, ours)
    except InvalidInput:  # a loop that these numbers keep going
        return "too long", None
    if run_module(printed, inputs, again) != told or again.asked != ours.asked:
        return "run", "a run and a run of what is printed"
    pythons = Script(seed)
    total = True
    try:
        alike = same(run_as_python(text, inputs, pythons), told)
        if not alike or [k for k, _ in pythons.asked] != [k for k, _ in ours.asked]:
            return "run", "Python and a run"
    except (IndexError, ZeroDivisionError):  # Python's: the language is total, and has just run it
        total = False
    subject = Subject(module, module[NAME], Limits(20_000, seconds=2))
    given = subject.inputs({**inputs, **({"ask": [ANSWER] * 100} if seed % 2 else {})})
    try:
        whole = subject.distribution(given)
    except LapwingError:
        return "run", None  # an answer with real noise, or products of draws
    masses = {each: enclosure(mass) for each, mass in whole.masses.items()}
    if abs(sum(map(float, masses.values())) - 1) > 1e-9:
        return "weighed", "probabilities and 1"
    likely = sorted(masses, key=lambda each: -float(masses[each]))
    for each in likely[:2]:
        alone = enclosure(subject.chance(given, each))
        if alone.lower > masses[each].upper or masses[each].lower > alone.upper or alone.width > Fraction(1, 2**40):
            return "weighed", "the probability of an answer asked alone and among all"
    seen = true_runs(module, inputs, RUNS)
    if not all(each in masses and masses[each].upper > 0 for each in seen) or p_value(masses, seen) <= UNLIKELY:
        return "weighed", "runs and probabilities"
    if total and not any(word in text.partition("def ")[2] for word in UNLISTED):
        try:
            listed = enumerated(text, NAME, inputs)
        except (IndexError, ValueError, ZeroDivisionError):  # on a path that the script did not take
            return "weighed", None
        if any(abs(float(whole.probability(each)) - weight) > 1e-12 for each, weight in listed.items()):
            return "listed", "Python's runs, listed, and probabilities"
        return "listed", None
    return "weighed", None


def true_runs(module, inputs, count):
    """Answers of so many runs with true noise, and how often each."""
    run, returns = program(module, NAME), module[NAME].returns
    given = environment(module, inputs)
    return Counter(written(answer(run(dict(given), Meter(10**6)), returns, 20)) for _ in range(count))


def same(pythons, ours):
    """Whether two answers are the same, up to the floor at which real ones leave."""
    if isinstance(pythons, list | tuple):
        return isinstance(ours, type(pythons)) and len(ours) == len(pythons) and all(map(same, pythons, ours))
    if isinstance(pythons, bool) or isinstance(ours, bool):
        return pythons is ours
    return -ROUNDING <= pythons - ours < FLOOR + ROUNDING if isinstance(pythons, float) else pythons == ours


def campaign(count, seed=0):
    """How many programs were compared how far; whatever disagrees is printed."""
    found = Counter()
    for each in range(seed, seed + count):
        how, wrong = disagreement(each)
        found[how] += 1
        if wrong is not None:
            found["CONTRADICTION"] += 1
            print(f"program {each}: {wrong} disagree\n{generated(each).text}", flush=True)
    return found
