"""Formulas over public parameters: claims, margins, conditions on an answer."""
