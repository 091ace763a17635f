"""The only entropy in the package: a keystream keyed by the operating system.

The one idea: no two processes, threads or interrupted calls may ever be handed the same bytes, for equal noise
on two answers cancels when they are subtracted. So each thread runs its own AES-256-CTR keystream; a fork
throws every key away and changes :func:`generation`, on which whoever stores drawn values must drop them; and
bytes are taken from the cipher in one uninterruptible call, so a signal handler that draws noise in the middle
of a draw gets later bytes, never the same ones.

Keys are replaced from their own keystream every :data:`REKEY_BYTES` (fast key erasure): memory seen by an
attacker tomorrow does not tell the noise of today.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

KEY_BYTES = 32
#: A key makes at most this many bytes, plus those of the request that passes the limit.
REKEY_BYTES = 1 << 18


class Source(Protocol):
    """Where samplers get uniform bits from: :data:`SECURE`, or a scripted sequence in a test."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """``count`` independent uniform 64-bit words (the array may be read-only)."""

    def halfwords(self, count: int) -> NDArray[np.uint16]:
        """``count`` independent uniform 16-bit words (the array may be read-only)."""

    def random_bits(self, count: int) -> int:
        """A uniform integer in [0, 2^count)."""


class _Keystream:
    """One thread's AES-256-CTR keystream. The counter may start at 0 because no key is used twice."""

    __slots__ = ("_cipher", "_left")

    def __init__(self) -> None:
        self._start(os.urandom(KEY_BYTES))

    def _start(self, key: bytes) -> None:
        self._cipher: CipherContext = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._left = REKEY_BYTES

    def take(self, count: int) -> bytes:
        taken = self._cipher.update(bytes(count))  # one call into C: nothing can come between reading and moving on
        self._left -= count
        if self._left <= 0:
            self._start(self._cipher.update(bytes(KEY_BYTES)))
        return taken


class _Process:
    """What belongs to one process: its number, a counter of forks before it, and its threads' keystreams."""

    __slots__ = ("forks", "number", "threads")

    def __init__(self, forks: int) -> None:
        self.number = os.getpid()
        self.forks = forks
        self.threads = threading.local()


_process = _Process(0)


def _after_fork() -> None:
    global _process
    _process = _Process(_process.forks + 1)


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_after_fork)


def generation() -> int:
    """A number that changes in a forked child: values drawn under another one are the parent's, not ours."""
    if os.getpid() != _process.number:  # forked by C code that did not tell Python
        _after_fork()
    return _process.forks


def _bytes(count: int) -> bytes:
    while True:
        before = generation()
        threads = _process.threads
        try:
            keystream: _Keystream = threads.keystream
        except AttributeError:
            keystream = threads.keystream = _Keystream()
        taken = keystream.take(count)
        if generation() == before:  # else a signal handler forked while we drew, and our parent has these bytes too
            return taken


class _Secure:
    """The :class:`Source` that every sampler uses unless a test says otherwise."""

    __slots__ = ()

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(_bytes(8 * count), dtype=np.uint64)

    def halfwords(self, count: int) -> NDArray[np.uint16]:
        return np.frombuffer(_bytes(2 * count), dtype=np.uint16)

    def random_bits(self, count: int) -> int:
        size = (count + 7) // 8
        return int.from_bytes(_bytes(size), "little") >> (8 * size - count)


SECURE: Source = _Secure()
