"""What a SQL answer or an applied mechanism costs one person, derived again from the plan alone."""
