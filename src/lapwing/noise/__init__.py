"""Exact noise on the integer lattice, and the mechanisms made of it. The only room that draws entropy."""
