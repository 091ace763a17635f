"""Searching for violations: exact output distributions, privacy loss, neighbouring inputs, shrinking, growth.

The one idea: nothing here has to be believed. A violation leaves as a :class:`~lapwing.evidence.witness.Witness`, whose
numbers ``lapwing.check`` recomputes by other means; only then is a claim called refuted.
"""
