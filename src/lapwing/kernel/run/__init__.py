"""Running a program: exact values, noise drawn exactly, inputs made total, answers made plain."""
