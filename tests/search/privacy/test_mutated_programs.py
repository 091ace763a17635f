"""No mutant of the corpus is both proved at a bound and found to violate it; ``tests.campaigns`` runs more."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from lapwing.decide.privacy import bare
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.corpus import programs
from tests.search.privacy.mutated import campaign, contradiction, first_mutants, glimpse, mutants
from tests.search.privacy.proving import proved

#: 500 mutants in all, in parts that can be shared out.
PARTS, EACH, SEED = 10, 50, 7
#: Seconds to look for a proof: what takes longer is unknown, which contradicts nothing.
SECONDS = 0.4


@pytest.mark.parametrize("part", range(PARTS))
def test_proofs_and_refutations_of_mutants_never_contradict_each_other(part):
    mine = first_mutants(PARTS * EACH, SEED)[part * EACH : (part + 1) * EACH]
    found = campaign(mine, glimpse, SECONDS)
    assert found["CONTRADICTION"] == 0
    assert found["proved, nothing found against it"] >= 5


def test_mutants_are_of_every_kind_differ_and_repeat_with_the_seed():
    first = first_mutants(PARTS * EACH, SEED)
    kinds = Counter(label.rpartition(", ")[2] for label, _, _ in first)
    expected = {"scale", "comparison", "shift", "missing stop", "reused noise", "noise", "operator", "constant", "name"}
    assert {kind for kind, count in kinds.items() if count >= 10} >= expected
    assert len({text for _, text, _ in first}) == PARTS * EACH >= 500
    assert first[:8] == tuple(islice(mutants(SEED), 8))


@pytest.mark.parametrize("stem", ["noisy_max", "sparse_vector", "histogram", "noisy_sum_1", "lyu_2", "coin_toss"])
def test_a_glimpse_notices_a_bound_that_is_too_small_by_a_third(stem):
    program = next(each for each in programs("proved") if each.path.stem == stem)
    text = show_module(bare(parse_text(program.path.read_text()), program.mechanism))
    certificate = proved(text, program.mechanism)
    pretended = replace(certificate, bound=f"2 / 3 * ({certificate.bound})")
    assert glimpse(text, program.mechanism, certificate) is None
    assert glimpse(text, program.mechanism, pretended) is not None


def test_the_whole_search_notices_more():
    program = next(each for each in programs("refuted") if each.path.stem == "lyu_5")
    text = program.path.read_text().replace(', claim="epsilon"', "")
    name = parse_text(text).mechanisms[-1].name
    pretended = Certificate("m.py", name, "-", "epsilon", "len(q) * epsilon", None, None)
    assert contradiction(text, name, pretended) is not None
