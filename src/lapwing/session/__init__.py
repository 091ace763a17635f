"""The one orchestrator: quote → charge → run → release.

The one idea: only this room sees the query, the ledger, the engine and the noise together, and it brings them together
in one order, in :mod:`lapwing.session.asking`.
"""

from lapwing.session.asking import Session
from lapwing.session.front_door import open_session, protect_and_open
from lapwing.session.release import Release

__all__ = ["Release", "Session", "open_session", "protect_and_open"]
