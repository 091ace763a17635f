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
from lapwing.search.violation.loss import enclosure
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.kernel.distribution.enumerating import enumerated
from tests.search.violation.sampling import p_value, samples
from tests.source.generate import NAME, seeded
from tests.source.test_meaning import Script, run_as_program, run_as_python

#: Runs with true noise of each program, and how unlikely they may look: one false alarm in 20,000 campaigns of 5,000.
RUNS, UNLIKELY = 150, 1e-8


def disagreement(seed):
    """A word for what was compared, and the first two ways that disagree on the seed's program, or None."""
    generated = seeded(seed)
    text, inputs = generated.text, generated.inputs
    module = parse_text(text)
    printed = show_module(module)
    if fingerprint(parse_text(printed), NAME) != fingerprint(module, NAME):
        return "read", "the program and what is printed of it"
    ours, again = Script(seed), Script(seed)
    try:
        answer = run_as_program(text, inputs, ours)
    except InvalidInput:  # a loop that these numbers keep going
        return "too long", None
    if run_as_program(printed, inputs, again) != answer or again.asked != ours.asked:
        return "run", "a run and a run of what is printed"
    pythons = Script(seed)
    total = True
    try:
        if run_as_python(text, inputs, pythons) != answer or [k for k, _ in pythons.asked] != [
            k for k, _ in ours.asked
        ]:
            return "run", "Python and a run"
    except IndexError:  # Python's: the language is total, and has just run it
        total = False
    subject = Subject(module, module[NAME], Limits(20_000, seconds=2))
    given = subject.inputs(inputs)
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
    seen = samples(subject, given, RUNS)
    if not all(each in masses and masses[each].upper > 0 for each in seen) or p_value(masses, seen) <= UNLIKELY:
        return "weighed", "runs and probabilities"
    if total and "laplace(" not in text.partition("def ")[2]:
        try:
            listed = enumerated(text, NAME, inputs)
        except (IndexError, ValueError, ZeroDivisionError):  # on a path that the script did not take
            return "weighed", None
        if any(abs(float(whole.probability(each)) - weight) > 1e-12 for each, weight in listed.items()):
            return "listed", "Python's runs, listed, and probabilities"
        return "listed", None
    return "weighed", None


def campaign(count, seed=0):
    """How many programs were compared how far; whatever disagrees is printed."""
    found = Counter()
    for each in range(seed, seed + count):
        how, wrong = disagreement(each)
        found[how] += 1
        if wrong is not None:
            found["CONTRADICTION"] += 1
            print(f"program {each}: {wrong} disagree\n{seeded(each).text}")
    return found
