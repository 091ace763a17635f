"""Derives and checks accuracy the way the command does, from a text or a file of the corpus."""

from functools import cache
from pathlib import Path

from lapwing.decide.texts import check_accuracy
from lapwing.kernel.accuracy import Shown
from lapwing.search.accuracy import Failed, attempts
from lapwing.source.conditions import read_condition
from lapwing.source.parse import parse_text

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
HEADER = (
    "from lapwing import accurate, choose, each, exponential, flip, gaussian, laplace, mechanism, one, within\n\n\n"
)


def derived(source, condition, beta="beta", name="f.py", gamma=None):
    """The first certificate that is accepted, with what it shows; else the reason."""
    module = parse_text(source, name)
    mechanism = module.mechanisms[-1]
    reason = "no attempt"
    for attempt in attempts(module, mechanism.name, name, read_condition(mechanism, condition, beta), gamma=gamma):
        if isinstance(attempt, Failed):
            return None, attempt.reason
        verdict = check_accuracy(attempt, source)
        if isinstance(verdict, Shown):
            return attempt, verdict
        reason = verdict.reason
    return None, reason


@cache
def of_corpus(path, condition, beta="beta"):
    """The same for a file of the corpus."""
    return derived((CORPUS / path).read_text(), condition, beta, path)


def gamma_of(certificate):
    """The margin that was found."""
    return next(bound.value for bound in certificate.bounds if bound.part == "gamma")
