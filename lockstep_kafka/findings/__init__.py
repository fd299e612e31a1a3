"""What is said of logs: verdicts on sides of sessions, remarks, lines that are not followed."""
