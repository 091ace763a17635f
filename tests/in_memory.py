"""Files of the tests lie in memory where there is room for them: nearly all that most of them wait for is a disk.

The one idea: the folder for temporary files is another one, for the tests and for every process that they start. Locks,
transactions and kills are the same there; only a power failure would not be, and no test has one. TMPDIR names another.
"""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108  # everybody makes folders of their own in it
#: The bytes that must be free: containers often have next to none.
ROOM = 2 * 2**30


def move():
    """Temporary files of this process and its children lie in memory from here on, where that can be."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = str(MEMORY)


def _has_room():
    return (
        os.access(MEMORY, os.W_OK | os.X_OK)
        and not os.statvfs(MEMORY).f_flag & getattr(os, "ST_NOEXEC", 0)
        and shutil.disk_usage(MEMORY).free >= ROOM
    )
