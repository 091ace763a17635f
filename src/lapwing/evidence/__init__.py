"""What a search found, as frozen data with a JSON form: nothing here searches, nothing here believes.

The one idea: evidence is inert. A :class:`~lapwing.evidence.witness.Witness` states numbers; whether they are true
is for ``lapwing.check`` to say, which reads the same data and recomputes everything.
"""
