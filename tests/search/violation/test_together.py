"""Claims that are false only where several things come together: parameters, numbers of an answer, halves of a list."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.search.violation.claimed_numbers import claim_value
from lapwing.search.violation.crowds import opposed
from lapwing.search.violation.explore import Search, first_among
from lapwing.search.violation.layers import layered
from lapwing.search.violation.neighbouring import Neighbourhood
from lapwing.search.violation.probing import Probe, nearness
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "together"}
#: Those of the shelf that are decided in a moment.
QUICK = (
    "geometric_one_sided", "geometric_one_sided_p", "geometric_two_coins", "weights_above_one", "prices_squared",
    "price_per_group", "median_of_five", "responses_again", "histogram_gaussian_replaced",
)  # fmt: skip


def _search(text, **settings):
    module = parse_text(text)
    (mechanism,) = module
    subject = Subject(module, mechanism)
    return Search(Neighbourhood(subject, next(assignments(subject, settings))))


@pytest.mark.parametrize("name", QUICK)
def test_they_are_refuted(name):
    assert decide_text(SHELF[name].text, name).verdict == "refuted"


# --- parameters ---

RESPONSES, ADVANCED = SHELF["responses_again"].text, "sqrt(2 * k * ln(1 / delta)) * epsilon"


def _probed(text):
    search = _search(text)
    found = []
    probe = Probe(search, search.best_at(1))
    for other, pair in probe.each():
        finding = probe.look(other, pair)
        if finding is not None:
            found.append((other, finding))
            if other.refutes(finding):
                break
    return found


def test_parameters_are_changed_until_the_claim_is_passed():
    *before, (search, finding) = _probed(RESPONSES)
    assert search.refutes(finding)
    assert not any(other.refutes(each) for other, each in before)
    (at, start), changed = before[0], search.neighbourhood.public
    assert sum(changed[name] != value for name, value in at.neighbourhood.public.items()) >= 2
    claims = [
        claim_value(each.neighbourhood.subject.mechanism, f.pair.left) for each, f in ((at, start), (search, finding))
    ]
    assert nearness(start, claims[0]) < 1 < nearness(finding, claims[1])


@pytest.mark.parametrize(
    "claim", ["k * epsilon", "sqrt(2 * k * ln(1 / delta)) * epsilon + k * epsilon * (exp(epsilon) - 1)"]
)
def test_what_is_true_is_not_passed_by_probing(claim):
    text = RESPONSES.replace(ADVANCED, claim)
    found = _probed(text)
    assert len({tuple(search.neighbourhood.public.items()) for search, _ in found}) > 5
    assert not any(search.refutes(finding) for search, finding in found)


def test_no_set_of_parameters_is_asked_twice():
    search = _search(RESPONSES)
    probe = Probe(search, search.best_at(1))
    asked = []
    for other, pair in probe.each():
        asked.append(pair.key)
        probe.look(other, pair)
    assert len(asked) == len(set(asked))


# --- numbers of an answer ---

BINS = SHELF["histogram_gaussian_replaced"].text


def _layered(text):
    search = _search(text)
    best = search.best_at(1)
    return search, best, layered(search, best)


def test_a_slanted_event_tells_more_than_a_corner():
    search, corner, slanted = _layered(BINS)
    assert not search.refutes(corner)
    assert search.refutes(slanted)


def test_layers_exclude_each_other_and_pass_no_true_claim():
    search, _, slanted = _layered(BINS.replace("/ epsilon\n", "/ epsilon * sqrt(2)\n"))
    assert slanted is None or not search.refutes(slanted)
    search, _, slanted = _layered(BINS)
    again = search.evaluate(slanted.pair, slanted.event)
    parts = [search.evaluate(slanted.pair, each) for each in slanted.event.events]
    assert len(parts) > 3
    assert float(sum(each.left.lower for each in parts)) == pytest.approx(float(again.left.lower), rel=1e-9)


# --- halves of a list ---

BETWEEN = SHELF["between_thresholds_same_sign"].text


def test_lists_with_halves_at_two_numbers():
    search = _search(BETWEEN, low=-10, high=10)
    pairs = list(opposed(search.neighbourhood))
    assert pairs
    assert all(search.neighbourhood.valid(pair) for pair in pairs)
    assert search.refutes(first_among(search, pairs))
    true = _search(BETWEEN.replace('claim="epsilon"', 'claim="len(q) * epsilon / 4"'), low=-10, high=10)
    assert not true.refutes(first_among(true, opposed(true.neighbourhood)))


@pytest.mark.parametrize("relation", ["one(1)", "rises(1)", "monotone(1)"])
def test_other_relations_have_no_such_halves(relation):
    text = BETWEEN.replace("each(1)", relation)
    assert not list(opposed(_search(text, low=-10, high=10).neighbourhood))
