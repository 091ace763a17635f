"""From text to a syntax tree: the only files, besides lowering, that know how sqlglot sees SQL.

The one idea: a syntax tree is read by listing what is understood of each node (`shape.only`); a clause or flag that
was not listed is refused, never skipped, so nothing in a query can be silently ignored.
"""
