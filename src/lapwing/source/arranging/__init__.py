"""Programs in other words, from IR to IR: lists where they are used, noise where it is seen, prices where they are due.

The one idea: what people write in many ways is one program that proofs follow. Each file knows one such way, and its
docstring says why the other words mean the same; ``in_order`` is the one place that says which comes first. What runs
is what is proved: both are read here.
"""
