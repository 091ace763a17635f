"""Plans printed as SQL that an engine runs: exact whole numbers out, before any noise.

The one idea: the statement computes the very function whose sensitivity was typed. Every value is clipped and floored
again here, every person's rows are bounded here, so a declared range that the data break cannot break the proof; and
every expression is total, so neither an error nor a missing answer depends on the data.
"""

from lapwing.query.lowering.converting import as_kind
from lapwing.query.lowering.dialects.dialect import stored_name
from lapwing.query.lowering.dialects.postgresql import short_name
from lapwing.query.lowering.lower import Lowered, Statement, lower
from lapwing.query.lowering.public import PublicKeys, most_alike

__all__ = ["Lowered", "PublicKeys", "Statement", "as_kind", "lower", "most_alike", "short_name", "stored_name"]
