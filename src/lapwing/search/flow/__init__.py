"""Information flow: whether a result depends on what its reader may not see, and how much it tells if it does.

``decide`` answers the first with a proof, two runs, or an honest unknown; ``feasible`` and ``attack`` the second.
The decorator is ``lapwing.flow``.
"""
