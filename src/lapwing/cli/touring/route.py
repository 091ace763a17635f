"""The stops in the order of the tour, and those that are only visited with ``--all``."""

from __future__ import annotations

from lapwing.cli.touring import (
    accounting,
    attacks,
    certificates,
    linkage,
    neighbours,
    protection,
    proving,
    questions,
    refuting,
    survey,
)
from lapwing.cli.touring.stop import Stop

#: A stop may count on those before it: the tables are protected at the second.
TOUR: tuple[Stop, ...] = (
    linkage.STOP,
    protection.STOP,
    questions.STOP,
    attacks.STOP,
    certificates.STOP,
    proving.STOP,
    refuting.STOP,
)
#: Those that ask in SQL, which are the same on every engine.
ASKING: tuple[Stop, ...] = (linkage.STOP, protection.STOP, questions.STOP, attacks.STOP, certificates.STOP)
MORE: tuple[Stop, ...] = (neighbours.STOP, survey.STOP, accounting.STOP)
