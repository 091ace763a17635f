"""Measurements against peers and floors, in one run each; ``make bench`` runs them all."""
