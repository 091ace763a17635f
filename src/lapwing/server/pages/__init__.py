"""Pages for people: made on the server, whole without scripts, and better with one.

The one idea: a page shows what a session, a ledger or the file of accounts says, and every button is a form. What a
form does, the API does too; no page knows anything that an account may not.
"""

from lapwing.server.pages.pages import Pages

__all__ = ["Pages"]
