"""What comes of logs, as text, JSON and pages."""
