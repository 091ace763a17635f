"""What must hold of a program before anything else is said of it: shape, depth, and what is public."""
