"""What a person has to trust: programs, how they run, and evidence about them computed again, accepted or rejected.

The one idea: the kernel takes the program that runs, not its text. Evidence is a list of suggestions; every condition
is rebuilt from the program, every number recomputed, and one doubt rejects. It stands on noise, algebra and errors, and
asks cvc5 and python-flint; no search and no reader of Python can be reached from here.
"""
