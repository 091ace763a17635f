"""Campaigns: the parts of the house held against each other on programs and evidence that nobody wrote by hand.

``python -m tests.campaigns [--programs N] [--evidence N] [--transplants N] [--random N] [--certificates N] [--kills N]``
runs them all, each as long as asked for, and fails if one finds a contradiction. The suite runs a slice of each.
"""
