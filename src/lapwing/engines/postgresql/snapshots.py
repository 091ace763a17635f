"""How a safe look begins: the statements that open one read-only snapshot with nothing left to chance.

The one idea: every setting is made inside the transaction that reads, so neither the role's defaults, nor the
database's, nor a pool of shared connections decides what a statement means. Each line says what it is for.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Seconds to wait for whoever rewrites a table just now.
PATIENCE = 5


def opening(relations: Sequence[str], seconds: int) -> list[str]:
    """The statements that begin a look at these (quoted) relations; ``ROLLBACK`` ends it.

    They are commands, not queries, so none of them takes the snapshot: it is taken by the first SELECT, which is after
    the lock. Otherwise a TRUNCATE between the two would show an empty table ("MVCC caveats" of the manual).
    """
    settings = {
        "search_path": "pg_catalog, pg_temp",  # nobody's floor(), "=" or type stands before PostgreSQL's own
        "row_security": "off",  # a policy that hides rows is an error, not a smaller table
        "statement_timeout": f"'{seconds}s'",
        "lock_timeout": f"'{PATIENCE}s'",
        "idle_in_transaction_session_timeout": "0",
        "TimeZone": "'UTC'",
        "DateStyle": "'ISO, YMD'",
        "IntervalStyle": "'postgres'",
        "extra_float_digits": "1",  # a real has the shortest text that gives it back
        "standard_conforming_strings": "on",  # a backslash in a constant is a backslash
        "client_encoding": "'UTF8'",
        "jit": "off",  # it takes longer to compile these statements than to run them
        "work_mem": "'128MB'",  # counting per person sorts; what does not fit goes to the server's disk
        # A cast hides a column's statistics, so the planner expects a fraction of the rows and has every one of them
        # sent from process to process, which takes longer than what the processes save. One row of sums still may.
        "parallel_tuple_cost": "1000",
    }
    begun = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]
    begun += [f"SET LOCAL {name} = {value}" for name, value in settings.items()]
    if relations:
        begun.append(f"LOCK TABLE {', '.join(relations)} IN ACCESS SHARE MODE")
    return begun
