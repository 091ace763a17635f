"""The door: analysts reach answers, never data.

The one idea: whoever asks is an account, and the analyst of every charge is the name of that account, so that nothing
in a request can say otherwise. This room has no logic of privacy: each question goes to one method of a session. The
web framework is imported inside this room only, and not before a server is made.
"""
