"""Where a search and the kernel meet: what is said of a mechanism, and what is behind it."""
