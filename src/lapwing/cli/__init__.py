"""The command line: one file per command, no logic of its own.

The one idea: a command parses its words, calls one function of a room below, and shows the result. With
``--json`` standard output carries one JSON object per result and everything meant for people goes to
standard error.
"""

from lapwing.cli.commands import main

__all__ = ["main"]
