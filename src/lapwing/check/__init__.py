"""What a person has to trust: evidence computed again from the source, accepted or rejected.

The one idea: a checker shares nothing with the searcher but the language and the shape of evidence. It has its own
reading of programs and its own arithmetic, chosen for plainness.
"""

from lapwing.check.witness import Accepted, Rejected, check_witness

__all__ = ["Accepted", "Rejected", "check_witness"]
