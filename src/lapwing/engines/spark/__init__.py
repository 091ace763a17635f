"""Spark as an engine, through Spark Connect: ``reader`` is the whole of it, and the other files one idea each.

The driver is an extra, and is imported only when a cluster is opened.
"""

from lapwing.engines.spark.reader import Spark
from lapwing.engines.spark.schemas import describe, kinds, public_keys

__all__ = ["Spark", "describe", "kinds", "public_keys"]
