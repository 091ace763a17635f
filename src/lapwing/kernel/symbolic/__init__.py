"""One run of a mechanism, as formulas: what has to be shown of it, without any solver.

The one idea: terms are expressions of the IR over unknowns. :mod:`walk` goes over the program and collects goals; who
searches for a proof and who checks one ask their own solvers about the same goals. Trust rests on these files and on
the solver of the checker, not on the search.
"""
