"""Proving a text the way the command does: a certificate counts only when the checker accepts it."""

from lapwing.decide.texts import check_certificate
from lapwing.kernel.confined import confined
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.search.privacy import attempts
from lapwing.source.parse import parse_text
from tests.conftest import EXPLORE

#: Seconds of computing to look for a proof of what has none: without one, all of them are used up.
IN_VAIN = 20 if EXPLORE else 2
#: Seconds more for what does not look at a clock, after which nothing was found.
ENDING = 4


def certificates(text, name=None, file="mechanism.py", seconds=20):
    """Every certificate that is found for one mechanism (the last, unless named), one after the other."""
    name = name or parse_text(text, file).mechanisms[-1].name
    module = parse_text(text, file, only=name)
    return (each for each in attempts(module, name, file, seconds) if isinstance(each, Certificate))


def proved(text, name=None, file="mechanism.py", seconds=20):
    """The first certificate that the checker accepts, or None."""
    for certificate in certificates(text, name, file, seconds):
        if isinstance(checked(certificate, text), Proved):
            return certificate
    return None


def checked(certificate, text):
    """What the kernel says; of a δ in a process of its own, as a solver may forget the time over its logarithms."""
    if certificate.measure == "approximate":
        return confined(lambda: check_certificate(certificate, text))
    return check_certificate(certificate, text)


def unproved(text, name=None, file="mechanism.py"):
    """Whether the search finds nothing that the checker accepts; in a process of its own, as the command does."""
    found = confined(lambda: proved(text, name, file, IN_VAIN) is not None, IN_VAIN + ENDING)
    return isinstance(found, Rejected) or not found
