"""Lapwing: answers about a table of people, each with a proof that no answer depends much on any one of them."""

__version__ = "0.1.0"

__all__ = ["__version__"]
