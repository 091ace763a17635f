"""Searching for evidence: privacy, violations, accuracy, flow. Nothing here is believed; the kernel checks it."""
