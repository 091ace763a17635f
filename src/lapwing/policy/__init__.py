"""What the curator decides about a table: whom to protect, what is public about it, and how much may be lost.

The one idea: a policy holds only public facts, and holds them exactly. Everything the query room may assume about
private data (who a unit is, ranges, keys) is written here by a person, never measured from the table.
"""

from lapwing.policy.document import Analyst, Budget, Policy
from lapwing.policy.identifiers import is_column_name, is_identifier
from lapwing.policy.policy_reader import SUFFIX, read_policy
from lapwing.policy.tables import KINDS, ROLES, Column, Table
from lapwing.policy.writing import policy_text, write_policy

__all__ = [
    "KINDS",
    "ROLES",
    "SUFFIX",
    "Analyst",
    "Budget",
    "Column",
    "Policy",
    "Table",
    "is_column_name",
    "is_identifier",
    "policy_text",
    "read_policy",
    "write_policy",
]
