"""From noisy measurements to the table an analyst sees: post-processing, which costs nothing.

The one idea: every number travels with an interval that holds the answer without noise at the confidence asked, through
every step of arithmetic, so that each cell of the table has its ±.
"""

from lapwing.query.answers.cells import Cells
from lapwing.query.answers.table import Answers, Measured, answer

__all__ = ["Answers", "Cells", "Measured", "answer"]
