"""What a person has to trust: evidence computed again from the source, accepted or rejected.

The one idea: evidence is computed again by other means than it was found by. The checker has its own evaluation of
programs and its own arithmetic of distributions, chosen for plainness. What it shares with the searchers is: the parser
and the IR (with the types that the parser settled), the check that two inputs are neighbours, a trial run that a
mechanism accepts its public parameters, ball arithmetic, and the shape of evidence. A mistake in one of these is seen
by neither side; tests hold them against Python itself and against sampling.
"""

from lapwing.check.certificate import Proved, check_certificate
from lapwing.check.rejected import Rejected
from lapwing.check.witness import Accepted, check_witness

__all__ = ["Accepted", "Proved", "Rejected", "check_certificate", "check_witness"]
