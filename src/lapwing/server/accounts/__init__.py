"""Accounts: who may knock, with what, and a chain of what happened at the door.

The one idea: nothing in the file of accounts lets anybody in. Passwords are kept as argon2id hashes, tokens and the ids
of browser sessions as SHA-256 (they are 256 random bits, which nobody guesses), so a stolen copy opens nothing.
"""

from lapwing.server.accounts.accounts import FILE, Account, Accounts, Login
from lapwing.server.accounts.event_chain import Event
from lapwing.server.accounts.tokens import SCOPES, Token

__all__ = ["FILE", "SCOPES", "Account", "Accounts", "Event", "Login", "Token"]
