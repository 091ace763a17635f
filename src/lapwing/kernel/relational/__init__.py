"""Is a coupling right? The conditions are rebuilt by a walk over the program and put to a solver (cvc5).

The one idea: two runs side by side, as terms. :mod:`execution` walks the program once and asks at each place what has
to hold there; every question is "do these facts entail this?", and an answer other than yes rejects the certificate.
"""
