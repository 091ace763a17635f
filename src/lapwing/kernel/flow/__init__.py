"""Evidence about information flow, examined again: labels re-derived, two runs rebuilt, witnesses run once more."""

from lapwing.kernel.flow.evidence import Confirmed, check_flow

__all__ = ["Confirmed", "check_flow"]
