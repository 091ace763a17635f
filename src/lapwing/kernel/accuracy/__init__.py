"""Is a certificate of accuracy right? Every condition is rebuilt from the source and put to a solver (cvc5).

The one idea: two questions, apart from each other. Does the condition hold on every run on which no draw leaves its
margin (:mod:`lapwing.kernel.symbolic.one_run`)? And do the margins cost no more than β, and fit into what the condition
allows (:mod:`logarithms`)?
"""

from lapwing.kernel.accuracy.certificate import Shown, check_accuracy

__all__ = ["Shown", "check_accuracy"]
