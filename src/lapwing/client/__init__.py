"""A session over HTTP: ``lapwing.connect("https://…", token=…)``, with the methods of a session on a file.

The one idea: a notebook moves from a file to a server by its first line alone. Nothing here is trusted, and nothing
here needs more than Python: the server decides who asks, what it costs, and what is answered.
"""

from lapwing.client.remote import RemoteSession, connect

__all__ = ["RemoteSession", "connect"]
