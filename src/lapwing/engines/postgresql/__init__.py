"""PostgreSQL as an engine: ``reader`` is the whole of it, and the other files one idea each.

The drivers are an extra, and are imported only when a database is opened.
"""

from lapwing.engines.postgresql.reader import PostgreSQL
from lapwing.engines.postgresql.schemas import describe, kinds, public_keys

__all__ = ["PostgreSQL", "describe", "kinds", "public_keys"]
