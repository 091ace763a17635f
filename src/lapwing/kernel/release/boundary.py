"""The boundary of the release rule: whatever a hostile certificate does, it ends here as a rejection.

The one idea: a check raises :class:`Unconfirmed` where a step does not follow; the list below is all else that reading
and checking evidence may run into. Plans and numbers are limited in size where they are read, so checks are quick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lapwing.errors import LapwingError
from lapwing.kernel.rejected import Rejected

_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)
T = TypeVar("T")


class Unconfirmed(Exception):
    """A step of the certificate does not follow."""


def bounded(check: Callable[[], T]) -> T | Rejected:
    """What ``check`` gives; one doubt, and any damage, rejects."""
    try:
        return check()
    except Unconfirmed as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except RecursionError:
        return Rejected("the certificate is nested too deep")
    except _DAMAGE as error:
        return Rejected(f"the certificate is damaged ({type(error).__name__})")
