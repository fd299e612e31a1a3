"""What is compiled: reading, ordering and following lines, on tables of numbers."""
