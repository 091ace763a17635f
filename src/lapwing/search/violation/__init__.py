"""Searching for violations: neighbouring inputs, events, privacy loss, shrinking, growth.

The one idea: nothing here has to be believed. A violation leaves as a `evidence.witness.Witness`, whose
numbers ``lapwing.kernel`` recomputes; only then is a claim called refuted.
"""
