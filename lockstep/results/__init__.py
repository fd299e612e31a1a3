"""What every engine answers with: verdicts, behaviours, violations, results of searches."""
