"""The ground floor: who is protected, how distance and privacy are measured, and how losses add up."""
