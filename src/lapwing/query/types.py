"""What is known about a column and about a relation, as the kernel's plans hold it."""

from lapwing.kernel.evidence.expressions import ColumnType
from lapwing.kernel.evidence.plan import RelationType

__all__ = ["ColumnType", "RelationType"]
