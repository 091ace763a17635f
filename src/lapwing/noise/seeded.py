"""Choices that can be made again: a source of bits that a seed decides. For choosing inputs, never for noise.

The one idea: the same cipher as in :mod:`lapwing.noise.source`, with a key that is a digest of the seed. Whoever knows
the seed knows every bit, so nothing that protects anybody may be drawn from here.
"""

from __future__ import annotations

import hashlib

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray


class Seeded:
    """A :class:`~lapwing.noise.source.Source` whose bits follow from a whole number."""

    __slots__ = ("_cipher",)

    def __init__(self, seed: int) -> None:
        key = hashlib.sha256(f"lapwing choices {seed}".encode()).digest()
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    def words(self, count: int) -> NDArray[np.uint64]:
        """``count`` 64-bit words."""
        return np.frombuffer(self._cipher.update(bytes(8 * count)), dtype=np.uint64)

    def halfwords(self, count: int) -> NDArray[np.uint16]:
        """``count`` 16-bit words."""
        return np.frombuffer(self._cipher.update(bytes(2 * count)), dtype=np.uint16)

    def random_bits(self, count: int) -> int:
        """A whole number in [0, 2^count)."""
        size = (count + 7) // 8
        return int.from_bytes(self._cipher.update(bytes(size)), "little") >> (8 * size - count)
