"""How likely an answer is: the program walked on distributions of states, and violations recomputed."""
