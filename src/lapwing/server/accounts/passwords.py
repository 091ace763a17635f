"""Passwords, kept as argon2id hashes: slow on purpose, so that a stolen file does not give them away."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import TYPE_CHECKING

from lapwing.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 8, 1000
#: A hash takes a quarter of a second and 64 MB: more at a time would let strangers fill the machine with attempts.
_AT_A_TIME = threading.BoundedSemaphore(2)


def hashed(password: str) -> str:
    """What is kept of a password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(
            "D110", f"a password has {SHORTEST} to {LONGEST} characters", "Choose a longer one: four words, say"
        )
    with _AT_A_TIME:
        return _hasher().hash(password)


def matches(password: str, kept: str | None) -> bool:
    """Whether this is the password; with nothing kept it takes as long to say no, so that time tells no names."""
    from argon2.exceptions import InvalidHashError, VerificationError

    if len(password) > LONGEST:
        return False
    with _AT_A_TIME, contextlib.suppress(VerificationError, InvalidHashError):
        _hasher().verify(kept if kept is not None else _nobodys(), password)
        return kept is not None
    return False


@functools.cache
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise missing() from None
    return PasswordHasher()


@functools.cache
def _nobodys() -> str:
    return _hasher().hash("nobody has this password")


def missing() -> MissingExtra:
    """What the server needs is not installed."""
    return MissingExtra("D100", "the server is not installed", "Install it with: pip install 'lapwing[server]'")
