"""What draws and calls cost, as exact formulas in the public parameters."""
