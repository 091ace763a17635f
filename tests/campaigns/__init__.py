"""Campaigns: the parts of the house held against each other on programs and evidence that nobody wrote by hand.

``python -m tests.campaigns`` runs them all, each as long as its options say (``--kills 50``), and fails if one finds a
contradiction. The suite runs a slice of each.
"""
