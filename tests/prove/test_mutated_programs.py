"""No mutant of the corpus is both proved at a bound and found to violate it; tests/prove/mutated.py runs more."""

from itertools import islice

from lapwing.evidence.certificate import Certificate
from lapwing.program import parse_text
from tests.corpus import programs
from tests.prove.mutated import campaign, contradiction, mutants


def test_proofs_and_refutations_of_mutants_never_contradict_each_other():
    found = campaign(8, seed=7)
    assert found["CONTRADICTION"] == 0
    assert found["proved, nothing found against it"] >= 3


def test_a_bound_that_is_too_small_would_be_noticed():
    program = next(each for each in programs("refuted") if each.path.stem == "lyu_5")
    text = program.path.read_text().replace(', claim="epsilon"', "")
    name = parse_text(text).mechanisms[-1].name
    pretended = Certificate("m.py", name, "-", "epsilon", "len(q) * epsilon", None, None)
    assert contradiction(text, name, pretended) is not None


def test_mutants_differ_and_repeat_with_the_seed():
    first = [text for _, text, _ in islice(mutants(3), 8)]
    assert len(set(first)) == 8
    assert first == [text for _, text, _ in islice(mutants(3), 8)]
