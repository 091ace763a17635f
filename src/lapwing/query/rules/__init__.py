"""The typing rules: one file each, one function named for what it does, one fixture file in ``corpus/sql``.

The one idea: a rule takes parts that already carry their types and returns a whole that carries its own, or refuses.
The claim that makes it sound stands in the rule's docstring.
"""
