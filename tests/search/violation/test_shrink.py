from fractions import Fraction

from lapwing.kernel.evidence.event import Between
from lapwing.search.violation.explore import Search
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.shrink import shrunk
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_file
from tests.corpus import ROOT


def search_of(name, **public):
    module = parse_file(ROOT / "refuted" / f"{name}.py")
    subject = Subject(module, list(module)[-1])
    return Search(Neighbourhood(subject, {name: Fraction(value) for name, value in public.items()}))


def test_an_unwieldy_violation_becomes_a_small_one_and_stays_a_violation():
    search = search_of("lyu_6", threshold=0, epsilon=1)
    public = {"threshold": Fraction(0), "epsilon": Fraction(1)}
    left = {"q": tuple(map(Fraction, (37, 41, -52, -33))), **public}
    right = {"q": tuple(map(Fraction, (38, 42, -53, -34))), **public}
    start = search.evaluate(Pair(left, right), (False, False, True, True))
    assert search.refutes(start)
    small = shrunk(search, start)
    assert search.refutes(small)
    assert small.n == 3
    assert max(abs(x) for x in small.pair.left["q"]) <= 1
    assert search.neighbourhood.valid(small.pair)


def test_what_is_already_smallest_stays():
    search = search_of("bad_partial_sum", epsilon=1)
    pair = Pair(*({"q": (Fraction(x),), "epsilon": Fraction(1)} for x in (0, 1)))
    start = search.evaluate(pair, Between(None, Fraction(0)))
    assert shrunk(search, start) == start
