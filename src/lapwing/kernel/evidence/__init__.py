"""What a search found, as frozen data with a JSON form: nothing here searches, nothing here believes.

The one idea: evidence is inert. A :class:`~lapwing.kernel.evidence.witness.Witness` states numbers; whether they are
true is for the kernel to say, which reads the same data and recomputes everything.
"""
