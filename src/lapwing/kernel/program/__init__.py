"""A program as the kernel sees it: a small typed tree, how two inputs may differ, labels, and its printed form.

The one idea: what runs, what is proved and what is measured is this tree; everything else is a view of it.
"""
