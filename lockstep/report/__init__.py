"""Reports: results as text, tables, progress and JSON."""
