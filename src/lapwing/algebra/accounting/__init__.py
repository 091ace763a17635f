"""The accountant: how private a whole sum of mechanisms is.

Every number returned is an upper bound on the true ε (or δ), rounded outward, unless its row says otherwise.
"""

from lapwing.algebra.accounting.account import Account, Row, account, epsilon_by_count
from lapwing.algebra.accounting.expression import Expression, parse
from lapwing.algebra.accounting.methods import METHODS, RIGOROUS

__all__ = ["METHODS", "RIGOROUS", "Account", "Expression", "Row", "account", "epsilon_by_count", "parse"]
