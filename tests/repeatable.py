"""Noise that is the same in every run of the tests, so that no verdict of theirs hangs on chance.

The one idea: in the process that runs the tests, every test begins a keystream of its own, keyed by its name. With
LAPWING_EXPLORE=1 noise is fresh, as it is in every process that a test starts.
"""

import os
import zlib

from lapwing.noise import source
from lapwing.noise.seeded import Seeded

#: Where the entropy itself is tested.
FRESH = ("tests/noise/test_source.py", "tests/noise/test_pool.py")


def repeatable(name, patch):
    """From here on the noise of the test ``name``: also noise that was drawn ahead is drawn again."""
    fresh, seeded, process = source._bytes, Seeded(zlib.crc32(name.encode())), os.getpid()

    def taken(count):
        return seeded.words(-(-count // 8)).tobytes()[:count] if os.getpid() == process else fresh(count)

    patch.setattr(source, "_bytes", taken)
    source._after_fork()
