"""Certificates written by hand for the corpus: every part of each is needed, so that to change one is to break it."""

from lapwing.kernel.evidence.certificate import (
    Branch,
    Certificate,
    Cost,
    Coupling,
    Enumeration,
    Invariant,
    Joint,
    Sensitivity,
    Site,
)
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.source.parse import parse_text
from tests.corpus import ROOT

ABOVE = Branch("x + draw() >= noisy_threshold", "1 - hat(x)", "0")
ALONG = Branch(ABOVE.guard, "hat(noisy_threshold) - hat(x)", "0")
COUNTED = "hat(above) == 0 and above <= limit"


def claim_of(mechanism):
    match mechanism.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value):
            return show(value)


def certify(path, text, proof, bound, measure="epsilon", name=None):
    """A certificate that says what it should about its source."""
    module = parse_text(text, path)
    name = name or module.mechanisms[-1].name
    return Certificate(path, name, fingerprint(module, name), measure, bound, claim_of(module[name]), proof)


def coupling(sites, invariants=(), ghost="none", joint=()):
    sites = tuple(Site(number, *site) for number, site in enumerate(sites, 1))
    return Coupling(ghost, sites, tuple(Invariant(number, each) for number, each in enumerate(invariants, 1)), joint)


MAX = (
    "round(1) <= output() and cost(1) == 0 and abs(hat(largest)) <= 1"
    " and (best < round(1) or round(1) == 0 and hat(best) == 0)"
    " or round(1) > output() and (best != output()"
    " or cost(1) <= 2 and other(best) == output() and hat(largest) == 1)"
)
ONE_ROW = "(round(1) > where(q) or cost(1) == 0) and cost(1) <= 1"
COUPLINGS = {
    "sparse_vector": (
        coupling([("1", "1"), (ABOVE, "2 * limit")], [f"{COUNTED} and cost(2) <= 2 * above"]),
        "epsilon",
    ),
    "sparse_vector_rises": (
        coupling([(Branch("rising(q)", "1", "0"), "1"), (ALONG, "limit")], [f"{COUNTED} and cost(2) <= above"]),
        "epsilon",
    ),
    "sparse_vector_falls": (
        coupling([(Branch("rising(q)", "1", "0"), "1"), (ALONG, "limit")], [f"{COUNTED} and cost(2) <= above"]),
        "epsilon",
    ),
    "lyu_2": (
        coupling(
            [("1", "1"), (ABOVE, "2 * limit"), (Branch("above + 1 < limit", "1", "0"), "limit - 1")],
            [
                "hat(above) == 0 and cost(2) <= 2 * above and (above < limit and hat(noisy_threshold) == 1"
                " and cost(3) <= above or above == limit and cost(3) <= above - 1)"
            ],
        ),
        "epsilon",
    ),
    "lyu_4": (
        coupling([("1", "1"), (ABOVE, "2 * limit")], [f"{COUNTED} and cost(2) <= 2 * above"]),
        "(1 + 6 * limit) / 4 * epsilon",
    ),
    "gap_sparse_vector": (
        coupling([("1", "1"), (ABOVE, "2 * limit")], [f"{COUNTED} and cost(2) <= 2 * above"]),
        "epsilon",
    ),
    "numeric_sparse_vector": (
        coupling(
            [("1", "1"), (ABOVE, "2 * limit"), ("-hat(x)", "limit")],
            [f"{COUNTED} and cost(2) <= 2 * above and cost(3) <= above"],
        ),
        "epsilon",
    ),
    "adaptive_sparse_vector": (
        coupling(
            [
                ("1", "1"),
                (Branch("x + draw() - noisy_threshold >= margin", "1 - hat(x)", "0"), "joint"),
                (Branch("x + draw() - noisy_threshold >= 0", "1 - hat(x)", "0"), "joint"),
            ],
            ["hat(spent) == 0 and spent <= 2 * limit and cost(2) + 2 * cost(3) <= 2 * spent"],
            joint=(Joint(((2, 1), (3, 2)), "4 * limit"),),
        ),
        "epsilon",
    ),
    "noisy_max": (coupling([(Branch("i == output()", "1 - hat(x)", "0"), "2")], [MAX], "output"), "epsilon"),
    "histogram": (coupling([("-hat(x_1)", "1")], [ONE_ROW]), "epsilon"),
    "prefix_sum": (coupling([("-hat(x)", "1")], [f"{ONE_ROW} and hat(total) == 0"]), "epsilon"),
    "prefix_sum_each": (
        coupling([("-hat(x)", "len(q)")], ["cost(1) <= round(1) and hat(total) == 0"]),
        "len(q) * epsilon",
    ),
    "partial_sum": (
        coupling([("-hat(total)", "1")], ["(round(1) > where(q) or hat(total) == 0) and abs(hat(total)) <= 1"]),
        "epsilon",
    ),
    "noisy_sum_1": (
        coupling([("-hat(s)", "b")], ["(i > where(a) or hat(s) == 0) and abs(hat(s)) <= b and i >= 0"]),
        "b * epsilon",
    ),
    "noisy_sum_2_one": (
        coupling(
            [("-hat(a[i])", "b")],
            ["(i > where(a) or cost(1) == 0) and hat(s) == 0 and cost(1) <= b and i >= 0"],
        ),
        "b * epsilon",
    ),
    "noisy_sum_2_each": (
        coupling([("-hat(a[i])", "b * len(a)")], ["hat(s) == 0 and cost(1) <= i * b and i <= len(a)"]),
        "len(a) * b * epsilon",
    ),
    "smart_sum": (
        coupling(
            [("-hat(total) - hat(x)", "1"), ("-hat(x)", "1")],
            [
                "hat(running) == 0 and hat(finished) == 0 and (round(1) > where(q)"
                " or cost(1) == 0 and cost(2) == 0 and hat(total) == 0)"
                " and cost(2) <= 1 and cost(1) + abs(hat(total)) <= 1"
            ],
        ),
        "2 * epsilon",
    ),
}  # fmt: skip

