"""SQL read as a typed plan: what one person can change in the answer is known before anything runs.

The one idea: every node of a plan carries a proved fact (how many rows a person can own there, what range a column
has), one rule per file in ``rules``; a query for which no rule gives a finite bound is refused.
"""
