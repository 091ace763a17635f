"""The guided tour: one file per stop, in the order in which they are visited.

The one idea: nothing is staged. Every stop runs the real commands on a temporary copy of the bundled tables, whose
people do not exist; so the tour may also show the truth, which only the curator of a real table could see.
"""

from lapwing.cli.touring.clinic import Clinic, open_clinic
from lapwing.cli.touring.database import in_database
from lapwing.cli.touring.route import ASKING, MORE, TOUR
from lapwing.cli.touring.stop import Seen, Stop

__all__ = ["ASKING", "MORE", "TOUR", "Clinic", "Seen", "Stop", "in_database", "open_clinic"]
