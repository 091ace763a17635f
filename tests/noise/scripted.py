"""A source that says what a test wants first, and goes on with real randomness."""

import numpy as np

from lapwing.noise.source import SECURE


class Scripted:
    """``buckets`` answer halfwords, ``fine`` words and ``bits`` random_bits, in order; then the secure source."""

    def __init__(self, buckets=(), fine=(), bits=()):
        self.queues = {"halfwords": list(buckets), "words": list(fine), "bits": list(bits)}

    def _array(self, kind, count, dtype):
        drawn = np.array(getattr(SECURE, kind)(count))
        queue = self.queues[kind]
        scripted, queue[:] = queue[:count], queue[count:]
        drawn[: len(scripted)] = np.array(scripted, dtype=dtype)
        return drawn

    def halfwords(self, count):
        return self._array("halfwords", count, np.uint16)

    def words(self, count):
        return self._array("words", count, np.uint64)

    def random_bits(self, count):
        return self.queues["bits"].pop(0) if self.queues["bits"] else SECURE.random_bits(count)

    @property
    def used_up(self):
        return not any(self.queues.values())
