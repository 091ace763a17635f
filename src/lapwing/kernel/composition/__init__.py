"""Composition: a body of private steps and loops of private steps, each proved as a mechanism of its own.

The one idea: cut a body into parts such that whatever one part leaves to the next is released. Then each part is a
mechanism whose public parameters are what was released before, and prices add up however the parts depend on one
another ([DR14] Thm 3.14, [BS16] Lemma 1.7).
"""