P = "ln(max(1 + p / ((1 - p) * (1 - p)), 1 + 1 / (1 - p)))"
OTHERS = {
    "gaussian_answer": (Sensitivity((Cost(1, "1", "1 / (2 * sigma * sigma)"),)), "1 / (2 * sigma * sigma)", "rho"),
    "exponential_mechanism": (Sensitivity((Cost(1, "2 * sensitivity", "epsilon"),)), "epsilon", "epsilon"),
    "randomized_response": (Enumeration(rows=False), "ln(3)", "epsilon"),
    "coin_toss": (Enumeration(rows=True), "ln(3)", "epsilon"),
    "randomized_response_p": (Enumeration(rows=False), P, "epsilon"),
    "exponential_response": (Enumeration(rows=False), "epsilon", "epsilon"),
}


def source(stem, folder="proved"):
    return (ROOT / folder / f"{stem}.py").read_text()


def all_certificates():
    """Every certificate with the text of its source, by name."""
    found = {}
    for stem, (proof, bound) in COUPLINGS.items():
        found[stem] = certify(f"corpus/proved/{stem}.py", source(stem), proof, bound), source(stem)
    for stem, (proof, bound, measure) in OTHERS.items():
        found[stem] = certify(f"corpus/proved/{stem}.py", source(stem), proof, bound, measure), source(stem)
    text = source("two_counts")
    once = Sensitivity((Cost(1, "1", "epsilon"),))
    inner = certify("corpus/proved/two_counts.py", text, once, "epsilon", name="noisy_count")
    twice = Sensitivity((Cost(1, "1", "epsilon"), Cost(2, "1", "epsilon")), (inner,))
    found["noisy_count"] = inner, text
    found["two_counts"] = certify("corpus/proved/two_counts.py", text, twice, "2 * epsilon"), text
    return found


CERTIFICATES = all_certificates()
