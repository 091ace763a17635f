"""Sensitivity of what is computed from records: every total is public + Σ g(record), and g is found by reading.

The one idea: one record more, fewer or changed moves a total by g(x), or by g(y) - g(x), whatever the other records
are. So the price of all answers together is one supremum over x and y of a sum of |Δ| / scale, which is a polynomial
inequality in each of finitely many cells. A certificate says nothing but the price: all else is read off the program.
"""
