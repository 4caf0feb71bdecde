"""What is measured, and how: each script prints a table."""
