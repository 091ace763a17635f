"""The sources of the shipped mechanisms, one per file; a ``NAME.NAME.json`` beside one is a proof written by hand.

They are read, never imported: ``lapwing.library`` hands them out together with their certificates.
"""
