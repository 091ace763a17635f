"""Proving privacy claims: sensitivities first, then couplings. What comes out is a certificate, not yet a verdict.

The one idea: this room only searches. :func:`attempts` yields certificates; *proved* is said by whoever also sees
``lapwing.kernel``, and only when that accepts one of them.
"""

from lapwing.search.privacy.attempts import attempts
from lapwing.search.privacy.outcome import Failed

__all__ = ["Failed", "attempts"]
